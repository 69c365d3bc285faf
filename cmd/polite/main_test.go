package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asCommand makes the test binary the command itself.
const asCommand = "POLITE_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// process returns the command as a process of its own.
func process(t *testing.T, args ...string) *exec.Cmd {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), asCommand+"=1", "GORACE=atexit_sleep_ms=0") // a second saved, each time
	return cmd
}

// A result is what a command left behind.
type result struct {
	status         int
	stdout, stderr string
}

func runCommand(t *testing.T, args ...string) result { return runWithInput(t, "", args...) }

func runWithInput(t *testing.T, input string, args ...string) result {
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), args, stdio{strings.NewReader(input), &stdout, &stderr})
	return result{status, stdout.String(), stderr.String()}
}

// A site is an HTTP server that logs the paths that it is asked for.
type site struct {
	*httptest.Server
	mu  sync.Mutex
	log []string
}

// newSite starts a site with robots.txt and pages. It answers 404 for others.
func newSite(t *testing.T, robots http.HandlerFunc, pages map[string]http.HandlerFunc) *site {
	s := new(site)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.log = append(s.log, r.RequestURI)
		s.mu.Unlock()
		answer := pages[r.RequestURI]
		switch {
		case r.RequestURI == "/robots.txt":
			answer = robots
		case answer == nil:
			answer = http.NotFound
		}
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) arrivals() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.log...)
}

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

func TestHelp(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, usage},
		{[]string{"help"}, usage},
		{[]string{"-h"}, usage},
		{[]string{"--help"}, usage},
		{[]string{"help", "-h"}, usage},
		{[]string{"help", "get"}, getUsage},
		{[]string{"get", "-h"}, getUsage},
		{[]string{"get", "http://127.0.0.1/", "--help"}, getUsage},
		{[]string{"help", "demo"}, demoUsage},
		{[]string{"demo", "-h"}, demoUsage},
		{[]string{"help", "version"}, versionUsage},
		{[]string{"help", "help"}, usage},
		{[]string{"help", "robots.txt"}, guide},
		{[]string{"check", "--help"}, checkUsage},
		{[]string{"help", "lint"}, lintUsage()},
		{[]string{"help", "records"}, recordsUsage},
		{[]string{"sitemaps", "-h"}, sitemapsUsage},
		{[]string{"version", "-h"}, versionUsage},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			assert.Equal(t, result{0, test.want, ""}, runCommand(t, test.args...))
		})
	}
}

func TestMisuse(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"gte"}, `unknown command "gte"`},
		{[]string{""}, `unknown command ""`},
		{[]string{"https://example.com/"}, "write: polite get https://example.com/"},
		{[]string{"robots.txt"}, `"polite help robots.txt" is a guide`},
		{[]string{"public/robots.txt"}, `"polite lint public/robots.txt" looks at a file`},
		{[]string{"help", "gte"}, `unknown command "gte"`},
		{[]string{"gte"}, `Did you mean "get"?`},
		{[]string{"help", "sitemap"}, `Did you mean "sitemaps"?`},
		{[]string{"help", "get", "check"}, `unexpected argument "check"`},
		{[]string{"nothing like it"}, `"polite help" lists the commands.`},
		{[]string{"demo", "now"}, `unexpected argument "now"`},
		{[]string{"demo", "-fast"}, "unknown flag --fast: there is none\n"},
		{[]string{"version", "1"}, `unexpected argument "1"`},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			got := runCommand(t, test.args...)
			assert.Equal(t, 2, got.status)
			assert.Empty(t, got.stdout)
			assert.Contains(t, got.stderr, test.want)
			assert.Equal(t, 2, strings.Count(got.stderr, "\n"), "%q: a message and a hint", got.stderr)
		})
	}
}

func TestVersion(t *testing.T) {
	for _, arg := range []string{"version", "--version"} {
		got := runCommand(t, arg)
		assert.Equal(t, 0, got.status)
		assert.Regexp(t, `^polite \S+, go\S+ \w+/\w+\n$`, got.stdout)
	}
}

func TestUserAgent(t *testing.T) {
	assert.Regexp(t, `^polite(/[0-9]\S*)? \(\+https://github\.com/go-polite/polite\)$`, userAgent())
}

// failingWriter is a full disk.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestStdoutFails(t *testing.T) {
	for _, command := range []string{"help", "version", "demo"} {
		var stderr bytes.Buffer
		assert.Equal(t, 1, run(t.Context(), []string{command}, stdio{nil, failingWriter{}, &stderr}))
		assert.Equal(t, "polite "+command+": no space left on device\n", stderr.String())
	}
}

func TestProcess(t *testing.T) {
	cmd := process(t, "get", "example.com")
	stderr, err := cmd.CombinedOutput()
	require.ErrorAs(t, err, new(*exec.ExitError))
	assert.Equal(t, 2, cmd.ProcessState.ExitCode())
	assert.Contains(t, string(stderr), "https://example.com")
}

func TestClosedPipe(t *testing.T) {
	s := newSite(t, text(""), map[string]http.HandlerFunc{"/a": text("page\n"), "/b": text("page\n")})
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	reader.Close()
	defer writer.Close()

	cmd := process(t, "get", s.URL+"/a", s.URL+"/b")
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = writer, &stderr
	require.ErrorAs(t, cmd.Run(), new(*exec.ExitError))

	assert.Equal(t, 1, cmd.ProcessState.ExitCode())
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	require.Len(t, lines, 2, "no stack trace: %s", stderr.String())
	assert.Regexp(t, `^failed      200  \S+/a  write /dev/stdout: `, lines[0])
	assert.Regexp(t, `^failed           \S+/b  write /dev/stdout: `, lines[1])
	assert.Equal(t, []string{"/robots.txt", "/a"}, s.arrivals(), "what cannot be written is not asked for")
}

func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted by another")
	}
	arrived := make(chan struct{})
	s := newSite(t, text(""), map[string]http.HandlerFunc{
		"/slow": func(_ http.ResponseWriter, r *http.Request) {
			close(arrived)
			<-r.Context().Done()
		},
	})
	cmd := process(t, "get", s.URL+"/slow")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Start())
	<-arrived
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.ErrorAs(t, cmd.Wait(), new(*exec.ExitError))

	assert.Equal(t, 1, cmd.ProcessState.ExitCode())
	assert.Empty(t, stdout.String())
	assert.Regexp(t, `^failed           \S+/slow  interrupt signal received\n$`, stderr.String())
}
