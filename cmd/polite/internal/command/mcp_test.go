package command

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An agentProcess is a client of "polite mcp" that runs as a process of its own.
type agentProcess struct {
	*mcp.ClientSession
	kill func()
}

func newAgent(t *testing.T, args ...string) agentProcess {
	cmd := process(t, append([]string{"mcp"}, args...)...)
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { session.Close() })
	return agentProcess{session, func() { cmd.Process.Kill() }}
}

// fetch returns the text for a model, and whether it is that of a page.
func (a agentProcess) fetch(t *testing.T, url string) (text string, ok bool) {
	result, err := a.CallTool(context.Background(), &mcp.CallToolParams{Name: "fetch", Arguments: map[string]any{"url": url}})
	require.NoError(t, err)
	return result.Content[0].(*mcp.TextContent).Text, !result.IsError
}

// Three servers for agents on one machine keep one gap, and ask once for robots.txt. They go on
// when the one that has the file is killed.
func TestAgentsShareTurns(t *testing.T) {
	var mu sync.Mutex
	var times []time.Time
	s := newSite(t, origintest.Text("user-agent: *\ndisallow: /private"), pages{"/page": func(http.ResponseWriter, *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		times = append(times, time.Now())
	}})
	private := strings.TrimPrefix(s.URL[:strings.LastIndex(s.URL, ":")], "http://")
	var agents []agentProcess
	for range 3 {
		agents = append(agents, newAgent(t, "--private", private, "--max-wait", "60"))
	}
	fetchAll := func(agents []agentProcess) {
		var fetching sync.WaitGroup
		for _, a := range agents {
			for range 2 {
				fetching.Go(func() {
					text, ok := a.fetch(t, s.URL+"/page")
					assert.True(t, ok, text)
				})
			}
		}
		fetching.Wait()
	}
	began := time.Now()
	fetchAll(agents)
	agents[0].kill()
	fetchAll(agents[1:])
	text, ok := agents[2].fetch(t, s.URL+"/private")
	assert.False(t, ok)
	assert.Contains(t, text, "disallow: /private")

	assert.Equal(t, 1, strings.Count(strings.Join(s.arrivals(), "\n"), "robots.txt"))
	require.Len(t, times, 10)
	// A busy machine may note an arrival late, but none before it was written.
	assert.GreaterOrEqual(t, times[9].Sub(began), 9*time.Second)
}

// A page that its site says is fresh is fetched once, by whichever server, and one that may have
// changed is asked about.
func TestAgentsKeepPages(t *testing.T) {
	s := newSite(t, origintest.Text(""), pages{
		"/fresh": typedPage("max-age=600", ""),
		"/known": typedPage("no-cache", `"v1"`),
	})
	private := strings.TrimPrefix(s.URL[:strings.LastIndex(s.URL, ":")], "http://")
	for range 2 {
		a := newAgent(t, "--private", private)
		for _, path := range []string{"/fresh", "/known"} {
			text, ok := a.fetch(t, s.URL+path)
			assert.True(t, ok, text)
			assert.Contains(t, text, "the page")
		}
		a.Close()
	}
	assert.Equal(t, []string{"/robots.txt", "/fresh", "/known", "/known"}, s.arrivals())
}

// typedPage answers with a page, and a 304 to who has it.
func typedPage(control, tag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", control)
		w.Header().Set("Content-Type", "text/plain")
		if tag != "" {
			w.Header().Set("ETag", tag)
			if r.Header.Get("If-None-Match") == tag {
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
		w.Write([]byte("the page"))
	}
}

func TestMCPMisuse(t *testing.T) {
	for want, args := range map[string][]string{
		"--purpose":                         {"--purpose", "profit"},
		"--secret is for --listen":          {"--secret", "x"},
		"--listen takes an address":         {"--listen", "8931"},
		"write a number of requests":        {"--per-hour", "-1"},
		`"127.0.0.1:8080" is no host`:       {"--private", "127.0.0.1:8080"},
		`"http://intranet/" is no host`:     {"--private", "localhost,http://intranet/"},
		`unexpected argument "x"`:           {"x"},
		"it names no crawler":               {"-A", "(x)"},
		"must have one line of at least 16": {"--listen", "127.0.0.1:0", "--secret", os.DevNull},
	} {
		assertMisuse(t, "mcp", want, args...)
	}
}

// Over HTTP, who has the token is served.
func TestMCPListens(t *testing.T) {
	newCache(t)
	file := t.TempDir() + "/token"
	require.NoError(t, os.WriteFile(file, []byte("0123456789abcdef\n"), 0o600))
	at := listening(t, "--secret", file)
	for token, status := range map[string]int{"0123456789abcdef": 200, "0123456789abcdeX": 401} {
		const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(list))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		assert.Equal(t, status, resp.StatusCode)
	}
}

