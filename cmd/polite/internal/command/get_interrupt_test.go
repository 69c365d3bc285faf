package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// endsWith returns a page that is interrupted before it is answered.
func endsWith(cancel context.CancelCauseFunc) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		cancel(errors.New("enough"))
		<-r.Context().Done()
	}
}

// An interrupt is told in a line, however many URLs are left.
func TestGetInterruptedMany(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	s := newSite(t, origintest.Text(""), pages{"/b": endsWith(cancel)})
	list := s.URL + "/a\n" + s.URL + "/b\n" + strings.Repeat(s.URL+"/c\n", 98)
	for _, test := range []struct {
		args []string
		want string
	}{
		{hurried(t, append([]string{"get"}, strings.Fields(list)...)...), "polite get: 99 of 100 URLs were not fetched: enough"},
		{append([]string{"get", "--json"}, strings.Fields(list)...), `{"not_fetched":100,"urls":100,"error":"enough"}`},
	} {
		var stderr bytes.Buffer
		assert.Equal(t, 1, runTo(ctx, test.args, streams(nil, new(bytes.Buffer), &stderr)))
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		assert.LessOrEqual(t, len(lines), 3)
		assert.Equal(t, test.want, lines[len(lines)-1])
	}
	assert.Equal(t, []string{"/robots.txt", "/a", "/b"}, s.arrivals())
}

// What was ended by a signal has kept what it learnt, and tells what it has not done.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted by another")
	}
	for signal, name := range map[os.Signal]string{os.Interrupt: "interrupt", syscall.SIGTERM: "terminated"} {
		arrived := make(chan struct{})
		s := newSite(t, origintest.Text(""), pages{
			"/slow": func(_ http.ResponseWriter, r *http.Request) {
				close(arrived)
				<-r.Context().Done()
			},
		})
		cmd := process(t, hurried(t, "get", s.URL+"/slow", s.URL+"/b")...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		require.NoError(t, cmd.Start())
		<-arrived
		require.NoError(t, cmd.Process.Signal(signal))
		require.ErrorAs(t, cmd.Wait(), new(*exec.ExitError))

		assert.Equal(t, 1, cmd.ProcessState.ExitCode())
		assert.Empty(t, stdout.String())
		assert.Regexp(t, `^failed           \S+/slow  `+name+` signal received\npolite get: 2 of 2 URLs were not fetched: `+name+` signal received\n$`, stderr.String())
		assert.Equal(t, 0, runHurried(t, "get", s.URL+"/a").status)
		assert.Equal(t, []string{"/robots.txt", "/slow", "/a"}, s.arrivals())
	}
}

// A verb that ends with a summary sums up what it has done when it is interrupted, and tells how much that was.
func TestInterruptedSummary(t *testing.T) {
	for _, test := range []struct{ args, input, told, summary string }{
		{"check -f testdata/shop.txt --urls -", "/a\n", "allowed ", "1 allowed, 0 disallowed\npolite check: 1 checked: enough\n"},
		{"check -f testdata/shop.txt --urls - --json", "/a\n", "{", "polite check: 1 checked: enough\n"},
		{"check -f testdata/shop.txt --expect -", "/a GPTBot disallowed\n", "stdin:1: ", "1 of 1 verdicts are not as expected\npolite check: 1 checked: enough\n"},
		{"lint testdata/shop.txt -", "", "testdata/shop.txt:", "1 error, 0 warnings, 3 notes in 1 file\npolite lint: 1 of 2 done: enough\n"},
		{"records testdata/shop.txt -", "", "testdata/shop.txt", "polite records: 1 of 2 done: enough\n"},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		stdin, in := io.Pipe() // which nobody ends
		out, stdout := io.Pipe()
		go func() {
			go io.WriteString(in, test.input)
			line, _ := bufio.NewReader(out).ReadString('\n')
			assert.Contains(t, line, test.told)
			cancel(errors.New("enough"))
			io.Copy(io.Discard, out)
		}()
		var stderr bytes.Buffer
		assert.Equal(t, 1, runTo(ctx, strings.Fields(test.args), streams(stdin, stdout, &stderr)), test.args)
		assert.Equal(t, test.summary, stderr.String(), test.args)
		stdout.Close()
		in.Close()
	}
}

// Of a list that comes in, nobody knows how much is left.
func TestGetInterruptedList(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	s := newSite(t, origintest.Text(""), pages{"/b": endsWith(cancel)})
	r, w := io.Pipe()
	defer w.Close()
	go io.WriteString(w, s.URL+"/a\n"+s.URL+"/b\n")
	var stderr bytes.Buffer
	assert.Equal(t, 1, runTo(ctx, hurried(t, "get", "-"), streams(r, new(bytes.Buffer), &stderr)))
	assert.Contains(t, stderr.String(), "polite get: 1 of 2 URLs was not fetched, nor was the rest of standard input: enough\n")
}

// A sitemap that get reads is fetched under the name of -A, as its pages are.
func TestGetIndex(t *testing.T) {
	var agents []string
	s := newSite(t, origintest.Text(""), pages{
		"/s.xml": func(w http.ResponseWriter, r *http.Request) {
			agents = append(agents, r.UserAgent())
			io.WriteString(w, "<urlset><url><loc>http://"+r.Host+"/a</loc></url></urlset>")
		},
		"/a": origintest.Text("page a\n"),
	})
	index := "<sitemapindex><sitemap><loc>" + s.URL + "/s.xml</loc></sitemap></sitemapindex>"
	got := runWithInput(t, index, hurried(t, "get", "-A", "ExampleBot/1.0", "-")...)
	assert.Equal(t, 0, got.status, got.stderr)
	assert.Equal(t, "page a\n", got.stdout)
	assert.Equal(t, []string{"ExampleBot/1.0"}, agents)
	assert.Equal(t, []string{"/robots.txt", "/s.xml", "/a"}, s.arrivals(), "robots.txt is asked for once")
}
