package repository

import (
	"bytes"
	"errors"
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
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// imports are the packages that a block may use, by their names.
var imports = map[string]string{
	"context": "context", "errors": "errors", "fmt": "fmt", "io": "io", "log": "log", "slog": "log/slog", "net": "net",
	"http": "net/http", "httptest": "net/http/httptest", "url": "net/url", "os": "os", "strings": "strings", "time": "time",
	"polite": "github.com/go-polite/polite", "boltstore": "github.com/go-polite/polite/store/boltstore", "robots": "github.com/go-polite/polite/robots",
	"sites":      "github.com/go-polite/polite/sites",
	"sitemap":    "github.com/go-polite/polite/sitemap",
	"queue":      "github.com/go-polite/polite/queue",
	"usage":      "github.com/go-polite/polite/robots/usage",
	"webbotauth": "github.com/go-polite/polite/webbotauth",
	"json":       "encoding/json",
	"politetest": "github.com/go-polite/polite/politetest", "storetest": "github.com/go-polite/polite/store/storetest", "memstore": "github.com/go-polite/polite/store/memstore", "provenance": "github.com/go-polite/polite/provenance", "public": "github.com/go-polite/polite/public",
	"atomic": "sync/atomic", "expvar": "expvar", "httptrace": "net/http/httptrace", "sync": "sync", "synctest": "testing/synctest", "testing": "testing",
	"retryablehttp": "github.com/hashicorp/go-retryablehttp",
}

// known is what a block may use without declaring it: what a crawler has.
const known = `package main

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/queue"
)

var (
	ctx       context.Context
	client    *http.Client
	transport *polite.Transport
	req       *http.Request
	base      http.RoundTripper
	cache     *polite.Cache
	page      string
	pages     []string
	u         *url.URL
	body      []byte
	keyFile   []byte
)

func save(page string, resp *http.Response) {}
func links(resp *http.Response) []string    { return nil }
func skip(page string)                      {}
func putOff(page string, until time.Time)   {}
func fail(page string, err error)           {}
func handle(ctx context.Context, item queue.Item[int], resp *http.Response, err error) error { return nil }
func navigate(req *http.Request) (status int, header http.Header, err error) {
	return http.StatusOK, nil, nil
}
func registeredDomain(host string) string   { return host }

func crawl(client *http.Client, start string) {
	for _, path := range []string{"/", "/private", "/public"} {
		if resp, err := client.Get(start + path); err == nil {
			resp.Body.Close()
		}
	}
}
`

// declares matches a block that declares functions.
var declares = regexp.MustCompile(`(?m)^func `)

// source returns a block as a file of a program. A block that declares no function becomes
// the body of a function of this name.
func source(b Block, name string) string {
	var text strings.Builder
	text.WriteString("package main\n\n")
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(b.Text) {
			fmt.Fprintf(&text, "import %q\n", imports[name])
		}
	}
	if declares.MatchString(b.Text) {
		fmt.Fprintf(&text, "\n//line %v\n%s", b, b.Text)
	} else {
		fmt.Fprintf(&text, "\nfunc %s() {\n//line %v\n%s}\n", name, b, b.Text)
	}
	return text.String()
}

// Every block of Go compiles.
func TestGoCompiles(t *testing.T) {
	fset := token.NewFileSet()
	compiled := importer.ForCompiler(fset, "gc", lookUp(t))
	for _, b := range Blocks(t, "go") {
		var files []*ast.File
		for _, text := range []string{source(b, "main"), known} {
			file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
			require.NoError(t, err)
			files = append(files, file)
		}
		config := types.Config{Importer: compiled, Error: func(err error) {
			if problem, ok := errors.AsType[types.Error](err); !ok || !problem.Soft { // soft: a part of a program may leave variables to the rest
				t.Error(err)
			}
		}}
		config.Check("main", fset, files, nil)
	}
}

// lookUp returns a function that opens the compiled form of a package. The command requires all modules
// that blocks import.
func lookUp(t *testing.T) importer.Lookup {
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	out := run(t, filepath.Join(Root, "cmd/polite"), nil, "go", slices.AppendSeq(args, maps.Values(imports))...)
	files := make(map[string]string)
	for line := range strings.Lines(out) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
}

// runs begins the program of all blocks that are run. It is one, since each program would be
// linked anew. It runs the block that its first argument names, or else the tests.
const runs = `package main

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if block := blocks[os.Args[1]]; block != nil {
		block()
		return
	}
	m.Run()
}

var blocks = map[string]func(){
`

// Every block that is said to print something prints that, and every block that is a test
// passes.
func TestGoRuns(t *testing.T) {
	dir := t.TempDir()
	var files, tests []string
	add := func(name, text string) {
		files = append(files, filepath.Join(dir, name+"_test.go"))
		require.NoError(t, os.WriteFile(files[len(files)-1], []byte(text), 0o644))
	}
	printing, names := make(map[string]Block), ""
	for i, b := range Blocks(t, "go") {
		name, found := fmt.Sprint("block", i), anyTest.FindAllString(b.Text, -1)
		switch {
		case b.Prints != "":
			printing[name] = b
			names += fmt.Sprintf("%q: %[1]s,\n", name)
			add(name, Plain(source(b, name)))
		case found != nil:
			tests = append(tests, found...)
			add(name, source(b, name))
		}
	}
	require.NotEmpty(t, printing)
	require.NotEmpty(t, tests)
	add("known", known)
	add("runs", runs+names+"}\n")
	program := filepath.Join(dir, "program.exe") // so called for Windows
	run(t, Root, nil, "go", append([]string{"test", "-c", "-o", program}, files...)...)

	for name, b := range printing {
		t.Run(b.String(), func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), program, name)
			cmd.Env = os.Environ()
			Online(t, cmd, origintest.New(t))
			out, err := cmd.CombinedOutput()
			assert.NoError(t, err)
			assert.Equal(t, b.Prints, string(bytes.TrimSpace(out)))
		})
	}
	t.Run("tests", func(t *testing.T) {
		out := run(t, dir, nil, program, "-test.v")
		assert.Equal(t, len(tests), strings.Count(out, "\n--- PASS: "), out)
	})
}
