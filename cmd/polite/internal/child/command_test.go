package child

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asRunner is a line of shell that the test binary is to run behind a proxy.
const asRunner = "POLITE_TEST_LINE"

// asCounter makes the test binary a command that tells each SIGINT, until SIGTERM.
const asCounter = "POLITE_TEST_COUNTER"

func TestMain(m *testing.M) {
	Enter()
	if os.Getenv(asCounter) != "" && os.Getenv(asRunner) == "" {
		count()
		os.Exit(9)
	}
	if line := os.Getenv(asRunner); line != "" {
		os.Exit(runner(line))
	}
	os.Exit(m.Run())
}

// count tells each SIGINT, until SIGTERM.
func count() {
	caught := make(chan os.Signal, 16)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM)
	fmt.Println("ready")
	for one := range caught {
		if one == syscall.SIGTERM {
			return
		}
		fmt.Println("INT")
	}
}

// runner runs a line of shell behind a proxy, and returns its exit status.
func runner(line string) int {
	c := shell(line)
	c.Environ, c.In, c.Out, c.Err = os.Environ(), os.Stdin, os.Stdout, os.Stderr
	if os.Getenv("POLITE_TEST_ISOLATE") != "" {
		c.Isolate = Always
	}
	c.Open = (&recorder{over: func(func()) {}}).open
	status, err := c.Run()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	return status
}

// A recorder is a proxy that answers all with a text, and keeps what it is asked for.
type recorder struct {
	ca    []byte
	over  func(func()) // has a function called when the proxy is no longer needed
	mu    sync.Mutex
	asked []string
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, req.URL.String())
	w.Write([]byte("through the proxy\n"))
}

// open opens the proxy.
func (r *recorder) open(l net.Listener, _ bool) (Gate, error) {
	go http.Serve(l, r)
	r.over(func() { l.Close() })
	return Gate{URL: &url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/"}, CA: r.ca}, nil
}

// testGate returns a proxy that is not there.
func testGate(ca []byte) Gate {
	return Gate{URL: &url.URL{Scheme: "http", Host: "127.0.0.1:3128", Path: "/"}, CA: ca}
}

// A result is what a command left behind.
type result struct {
	status   int
	out, err string
}

// run runs a command behind a recorder.
func run(t *testing.T, c Command) (result, *recorder, error) {
	r := recorder{ca: newCA(t, "proxy"), over: t.Cleanup}
	var stdout, stderr bytes.Buffer
	if c.Environ == nil {
		c.Environ = os.Environ()
	}
	c.In, c.Out, c.Err, c.Open = strings.NewReader("input\n"), &stdout, &stderr, r.open
	status, err := c.Run()
	return result{status, stdout.String(), stderr.String()}, &r, err
}

// shell returns a command that a shell runs.
func shell(line string) Command {
	return Command{Args: []string{"/bin/sh", "-c", line}, Isolate: Never}
}

// A command has the streams, and its exit status is that of Run, as a shell has it.
func TestRun(t *testing.T) {
	for line, want := range map[string]result{
		"true":                            {0, "", ""},
		"cat; echo oh >&2; exit 7":        {7, "input\n", "oh\n"},
		"kill -TERM $$":                   {143, "", ""},
		"kill -KILL $$":                   {137, "", ""},
		"kill -PIPE $$":                   {141, "", ""},
		"trap 'exit 5' TERM; kill $$":     {5, "", ""},
		"echo \"$http_proxy\" | cut -c-7": {0, "http://\n", ""},
	} {
		got, _, err := run(t, shell(line))
		require.NoError(t, err, line)
		assert.Equal(t, want, got, line)
	}
}

func TestRunDoesNotStart(t *testing.T) {
	folder := t.TempDir()
	file := folder + "/a-letter"
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o600))
	nonsense := folder + "/nonsense"
	require.NoError(t, os.WriteFile(nonsense, []byte("\x7fELF"), 0o700))
	for _, test := range []struct {
		name   string
		status int
		want   string
	}{
		{"no-such-command", 127, "no-such-command: there is no such command"},
		{folder + "/none", 127, folder + "/none: there is no such file"},
		{file + "/none", 126, "not a directory"},
		{folder, 126, folder + " is a folder"},
		{file, 126, file + " is not executable: chmod +x makes it so"},
		{"a-letter", 126, "./a-letter is not executable: chmod +x makes it so"},
		{nonsense, 126, "exec format error"},
	} {
		t.Chdir(folder)
		_, _, err := run(t, Command{Args: []string{test.name}, Environ: []string{"PATH=:/usr/bin:/bin"}})
		require.ErrorContains(t, err, test.want)
		var start *StartError
		require.ErrorAs(t, err, &start)
		assert.Equal(t, test.status, start.Status, test.name)
	}
}

// The temporary folder is for the user alone, and gone when the command has ended.
func TestRunLeavesNothing(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	got, _, err := run(t, shell(`stat -c %a "$(dirname "$SSL_CERT_FILE")"; ls "$TMPDIR" | wc -l; kill -KILL $$`))
	require.NoError(t, err)
	assert.Equal(t, result{137, "700\n1\n", ""}, got)
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	assert.Empty(t, left)

	t.Setenv("TMPDIR", temporary+"/none")
	_, _, err = run(t, shell("true"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
