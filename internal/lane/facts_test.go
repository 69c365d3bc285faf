package lane_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The package comment of lane says which files change a fact. Nobody else does, and each of them does.
func TestFactsAreChangedWhereTheListSays(t *testing.T) {
	lane, limit := load(t, "."), load(t, "../limit")
	changed := lane.changes("")
	for field, files := range limit.changes("limit") {
		changed[field] = files
	}
	facts := list(t, lane.comment)
	require.GreaterOrEqual(t, len(facts), 14)
	for field, files := range facts {
		assert.Equal(t, files, changed[field], "%s is changed in other files than the list says", field)
	}
}

// Only learn.go tells package limit what has begun and ended, and of breaks.
func TestOneFileTellsTheLimit(t *testing.T) {
	tells := regexp.MustCompile(`\.[lL]imit\.(Begin|Again|Wrote|Break|End|Learn|NoteFleet)\(`)
	for _, file := range load(t, ".").names {
		assert.Equal(t, file == "learn.go", tells.Match(read(t, file)), file)
	}
}

// list returns the fields that the comment lists, and for each of them the files that change it.
func list(t *testing.T, comment string) map[string][]string {
	_, rows, ok := strings.Cut(comment, "is changed in\n")
	require.True(t, ok, "there is no list")
	columns := regexp.MustCompile(` {2,}`)
	facts := make(map[string][]string)
	for row := range strings.Lines(rows) {
		cells := columns.Split(strings.TrimSpace(row), -1)
		if len(cells) != 3 {
			break
		}
		for field := range strings.SplitSeq(cells[1], ", ") {
			facts[field] = slices.Sorted(strings.SplitSeq(cells[2], ", "))
		}
	}
	return facts
}

// A source is a package as it is written.
type source struct {
	comment string
	names   []string
	files   []*ast.File
	fields  map[types.Object]string // as type.field
	atomics map[types.Object]bool   // fields that are changed by methods
	info    types.Info
}

func load(t *testing.T, folder string) *source {
	s := &source{fields: make(map[types.Object]string), atomics: make(map[types.Object]bool)}
	s.info = types.Info{Selections: make(map[*ast.SelectorExpr]*types.Selection), Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object)}
	set := token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		require.NoError(t, err)
		if file.Doc != nil {
			s.comment = file.Doc.Text()
		}
		s.names, s.files = append(s.names, filepath.Base(path)), append(s.files, file)
	}
	// Types of other packages stay unknown: the fields are our own.
	config := types.Config{Error: func(error) {}}
	config.Check(folder, set, s.files, &s.info)
	for _, file := range s.files {
		ast.Inspect(file, s.declare)
	}
	return s
}

// declare names the fields of a type.
func (s *source) declare(n ast.Node) bool {
	spec, ok := n.(*ast.TypeSpec)
	if !ok {
		return true
	}
	of, ok := spec.Type.(*ast.StructType)
	if !ok {
		return true
	}
	for _, field := range of.Fields.List {
		for _, name := range field.Names {
			s.fields[s.info.Defs[name]] = spec.Name.Name + "." + name.Name
			s.atomics[s.info.Defs[name]] = strings.HasPrefix(types.ExprString(field.Type), "atomic.")
		}
	}
	return true
}

// changes returns the files in which each field is assigned, or its address is taken.
func (s *source) changes(of string) map[string][]string {
	changed := make(map[string][]string)
	for i, file := range s.files {
		name, fields := s.names[i], make(map[string]bool)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, to := range n.Lhs {
					s.change(to, fields)
				}
			case *ast.IncDecStmt:
				s.change(n.X, fields)
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					s.change(n.X, fields)
				}
			case *ast.CallExpr:
				if method, ok := n.Fun.(*ast.SelectorExpr); ok && method.Sel.Name != "Load" && s.isAtomic(method.X) {
					s.change(method.X, fields)
				}
			}
			return true
		})
		for field := range fields {
			if of == "" {
				changed[field] = append(changed[field], name)
			} else {
				changed[of+"."+field] = append(changed[of+"."+field], of+"/"+name)
			}
		}
	}
	return changed
}

func (s *source) isAtomic(e ast.Expr) bool {
	field, ok := e.(*ast.SelectorExpr)
	return ok && s.info.Selections[field] != nil && s.atomics[s.info.Selections[field].Obj().(*types.Var).Origin()]
}

// change notes the field that is assigned, and those that have it as a part.
func (s *source) change(to ast.Expr, fields map[string]bool) {
	for {
		switch e := to.(type) {
		case *ast.ParenExpr:
			to = e.X
		case *ast.IndexExpr:
			to = e.X
		case *ast.SelectorExpr:
			if selection := s.info.Selections[e]; selection != nil {
				if field, ok := selection.Obj().(*types.Var); ok {
					fields[s.fields[field.Origin()]] = true
				}
			}
			if _, pointer := s.info.Types[e.X].Type.(*types.Pointer); pointer {
				return
			}
			to = e.X
		default:
			return
		}
	}
}

func read(t *testing.T, path string) []byte {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return text
}
