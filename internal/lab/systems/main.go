// Systems checks that modules compile on other systems. It checks their types from source: go vet would
// compile all that they depend on, for each system.
//
//	go run -C internal/lab/systems . SYSTEM/ARCHITECTURE FOLDER...
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal("usage: systems SYSTEM/ARCHITECTURE FOLDER...")
	}
	system, architecture, ok := strings.Cut(os.Args[1], "/")
	if !ok {
		log.Fatalf("%s is not a system and an architecture, such as windows/amd64", os.Args[1])
	}
	for _, folder := range os.Args[2:] {
		errors, err := check(system, architecture, folder)
		if err != nil {
			log.Fatalf("%s: %v", folder, err)
		}
		if len(errors) > 0 {
			log.Fatal(strings.Join(errors, "\n"))
		}
	}
}

// check returns what is wrong with the packages and the tests of the module in a folder.
func check(system, architecture, folder string) (errors []string, err error) {
	own, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	all, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax,
		Dir:   own,
		Tests: true,
		Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+architecture, "CGO_ENABLED=0"),
		ParseFile: func(set *token.FileSet, name string, text []byte) (*ast.File, error) {
			if strings.HasPrefix(name, own+string(filepath.Separator)) {
				return parser.ParseFile(set, name, text, parser.SkipObjectResolution)
			}
			return withoutBodies(set, name, text)
		},
	}, "./...")
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there are no packages")
	}
	for _, p := range all {
		if strings.HasSuffix(p.ID, ".test") {
			continue // the main function of tests, which the go command writes
		}
		for _, e := range p.Errors {
			errors = append(errors, fmt.Sprintf("%s/%s: %v", system, architecture, e))
		}
	}
	return errors, nil
}

// withoutBodies parses a file of which only the declarations count.
func withoutBodies(set *token.FileSet, name string, text []byte) (*ast.File, error) {
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return file, err
	}
	for _, declaration := range file.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok && f.Body != nil {
			f.Body = &ast.BlockStmt{Lbrace: f.Body.Lbrace, Rbrace: f.Body.Rbrace}
		}
	}
	return file, nil
}