// listening runs "polite mcp" over HTTP, and returns its URL.
func listening(t *testing.T, args ...string) string {
	cmd := process(t, append([]string{"mcp", "--listen", "127.0.0.1:0"}, args...)...)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Wait()
		assert.Zero(t, cmd.ProcessState.ExitCode())
	})
	var at string
	_, err = fmt.Fscanln(out, &at)
	require.NoError(t, err)
	return at
}

// A line that is no message is answered with an error, and the server goes on.
func TestMCPGoesOn(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":"last","method":"ping"}`
	begin := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	}
	for line, want := range map[string]string{
		`{"jsonrpc":`:                            `"id":null,"error":{"code":-32700,`,
		"\xff\x00":                               `"id":null,"error":{"code":-32700,`,
		ping + ping:                              `"id":null,"error":{"code":-32700,`,
		`[` + ping + `]`:                         `"id":null,"error":{"code":-32600,`,
		`[]`:                                     `"id":null,"error":{"code":-32600,`,
		`3`:                                      `"id":null,"error":{"code":-32600,`,
		`{"id":7,"method":"ping"}`:               `"id":7,"error":{"code":-32600,`,
		`{"jsonrpc":"1.0","id":"a\"b"}`:          `"id":"a\"b","error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":{},"method":"a"}`: `"id":null,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:                   `"id":1.5,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":-9007199254740993,"method":"ping"}`:     `"id":-9007199254740993,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":123456789012345678901,"method":"ping"}`: `"id":123456789012345678901,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":-9007199254740992,"method":"ping"}`:     `"id":-9007199254740992,"result":{}`,
		`{"jsonrpc":"2.0","id":7,"method":1}`:                          `"id":7,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":7,"method":"no"}`:                       `"id":7,"error":{"code":-3260`,
		`"` + strings.Repeat("a", 3<<20) + `"`:                         `"id":null,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":99,"result":{}}`:                        "",
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                         "",
		" ":                                                            "",
	} {
		name := line[:min(len(line), 50)]
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		ended := make(chan int, 1)
		go func() {
			status := runTo(t.Context(), []string{"mcp"}, streams(in, out, io.Discard))
			in.Close()
			out.Close() // so that who waits for an answer learns of the end
			ended <- status
		}()
		lines := bufio.NewScanner(fromServer)
		lines.Buffer(nil, 1<<20)
		say := func(line string) { io.WriteString(toServer, line+"\n") }
		hear := func() string {
			require.True(t, lines.Scan(), "%s: the server has ended", name)
			return lines.Text()
		}
		say(begin[0])
		hear()
		say(begin[1])
		say(line)
		if want != "" {
			assert.Contains(t, hear(), want, name)
		}
		say(ping)
		assert.Contains(t, hear(), `"id":"last","result":`, name)
		toServer.Close()
		assert.Equal(t, 0, <-ended, name)
	}
}

// If no answer can be written, the server fails, also while its client waits.
func TestMCPStdoutFails(t *testing.T) {
	in, toServer := io.Pipe()
	defer toServer.Close()
	go io.WriteString(toServer, "nonsense\n")
	var stderr bytes.Buffer
	assert.Equal(t, 1, runTo(t.Context(), []string{"mcp"}, streams(in, failingWriter{}, &stderr)))
	assert.Equal(t, "polite mcp: no space left on device\n", stderr.String())
}
