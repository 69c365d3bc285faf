package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/cmd/polite/internal/child"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asCommand makes the test binary the command itself.
const asCommand = "POLITE_TEST_AS_COMMAND"

// statusFile names a file for what the kernel knows of the command when it ends.
const statusFile = "POLITE_TEST_STATUS"

// keepStatus copies what a Linux kernel knows of this process. If name is "", it does nothing.
func keepStatus(name string) {
	if status, err := os.ReadFile("/proc/self/status"); err == nil && name != "" {
		os.WriteFile(name, status, 0o600)
	}
}

func TestMain(m *testing.M) {
	child.Enter()
	if os.Getenv(asProgram) != "" {
		os.Exit(fetchAll(os.Args[1:]))
	}
	if os.Getenv(asCommand) != "" {
		status := Main()
		keepStatus(os.Getenv(statusFile))
		os.Exit(status)
	}
	os.Exit(runTests(m))
}

// runTests runs the tests with a cache of their own. They leave the user's alone.
func runTests(m *testing.M) int {
	folder, err := os.MkdirTemp("", "polite")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	os.Setenv(cachefile.Variable, folder)
	os.Unsetenv("GITHUB_ACTIONS")
	return m.Run()
}

// newCache lets the commands of a test begin with an empty cache. It returns the name of
// the file.
func newCache(t *testing.T) string {
	folder := t.TempDir()
	t.Setenv(cachefile.Variable, folder)
	return filepath.Join(folder, "sites.db")
}

// process returns the command as a process of its own.
func process(t *testing.T, args ...string) *exec.Cmd {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), asCommand+"=1", "GORACE=atexit_sleep_ms=0") // a second saved, each time
	return cmd
}

// runProcess runs the command as a process of its own.
func runProcess(t *testing.T, stdin io.Reader, args ...string) result {
	cmd := process(t, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		require.ErrorAs(t, err, new(*exec.ExitError))
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// A result is what a command left behind.
type result struct {
	status         int
	stdout, stderr string
}

func runCommand(t *testing.T, args ...string) result { return runWithInput(t, "", args...) }

func runWithInput(t *testing.T, input string, args ...string) result {
	var stdout, stderr bytes.Buffer
	status := runTo(t.Context(), args, streams(strings.NewReader(input), &stdout, &stderr))
	return result{status, stdout.String(), stderr.String()}
}

// runTo returns the exit status of a command.
func runTo(ctx context.Context, args []string, std verb.Streams) int { return int(Run(ctx, args, std)) }

func streams(in io.Reader, out, err io.Writer) verb.Streams {
	return verb.Streams{In: in, Out: out, Err: err}
}

// startServing starts a command in this process that prints its link and serves. It returns the link, and
// a function that ends the command as Ctrl-C does, and returns what it did.
func startServing(t *testing.T, args ...string) (link string, end func() result) {
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	var stderr bytes.Buffer
	var status int
	var running sync.WaitGroup
	running.Go(func() {
		status = runTo(ctx, args, streams(strings.NewReader(""), out, &stderr))
		out.Close()
	})
	first, err := bufio.NewReader(in).ReadString('\n')
	end = func() result {
		cancel()
		running.Wait()
		return result{status, first, stderr.String()}
	}
	t.Cleanup(func() { end() })
	require.NoError(t, err, "%v", args)
	return strings.TrimSuffix(first, "\n"), end
}

// failingWriter is a full disk.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// assertMisuse checks that a command says what is wrong in a line, and where to
// learn more in another.
func assertMisuse(t *testing.T, command, want string, args ...string) {
	got := runCommand(t, append(strings.Fields(command), args...)...)
	assert.Equal(t, 2, got.status)
	assert.Empty(t, got.stdout)
	assert.True(t, strings.HasPrefix(got.stderr, "polite "+command+": "), got.stderr)
	assert.Contains(t, got.stderr, want)
	assert.Equal(t, 2, strings.Count(got.stderr, "\n"), got.stderr)
	assert.True(t, strings.HasSuffix(got.stderr, "\n\"polite help "+command+"\" tells how to use it.\n"), got.stderr)
}

func TestMisuse(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"gte"}, `unknown command "gte"`},
		{[]string{""}, `unknown command ""`},
		{[]string{"https://example.com/"}, "write: polite get https://example.com/"},
		{[]string{"public/robots.txt"}, `"polite lint public/robots.txt" checks a file`},
		{[]string{"help", "gte"}, `unknown command "gte"`},
		{[]string{"gte"}, `Did you mean "get"?`},
		{[]string{"sitemaps"}, `Did you mean "records"?`},
		{[]string{"help", "get", "check"}, `unknown command "check"`},
		{[]string{"nothing like it"}, `"polite help" lists the commands.`},
		{[]string{"cache", "--fast"}, "unknown flag: --fast\n"},
		{[]string{"--fast"}, "\n\"polite help\" tells how to use it.\n"},
		{[]string{"check", "--jsno"}, "did you mean --json?"},
		{[]string{"check", "-json"}, "did you mean --json?"},
		{[]string{"check", "--no-cahce=1"}, "did you mean --no-cache?"},
		{[]string{"check", "-x"}, "unknown shorthand flag: 'x' in -x\n"},
		{[]string{"gte", "-A", "x"}, `Did you mean "get"?`},
		{[]string{"fetch"}, `Did you mean "get"?`},
		{[]string{"validate", "robots.txt"}, `Did you mean "lint"?`},
		{[]string{"cache", "lsit"}, `unexpected argument "lsit"`},
		{[]string{"completion", "tcsh"}, `unknown command "tcsh"`},
		{[]string{"identity", "1"}, `unexpected argument "1"`},
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

func TestStdoutFails(t *testing.T) {
	for arg, name := range map[string]string{"help": "polite help", "--version": "polite"} {
		var stderr bytes.Buffer
		assert.Equal(t, 1, runTo(t.Context(), []string{arg}, streams(nil, failingWriter{}, &stderr)))
		assert.Equal(t, name+": no space left on device\n", stderr.String())
	}
}
