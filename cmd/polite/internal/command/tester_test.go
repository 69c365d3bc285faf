package command

import (
	"bytes"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startTester starts the tester in this process. It returns its link, and a function that
// ends it as Ctrl-C does, and returns what it did.
func startTester(t *testing.T, args ...string) (link string, end func() result) {
	return startServing(t, append([]string{"tester", "--no-cache"}, args...)...)
}

// askTester asks the tester as its page does.
func askTester(t *testing.T, link, name string, parts map[string]string) string {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for name, text := range parts {
		require.NoError(t, form.WriteField(name, text))
	}
	require.NoError(t, form.Close())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, link+"api/"+name, &b)
	require.NoError(t, err)
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Origin", "http://"+req.Host)
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, 200, resp.StatusCode, "%s", body)
	return string(body)
}

// The page begins with what the arguments say.
func TestTesterBegins(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a b.txt")
	require.NoError(t, os.WriteFile(file, []byte("user-agent: *\n"), 0o600))
	for _, test := range []struct {
		args []string
		want string // of the answer to start
	}{
		{nil, `"agent":"","text":null,"name":"","urls":[],"state":""`},
		{[]string{"-A", "Mozilla/5.0 (compatible; GPTBot/1.2)"}, `"agent":"Mozilla/5.0 (compatible; GPTBot/1.2)"`},
		{[]string{"-f", file, "/a", "https://a.example/"}, `"text":"dXNlci1hZ2VudDogKgo=","name":"` + file + `","urls":["/a","https://a.example/"]`},
		{[]string{file}, `"text":"dXNlci1hZ2VudDogKgo="`},
		{[]string{"-"}, `"text":"","name":"stdin"`},
		{[]string{"http://evil.example:1/" + strings.Repeat("aZ_-", 8) + "/#abc_-"}, `"urls":[],"state":"abc_-"`},
		{[]string{"https://a.example/page#part"}, `"urls":["https://a.example/page#part"],"state":""`},
	} {
		link, end := startTester(t, append(test.args, "--no-open")...)
		assert.Contains(t, askTester(t, link, "start", map[string]string{"request": "{}"}), test.want, "%v", test.args)
		assert.Equal(t, result{0, link + "\n", "polite tester: serves this link until Ctrl-C\n"}, end(), "%v", test.args)
	}
}

func TestTesterMisuse(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--listen", "8000"}, "write an address and a port of this machine"},
		{[]string{"--listen", ":8000"}, "the page is for nobody else"},
		{[]string{"--listen", "192.0.2.1:8000"}, "the page is for nobody else"},
		{[]string{"-A", ""}, "it names no crawler"},
		{[]string{"-f", "https://a.example/"}, "-f takes a file: load the robots.txt of a site on the page"},
		{[]string{"a.txt", "b.txt"}, `"b.txt": one file at a time`},
		{[]string{"https://a.example:x/"}, "is no URL"},
		{[]string{"http://a/" + strings.Repeat("a", 32) + "/#x", "http://b/" + strings.Repeat("b", 32) + "/#y"}, "two links: open them one by one"},
		{[]string{"--opn"}, "unknown flag: --opn"},
	} {
		assertMisuse(t, "tester", test.want, test.args...)
	}
}

// What keeps the tester from serving is told, and the link of nothing is not.
func TestTesterFails(t *testing.T) {
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	at := taken.Addr().String()
	got := runCommand(t, "tester", "--no-open", "--listen", at)
	assert.Equal(t, result{1, "", "polite tester: " + at + " is taken: choose another address by --listen\n"}, got)

	got = runCommand(t, "tester", "--no-open", "testdata/none.txt")
	assert.Equal(t, result{4, "", "polite tester: open testdata/none.txt: no such file or directory (for the robots.txt of a site, write its URL, as in https://example.com/)\n"}, got)

	var stderr bytes.Buffer
	assert.Equal(t, 1, runTo(t.Context(), []string{"tester", "--no-open"}, streams(nil, failingWriter{}, &stderr)))
	assert.Equal(t, "polite tester: no space left on device\n", stderr.String())
}
