package repository

import (
	"bytes"
	"flag"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/api.txt")

// The exported API of every package is what testdata/api.txt says. After a change
// that is meant, write that anew:
//
//	go test ./internal/lab/repository -run TestAPI -update
func TestAPI(t *testing.T) {
	var out strings.Builder
	for _, dir := range publicPackages(t) {
		out.WriteString(exported(t, dir))
	}
	const golden = "testdata/api.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(out.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String(), "the exported API has changed; if that is meant, run the test with -update, and tell of it in CHANGELOG.md")
}

// publicPackages returns the folders of this module whose packages others can
// import, and that are there to be imported.
func publicPackages(t *testing.T) (dirs []string) {
	err := fs.WalkDir(os.DirFS(Root), ".", func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		_, noModule := os.Stat(filepath.Join(Root, dir, "go.mod"))
		switch name := entry.Name(); {
		case dir == ".":
		case name == "internal", name == "testdata", name == "cmd", name == "examples", strings.HasPrefix(name, "."), noModule == nil:
			return fs.SkipDir
		}
		if files := sources(t, dir); len(files) > 0 {
			dirs = append(dirs, dir)
		}
		return nil
	})
	require.NoError(t, err)
	return dirs
}

// sources returns the Go files of a package without its tests.
func sources(t *testing.T, dir string) (files []string) {
	all, err := filepath.Glob(filepath.Join(Root, dir, "*.go"))
	require.NoError(t, err)
	for _, file := range all {
		if !strings.HasSuffix(file, "_test.go") {
			files = append(files, file)
		}
	}
	return files
}

// exported returns the exported declarations of a package, without their comments.
func exported(t *testing.T, dir string) string {
	fset, files := token.NewFileSet(), []*ast.File(nil)
	for _, name := range sources(t, dir) {
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
	}
	pkg, err := doc.NewFromFiles(fset, files, path.Join("github.com/go-polite/polite", dir))
	require.NoError(t, err)
	a := api{t: t, fset: fset}
	a.out.WriteString("package " + pkg.Name + " // import \"" + pkg.ImportPath + "\"\n\n")
	a.values(pkg.Consts, pkg.Vars)
	a.funcs(pkg.Funcs)
	for _, typ := range pkg.Types {
		a.declare(typ.Decl)
		a.values(typ.Consts, typ.Vars)
		a.funcs(typ.Funcs, typ.Methods)
	}
	return a.out.String()
}

// An api is the text of declarations.
type api struct {
	t    *testing.T
	fset *token.FileSet
	out  strings.Builder
}

func (a *api) values(lists ...[]*doc.Value) {
	for _, list := range lists {
		for _, value := range list {
			a.declare(value.Decl)
		}
	}
}

func (a *api) funcs(lists ...[]*doc.Func) {
	for _, list := range lists {
		for _, f := range list {
			a.declare(f.Decl)
		}
	}
}

// declare writes a declaration. Its blank lines and columns, which follow its
// comments, do not count.
func (a *api) declare(decl ast.Decl) {
	var text bytes.Buffer
	require.NoError(a.t, format.Node(&text, a.fset, decl))
	for line := range strings.Lines(text.String()) {
		words := strings.Join(strings.Fields(line), " ")
		switch {
		case words == "":
		case strings.HasPrefix(line, "\t"):
			a.out.WriteString("\t" + words + "\n")
		default:
			a.out.WriteString(words + "\n")
		}
	}
	a.out.WriteString("\n")
}
