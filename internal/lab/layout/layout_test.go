package layout_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/go-polite/polite"

// A function is read at once.
func TestFunctionsAreShort(t *testing.T) {
	const longest = 70
	for _, p := range loadAll(t) {
		for _, file := range p.files {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					lines := p.line(f.End()) - p.line(f.Pos()) + 1
					assert.LessOrEqual(t, lines, longest, "%s: %s", p.name(f.Pos()), f.Name.Name)
				}
			}
		}
	}
}

// A package uses another by its methods, never by a chain of its fields.
func TestNoChainsOfFields(t *testing.T) {
	for _, p := range load(t, ".") {
		for _, file := range p.files {
			ast.Inspect(file, func(n ast.Node) bool {
				if chain, ok := n.(*ast.SelectorExpr); ok && p.isForeignField(chain.Sel) {
					if inner, ok := chain.X.(*ast.SelectorExpr); ok && p.isForeignField(inner.Sel) {
						assert.False(t, p.hasMethods(inner), "%s:%d: %s.%s", p.name(n.Pos()), p.line(n.Pos()), inner.Sel, chain.Sel)
					}
				}
				return true
			})
		}
	}
}

// What users get needs no tool of the lab, and what a request meets does not need the root.
func TestImportsPointDown(t *testing.T) {
	for _, p := range loadAll(t) {
		if isBelow(p.path, "internal/lab") || isBelow(p.path, "internal/conduct") {
			continue
		}
		for _, file := range p.files {
			for _, spec := range file.Imports {
				path := strings.Trim(spec.Path.Value, `"`)
				assert.False(t, isBelow(path, "internal/lab"), "%s imports %s", p.path, path)
				assert.False(t, path == module && isBelow(p.path, "internal"), "%s imports the root", p.path)
			}
		}
	}
}

func isBelow(path, folder string) bool { return strings.HasPrefix(path+"/", module+"/"+folder+"/") }

// isForeignField reports whether id is a field that another package of the module
// declares.
func (p *source) isForeignField(id *ast.Ident) bool {
	field, ok := p.info.Uses[id].(*types.Var)
	return ok && field.IsField() && field.Pkg().Path() != p.path && strings.HasPrefix(field.Pkg().Path(), module)
}

// hasMethods reports whether the type of an expression has methods, and is not data alone.
func (p *source) hasMethods(e ast.Expr) bool {
	of := p.info.Types[e].Type
	if pointer, ok := of.(*types.Pointer); ok {
		of = pointer.Elem()
	}
	return types.NewMethodSet(types.NewPointer(of)).Len() > 0
}

// A source is a package with its types.
type source struct {
	path  string
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
}

func (p *source) name(at token.Pos) string { return filepath.Base(p.fset.Position(at).Filename) }
func (p *source) line(at token.Pos) int    { return p.fset.Position(at).Line }

// loadAll returns the packages of the module at the root, without their tests. In a long
// run it returns those of the other modules that users get, too.
func loadAll(t *testing.T) (all []*source) {
	for _, dir := range long.Or([]string{"."}, []string{".", "cmd/polite", "otelpolite", "store/redisfleet", "webbotauth"}) {
		all = append(all, load(t, dir)...)
	}
	return all
}

// loaded has what load returned for each folder: to load it takes long.
var loaded = make(map[string][]*source)

// load returns the packages of the module in a folder, without their tests.
func load(t *testing.T, dir string) []*source {
	if sources, ok := loaded[dir]; ok {
		return sources
	}
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{join .GoFiles \" \"}}", "./...")
	list.Dir = filepath.Join("../../..", dir)
	var problems bytes.Buffer
	list.Stderr = &problems
	out, err := list.Output()
	require.NoError(t, err, problems.String())
	exports := make(map[string]string)
	ours := make(map[string][]string)
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		exports[fields[0]] = fields[1]
		if fields[0] == module || strings.HasPrefix(fields[0], module+"/") {
			for name := range strings.FieldsSeq(fields[3]) {
				ours[fields[0]] = append(ours[fields[0]], filepath.Join(fields[2], name))
			}
		}
	}
	var sources []*source
	for _, path := range slices.Sorted(maps.Keys(ours)) {
		sources = append(sources, check(t, path, ours[path], exports))
	}
	require.NotEmpty(t, sources)
	loaded[dir] = sources
	return sources
}

func check(t *testing.T, path string, names []string, exports map[string]string) *source {
	p := &source{path: path, fset: token.NewFileSet(), info: &types.Info{Uses: make(map[*ast.Ident]types.Object), Types: make(map[ast.Expr]types.TypeAndValue)}}
	for _, name := range names {
		file, err := parser.ParseFile(p.fset, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		p.files = append(p.files, file)
	}
	config := types.Config{Importer: importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(exports[path])
	})}
	_, err := config.Check(path, p.fset, p.files, p.info)
	require.NoError(t, err)
	return p
}
