package command

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asProgram makes the test binary a program that fetches its arguments.
const asProgram = "POLITE_TEST_AS_PROGRAM"

// fetchAll fetches pages, and prints what it gets. It returns the exit status: how many were
// not OK.
func fetchAll(urls []string) (status int) {
	for _, url := range urls {
		resp, err := http.Get(url)
		if err != nil {
			fmt.Println(err)
			return 99
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Printf("%d %s %q\n", resp.StatusCode, resp.Header.Get("Polite-Refused"), firstLine(string(body)))
		if resp.StatusCode != http.StatusOK {
			status++
		}
	}
	return status
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// newWeb returns a server that is every host: what sends the requests goes through it, as
// through the proxy of a user.
func newWeb(t *testing.T) *origintest.Server {
	newCache(t)
	web := origintest.New(t)
	for _, name := range []string{"http_proxy", "https_proxy", "no_proxy", "all_proxy", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"} {
		t.Setenv(name, "")
	}
	t.Setenv("HTTP_PROXY", "http://"+web.Address())
	return web
}

// runFetching runs the program behind polite.
func runFetching(t *testing.T, flags []string, urls ...string) result {
	self, err := os.Executable()
	require.NoError(t, err)
	line := append(append([]string{"run", "-A", "ExampleBot/1.0"}, flags...), "--", self)
	t.Setenv(asProgram, "1")
	return runCommand(t, append(line, urls...)...)
}

// A program that knows nothing of robots.txt keeps to it, and what it cannot have is told.
func TestRunObeys(t *testing.T) {
	web := newWeb(t)
	web.Robots("shop.test", origintest.Text("# a shop\nuser-agent: *\ndisallow: /private\n"))
	got := runFetching(t, nil, "http://shop.test/a", "http://shop.test/private", "http://shop.test/robots.txt")
	assert.Equal(t, 1, got.status, "that of the program")
	lines := strings.Split(got.stdout, "\n")
	assert.Equal(t, `200  "a page"`, lines[0])
	assert.True(t, strings.HasPrefix(lines[1], "403 disallowed "), lines[1])
	assert.Equal(t, `200  "# a shop"`, lines[2])
	assert.Equal(t, "polite run: 1 sent, 1 refused (disallowed)\n", got.stderr)
	log := web.Log()
	require.Len(t, log, 2, "%v", log)
	assert.Contains(t, log[0].URI, "/robots.txt")
	assert.Contains(t, log[1].URI, "/a")
	for _, a := range log {
		assert.Equal(t, []string{"ExampleBot/1.0"}, a.Header["User-Agent"])
	}
}

// What is learnt of a site is kept from run to run with --cache.
func TestRunKeeps(t *testing.T) {
	web := newWeb(t)
	for _, flag := range []string{"--cache", "--cache", "-q"} {
		assert.Equal(t, "200  \"a page\"\n", runFetching(t, []string{flag}, "http://shop.test/a").stdout)
	}
	assert.Len(t, web.Log(), 5, "three pages, and robots.txt twice: %v", web.Log())
}

// A proxy that polite would go past is told of, and nothing is run.
func TestRunAllProxy(t *testing.T) {
	newWeb(t)
	t.Setenv("all_proxy", "socks5://127.0.0.1:1")
	got := runCommand(t, "run", "-A", "ExampleBot", "echo", "it runs")
	assert.Equal(t, result{1, "", "polite run: polite does not go through the proxy of ALL_PROXY: set HTTP_PROXY and HTTPS_PROXY to it, or take ALL_PROXY out\n"}, got)
}

// A command has the signals as a shell gives them to it, and its network can be a room.
func TestRunProcess(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	got := runProcess(t, nil, "run", "-qA", "ExampleBot", "--", sh, "-c", "kill -PIPE $$")
	assert.Equal(t, result{128 + 13, "", ""}, got)
	got = runProcess(t, strings.NewReader("read\n"), "run", "-A", "ExampleBot", "--isolate", "--", sh, "-c", "cat; exit 5")
	if strings.Contains(got.stderr, "this system") || strings.Contains(got.stderr, "Linux alone") {
		t.Skip(got.stderr)
	}
	assert.Equal(t, result{5, "read\n", noneSent}, got)
	got = runProcess(t, nil, "run", "-A", "ExampleBot", sh, "-c", "exit 0")
	assert.Equal(t, result{0, "", noneSent}, got, "nothing can have gone past polite")
	got = runProcess(t, nil, "run", "-qA", "ExampleBot", "--isolate=false", sh, "-c", "exit 5")
	assert.Equal(t, result{5, "", ""}, got, "the status of a command that failed says enough")
}

const noneSent = "polite run: nothing sent: the command asks for nothing, for localhost alone, or ignores proxies, as Node.js before 22.21 does; it has no other way out, nor servers of this machine: --isolate=false gives it both\n"
