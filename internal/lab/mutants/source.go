package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed switches/switches.go
var switches []byte

// A codebase is a copy of a repository, in which mutants are.
type codebase struct {
	root    string
	modules map[string]*module // by folder
	sources map[string]*source // by folder
	mutants int
}

// A source is a package.
type source struct {
	folder   string // below the root
	switches string // the path of package switches
	fset     *token.FileSet
	importer types.Importer
	pkg      *types.Package
	info     *types.Info
	files    []*file
}

type file struct {
	name  string // below the root
	text  []byte
	tree  *ast.File
	edits []edit
}

// goCommand returns a go command that runs in a folder.
func goCommand(ctx context.Context, folder string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = folder
	c.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off")
	return c
}

// output runs a command, and returns what it prints.
func output(c *exec.Cmd) ([]byte, error) {
	out, err := c.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s: %w: %s", strings.Join(c.Args, " "), err, exit.Stderr)
	}
	return out, err
}

// module returns the folder of the module that has a folder, below the root.
func (c *codebase) module(folder string) string {
	for folder != "." {
		if _, err := os.Stat(filepath.Join(c.root, folder, "go.mod")); err == nil {
			break
		}
		folder = filepath.Dir(folder)
	}
	return folder
}

// A module has what the go command says of packages.
type module struct {
	switches string            // the path of package switches
	exports  map[string]string // files with types, by path
	packages map[string]listed // by folder
}

type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// list asks the go command for packages in folders, and for all that they need, once for each module. It
// puts package switches into each module.
func (c *codebase) list(ctx context.Context, folders []string) error {
	of := make(map[string][]string)
	for _, folder := range folders {
		module := c.module(folder)
		of[module] = append(of[module], filepath.Join(c.root, folder))
	}
	c.modules = make(map[string]*module)
	for name, folders := range of {
		root := filepath.Join(c.root, name)
		own := filepath.Join(root, "internal/switches")
		if err := os.MkdirAll(own, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(own, "switches.go"), switches, 0o600); err != nil {
			return err
		}
		args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", own}
		out, err := output(goCommand(ctx, root, append(args, folders...)...))
		if err != nil {
			return err
		}
		m := &module{exports: make(map[string]string), packages: make(map[string]listed)}
		for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
			var l listed
			if err := d.Decode(&l); err != nil {
				return err
			}
			m.exports[l.ImportPath], m.packages[l.Dir] = l.Export, l
		}
		m.switches = m.packages[own].ImportPath
		c.modules[name] = m
	}
	return nil
}

// load returns the package in a folder, which was listed.
func (c *codebase) load(folder string) (*source, error) {
	if s := c.sources[folder]; s != nil {
		return s, nil
	}
	m, full := c.modules[c.module(folder)], filepath.Join(c.root, folder)
	s := &source{folder: folder, switches: m.switches, fset: token.NewFileSet()}
	if err := s.parse(full, m.packages[full].GoFiles); err != nil {
		return nil, err
	}
	s.importer = importer.ForCompiler(s.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(m.exports[path]) })
	s.info = &types.Info{Types: make(map[ast.Expr]types.TypeAndValue), Uses: make(map[*ast.Ident]types.Object), Defs: make(map[*ast.Ident]types.Object)}
	var err error
	s.pkg, err = (&types.Config{Importer: s.importer}).Check(m.packages[full].ImportPath, s.fset, s.trees(nil), s.info)
	c.sources[folder] = s
	return s, err
}

func (s *source) parse(full string, names []string) error {
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(full, name))
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(s.fset, filepath.Join(full, name), text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s.files = append(s.files, &file{name: filepath.Join(s.folder, name), text: text, tree: tree})
	}
	return nil
}

// trees returns the syntax of all files, with a mutant more. A file that has none is as it was.
func (s *source) trees(m *mutant) (all []*ast.File) {
	for _, f := range s.files {
		edits := f.edits
		if m != nil {
			edits = slices.Concat(edits, m.edits[f.name])
		}
		if len(edits) == 0 {
			all = append(all, f.tree)
		} else if tree, err := parser.ParseFile(s.fset, f.name, apply(f.text, edits, s.switches), parser.SkipObjectResolution); err == nil {
			all = append(all, tree)
		}
	}
	return all
}

// accept puts a mutant into its package, unless it does not compile beside those that are there.
func (c *codebase) accept(m *mutant) bool {
	s := c.sources[m.folder]
	for name := range m.edits {
		for i := range m.edits[name] {
			m.edits[name][i].id = c.mutants
		}
	}
	m.id = c.mutants
	trees := s.trees(m)
	if len(trees) < len(s.files) {
		return false
	}
	if _, err := (&types.Config{Importer: s.importer}).Check(s.pkg.Path(), s.fset, trees, nil); err != nil {
		return false
	}
	c.mutants++
	for _, f := range s.files {
		f.edits = append(f.edits, m.edits[f.name]...)
	}
	return true
}

// write writes the files that have mutants. It returns the paths of their packages.
func (c *codebase) write() (changed []string, err error) {
	for _, s := range c.sources {
		for _, f := range s.files {
			if len(f.edits) == 0 {
				continue
			}
			if err := os.WriteFile(filepath.Join(c.root, f.name), apply(f.text, f.edits, s.switches), 0o600); err != nil {
				return nil, err
			}
			changed = append(changed, s.pkg.Path())
		}
	}
	return changed, nil
}
