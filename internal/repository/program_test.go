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
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
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
	"usage":      "github.com/go-polite/polite/robots/usage",
	"webbotauth": "github.com/go-polite/polite/webbotauth",
	"json":       "encoding/json",
	"politetest": "github.com/go-polite/polite/politetest", "storetest": "github.com/go-polite/polite/store/storetest",
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
func skip(page string)                      {}
func putOff(page string, until time.Time)   {}
func fail(page string, err error)           {}
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

// program returns a block as a program. A block without a package clause becomes the
// body of main, or stands beside it if it declares functions.
func program(b block) string {
	if strings.HasPrefix(b.text, "package ") {
		return b.text
	}
	var text strings.Builder
	text.WriteString("package main\n\n")
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(b.text) {
			fmt.Fprintf(&text, "import %q\n", imports[name])
		}
	}
	if declares.MatchString(b.text) {
		fmt.Fprintf(&text, "\n//line %v\n%s", b, b.text)
	} else {
		fmt.Fprintf(&text, "\nfunc main() {\n//line %v\n%s}\n", b, b.text)
	}
	return text.String()
}

// Every block of Go compiles.
func TestGoCompiles(t *testing.T) {
	fset := token.NewFileSet()
	compiled := importer.ForCompiler(fset, "gc", lookUp(t))
	for _, b := range blocks(t, "go") {
		var files []*ast.File
		for _, text := range []string{program(b), known} {
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

// lookUp returns a function that opens the compiled form of a package.
func lookUp(t *testing.T) importer.Lookup {
	list := command(t, "go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}")
	list.Args = slices.AppendSeq(list.Args, maps.Values(imports))
	out, err := list.Output()
	require.NoError(t, err)
	files := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
}

// command returns a command that runs at the root.
func command(t *testing.T, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = root
	return cmd
}

// build compiles a command in a module of the repository, and returns the path of what
// can be run.
func build(t *testing.T, module, source string) string {
	executable := filepath.Join(t.TempDir(), "command")
	if runtime.GOOS == "windows" {
		executable += ".exe"
	}
	out, err := command(t, "go", "build", "-C", module, "-o", executable, source).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return executable
}

// online lets cmd find the web on this machine, as a proxy. The proxy has no TLS, so
// that the URLs must be plain.
func online(t *testing.T, cmd *exec.Cmd, web *origintest.Server) {
	proxy := httptest.NewServer(web)
	t.Cleanup(proxy.Close)
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); !strings.HasSuffix(strings.ToUpper(name), "_PROXY") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, "HTTP_PROXY="+proxy.URL)
}

// plain returns text with http for https.
func plain(text string) string { return strings.ReplaceAll(text, "https://", "http://") }

// Every block that is said to print something prints that.
func TestGoRuns(t *testing.T) {
	for _, b := range blocks(t, "go") {
		if b.prints == "" {
			continue
		}
		t.Run(b.String(), func(t *testing.T) {
			source := filepath.Join(t.TempDir(), "main.go")
			require.NoError(t, os.WriteFile(source, []byte(plain(program(b))), 0o644))
			cmd := exec.CommandContext(t.Context(), build(t, ".", source))
			web := origintest.New(t)
			online(t, cmd, web)
			out, err := cmd.CombinedOutput()
			assert.NoError(t, err)
			assert.Equal(t, b.prints, string(bytes.TrimSpace(out)))
		})
	}
}

// Every block that is a test passes.
func TestGoTests(t *testing.T) {
	dir, files := t.TempDir(), 0
	for _, b := range blocks(t, "go") {
		if !strings.Contains(b.text, "(t *testing.T) {") {
			continue
		}
		files++
		name := filepath.Join(dir, fmt.Sprint("block", files))
		require.NoError(t, os.WriteFile(name+"_test.go", []byte(program(b)), 0o644))
		require.NoError(t, os.WriteFile(name+"_known_test.go", []byte(known), 0o644))
		out, err := command(t, "go", "test", "-count=1", name+"_test.go", name+"_known_test.go").CombinedOutput()
		assert.NoError(t, err, "%v: %s", b, out)
	}
	assert.NotZero(t, files)
}
