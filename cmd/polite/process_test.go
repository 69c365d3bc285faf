package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runProcess runs the command as a process of its own.
func runProcess(t *testing.T, stdin io.Reader, args ...string) (result, *os.ProcessState) {
	cmd := process(t, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		require.ErrorAs(t, err, new(*exec.ExitError))
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}, cmd.ProcessState
}

// reading are the commands that read a file, which comes last.
var reading = [][]string{
	{"lint"}, {"lint", "--json"}, {"lint", "--sarif"},
	{"records"}, {"records", "--json"}, {"sitemaps"}, {"sitemaps", "--json"},
	{"check", "/x", "-f"}, {"check", "/x", "--json", "-f"}, {"check", "/x", "/y", "-f"},
}

func withFile(args []string, name string) []string { return append(args[:len(args):len(args)], name) }

// What cannot be read is told in a line that names it.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(secret, nil, 0))
	names := map[string]string{
		dir:                          "is a directory",
		filepath.Join(dir, "none"):   "no such file or directory",
		filepath.Join(dir, "a.site"): "for the robots.txt of a site, write its URL",
	}
	if _, err := os.ReadFile(secret); err != nil { // root reads everything
		names[secret] = "permission denied"
	}
	for name, want := range names {
		for _, args := range reading {
			got := runCommand(t, withFile(args, name)...)
			assert.Equal(t, 4, got.status, args)
			line, _, _ := strings.Cut(got.stderr, "\n")
			assert.True(t, strings.HasPrefix(line, "polite "+args[0]+": "), line)
			assert.Contains(t, line, name)
			assert.Contains(t, line, want)
		}
	}
}

// A site without a robots.txt, or one that fails, has none to read.
func TestNoRobotsTxt(t *testing.T) {
	for code, want := range map[int]string{404: "answered 404 Not Found", 500: "answered 500 Internal Server Error"} {
		s := newSite(t, status(code), nil)
		for _, command := range []string{"lint", "records", "sitemaps"} {
			got := runCommand(t, command, s.URL+"/some/page")
			assert.Equal(t, 4, got.status)
			line, _, _ := strings.Cut(got.stderr, "\n")
			assert.Equal(t, "polite "+command+": "+s.URL+"/robots.txt "+want, line)
		}
	}
}

func TestReadOneMisuse(t *testing.T) {
	for _, command := range []string{"records", "sitemaps"} {
		assertMisuse(t, command, "of which robots.txt?")
		assertMisuse(t, command, `unexpected argument "b"`, "a", "b")
		assertMisuse(t, command, "begins with https:// or http://", "ftp://example.com/")
		assertMisuse(t, command, "no host", "http:///robots.txt")
		assertMisuse(t, command, "-x", "-x")
	}
}

// When nobody reads any more, as after head, the commands end without a word.
func TestQuietWhenClosed(t *testing.T) {
	for _, args := range append(reading, []string{"check", "-A", "a", "-A", "b", "/x", "-f"}) {
		reader, writer, err := os.Pipe()
		require.NoError(t, err)
		reader.Close()
		cmd := process(t, withFile(args, "testdata/shop.txt")...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = writer, &stderr
		err = cmd.Run()
		writer.Close()
		if args[0] == "lint" && err == nil {
			continue // has found nothing to write
		}
		require.ErrorAs(t, err, new(*exec.ExitError), args)
		assert.Equal(t, 1, cmd.ProcessState.ExitCode(), args)
		assert.Empty(t, stderr.String(), args)
	}
}

// Verdicts come while URLs do, and the command ends when its reader does.
func TestCheckStream(t *testing.T) {
	cmd := process(t, "check", "-f", "testdata/shop.txt")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())

	lines := bufio.NewReader(stdout)
	for range 3 {
		io.WriteString(stdin, "/private\n")
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(line, "disallowed "), line)
	}
	stdout.Close()
	io.WriteString(stdin, "/private\n")
	require.ErrorAs(t, cmd.Wait(), new(*exec.ExitError))
	assert.Equal(t, 1, cmd.ProcessState.ExitCode())
	assert.Empty(t, stderr.String())
}

func TestCheckLongLines(t *testing.T) {
	long := "/" + strings.Repeat("x", 1<<18)
	got := runWithInput(t, long+"\n/private\n", "check", "-f", "testdata/shop.txt")
	assert.Equal(t, 3, got.status)
	assert.True(t, strings.HasPrefix(got.stdout, "allowed      "+long), "a long URL is shown as it is")

	got = runWithInput(t, "/a\n"+strings.Repeat("x", 1<<21), "check", "-f", "testdata/shop.txt")
	assert.Equal(t, 1, got.status)
	assert.Equal(t, 2, strings.Count(got.stdout, "\n"))
	assert.Contains(t, got.stdout, "failed       standard input  a line is longer than any URL\n")
}

// A file is judged without network: not even a name is looked up.
func TestCheckFileAsksNobody(t *testing.T) {
	proxy := newSite(t, text(""), nil)
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("NO_PROXY", "")
	got, _ := runProcess(t, nil, "check", "-f", "testdata/shop.txt", "http://a.example/private", "http://b.example/")
	assert.Equal(t, 3, got.status)
	assert.Empty(t, proxy.arrivals())

	got, _ = runProcess(t, nil, "check", "http://a.example/private")
	assert.Equal(t, 0, got.status)
	assert.Len(t, proxy.arrivals(), 1, "while without a file it goes there")
}

func TestTapKeepsWithinBounds(t *testing.T) {
	full := &tap{size: maxTapped - 10*tappedSize("0", newText(nil))}
	for i := range 100 {
		full.keep(fmt.Sprint(i), nil)
	}
	assert.LessOrEqual(t, len(full.urls), 10, "an empty file takes memory too")

	tap := new(tap)
	for _, name := range []string{"a", "b", "a", "c", "b"} {
		tap.keep(name, make([]byte, maxTapped/10-1000))
	}
	assert.Nil(t, tap.text("a"))
	assert.NotNil(t, tap.text("c"))
	assert.LessOrEqual(t, tap.size, maxTapped)
	assert.Len(t, tap.texts, len(tap.urls))
}

func TestFileIsOfEverySite(t *testing.T) {
	for _, url := range []string{"http://a.example/robots.txt", "https://b.example/robots.txt"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		require.NoError(t, err)
		resp, err := file("user-agent: *\n").RoundTrip(req)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, "user-agent: *\n", string(body))
		assert.Equal(t, int64(len(body)), resp.ContentLength)
		assert.LessOrEqual(t, len(body), robots.MaxSize)
	}
}
