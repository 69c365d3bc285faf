package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGet checks everything that the command leaves behind for one URL: SITE
// stands for http://127.0.0.1:PORT, HOST for 127.0.0.1:PORT, BABBLE for babbled.
func TestGet(t *testing.T) {
	for _, test := range []struct {
		name     string
		args     []string
		site     func(*testing.T) site
		status   int
		stdout   string
		stderr   string
		arrivals []string
	}{
		{
			name: "no rule matches", args: []string{"SITE/a"}, site: shopSite,
			status: 0, stdout: "page a\n",
			stderr:   `allowed     200  SITE/a  (no rule of group "*" matches)`,
			arrivals: []string{"/robots.txt", "/a"},
		},
		{
			name: "allowed by a rule", args: []string{"SITE/private/press"}, site: shopSite,
			status: 0, stdout: "press\n",
			stderr:   `allowed     200  SITE/private/press  (line 3: allow: /private/press)`,
			arrivals: []string{"/robots.txt", "/private/press"},
		},
		{
			name: "disallowed", args: []string{"SITE/private/x"}, site: shopSite,
			status:   3,
			stderr:   `disallowed       SITE/private/x  by "disallow: /private", line 2 of SITE/robots.txt (group "*")`,
			arrivals: []string{"/robots.txt"},
		},
		{
			name: "by the group of -A", args: []string{"-A", "OtherBot/1.0", "SITE/a"}, site: shopSite,
			status:   3,
			stderr:   `disallowed       SITE/a  by "disallow: /", line 6 of SITE/robots.txt (group "OtherBot")`,
			arrivals: []string{"/robots.txt"},
		},
		{
			name: "robots.txt itself", args: []string{"SITE/robots.txt"}, site: shopSite,
			status: 0, stdout: rules,
			stderr:   `allowed     200  SITE/robots.txt  (robots.txt is always allowed)`,
			arrivals: []string{"/robots.txt"},
		},
		{
			name: "an error page is a page", args: []string{"SITE/nowhere"}, site: shopSite,
			status: 0, stdout: "404 page not found\n",
			stderr:   `allowed     404  SITE/nowhere  (no rule of group "*" matches)`,
			arrivals: []string{"/robots.txt", "/nowhere"},
		},
		{
			name: "a password is not shown", args: []string{"http://user:secret@HOST/a"}, site: shopSite,
			status: 0, stdout: "page a\n",
			stderr:   `allowed     200  http://user:xxxxx@HOST/a  (no rule of group "*" matches)`,
			arrivals: []string{"/robots.txt", "/a"},
		},
		{
			name: "redirect", args: []string{"SITE/old"}, site: shopSite,
			status: 0, stdout: "page a\n",
			stderr: `allowed     302  SITE/old  (no rule of group "*" matches)` + "\n" +
				`allowed     200  SITE/a  (no rule of group "*" matches), hop 2 from SITE/old`,
			arrivals: []string{"/robots.txt", "/old", "/a"},
		},
		{
			name: "redirect into a disallowed path", args: []string{"SITE/trap"}, site: shopSite,
			status: 3,
			stderr: `allowed     302  SITE/trap  (no rule of group "*" matches)` + "\n" +
				`allowed     302  SITE/step  (no rule of group "*" matches), hop 2 from SITE/trap` + "\n" +
				`disallowed       SITE/private/x  by "disallow: /private", line 2 of SITE/robots.txt (group "*"), hop 3 from SITE/step`,
			arrivals: []string{"/robots.txt", "/trap", "/step"},
		},
		{
			name: "redirect to another scheme", args: []string{"SITE/ftp"}, site: shopSite,
			status: 1,
			stderr: `allowed     302  SITE/ftp  (no rule of group "*" matches)` + "\n" +
				`failed           ftp://example.com/  unsupported protocol scheme "ftp", hop 2 from SITE/ftp`,
			arrivals: []string{"/robots.txt", "/ftp"},
		},
		{
			name: "redirect to a URL of no use", args: []string{"SITE/port"}, site: shopSite,
			status: 1,
			stderr: `allowed     302  SITE/port  (no rule of group "*" matches)` + "\n" +
				`failed           http://example.com:99999/  port 99999 of the URL is not between 0 and 65535, hop 2 from SITE/port`,
			arrivals: []string{"/robots.txt", "/port"},
		},
		{
			name: "a page cut short", args: []string{"SITE/cut"}, site: shopSite,
			status: 1, stdout: "half\n",
			stderr:   `failed      200  SITE/cut  the page was cut short`,
			arrivals: []string{"/robots.txt", "/cut"},
		},
		{
			name: "no HTTP", args: []string{"SITE/babble"}, site: shopSite,
			status:   1,
			stderr:   `failed           SITE/babble  BABBLE`,
			arrivals: []string{"/robots.txt", "/babble"},
		},
		{
			name: "robots.txt is down", args: []string{"--no-cache", "SITE/a"}, site: downSite,
			status:   4,
			stderr:   `unreachable      SITE/a  because SITE/robots.txt answered 500 Internal Server Error`,
			arrivals: []string{"/robots.txt"},
		},
		{
			name: "no robots.txt", args: []string{"SITE/a"},
			site: func(t *testing.T) site {
				return newSite(t, http.NotFound, pages{"/a": origintest.Text("page\n")})
			},
			status: 0, stdout: "page\n",
			stderr:   `allowed     200  SITE/a  (robots.txt answered 404 Not Found)`,
			arrivals: []string{"/robots.txt", "/a"},
		},
		{
			name: "no group for us", args: []string{"SITE/a"},
			site: func(t *testing.T) site {
				return newSite(t, origintest.Text("user-agent: x\ndisallow: /"), pages{"/a": origintest.Text("page\n")})
			},
			status: 0, stdout: "page\n",
			stderr:   `allowed     200  SITE/a  (robots.txt has no group for polite)`,
			arrivals: []string{"/robots.txt", "/a"},
		},
		{
			name: "standard output by its other name", args: []string{"-o", "-", "SITE/a"}, site: shopSite,
			status: 0, stdout: "page a\n",
			stderr:   `allowed     200  SITE/a  (no rule of group "*" matches)`,
			arrivals: []string{"/robots.txt", "/a"},
		},
		{
			name: "several URLs", args: []string{"SITE/a", "SITE/private/x", "SITE/babble", "SITE/b"}, site: shopSite,
			status: 3, stdout: "page a\npage b\n",
			stderr: `allowed     200  SITE/a  (no rule of group "*" matches)` + "\n" +
				`disallowed       SITE/private/x  by "disallow: /private", line 2 of SITE/robots.txt (group "*")` + "\n" +
				`failed           SITE/babble  BABBLE` + "\n" +
				`allowed     200  SITE/b  (no rule of group "*" matches)` + "\n" +
				`polite get: 2 of 4 URLs were not fetched`,
			arrivals: []string{"/robots.txt", "/a", "/babble", "/b"},
		},
		{
			name: "the first failure counts", args: []string{"SITE/babble", "SITE/private/x"}, site: shopSite,
			status: 1,
			stderr: `failed           SITE/babble  BABBLE` + "\n" +
				`disallowed       SITE/private/x  by "disallow: /private", line 2 of SITE/robots.txt (group "*")` + "\n" +
				`polite get: 2 of 2 URLs were not fetched`,
			arrivals: []string{"/robots.txt", "/babble"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := test.site(t)
			fill := strings.NewReplacer("SITE", s.URL, "HOST", strings.TrimPrefix(s.URL, "http://"), "BABBLE", babbled)
			args := []string{"get"}
			for _, arg := range test.args {
				args = append(args, fill.Replace(arg))
			}
			got := runHurried(t, args...)
			assert.Equal(t, result{test.status, test.stdout, fill.Replace(test.stderr) + "\n"}, got)
			assert.Equal(t, test.arrivals, s.arrivals())
		})
	}
}

func TestGetMisuse(t *testing.T) {
	s := shopSite(t)
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"no URL", nil, "which URL?"},
		{"no scheme", []string{"example.com/a"}, "as in https://example.com/a"},
		{"no scheme, with port", []string{"example.com:8080/a"}, "as in https://example.com:8080/a"},
		{"no scheme, on this machine", []string{"localhost:8080/a"}, "as in http://localhost:8080/a"},
		{"no scheme, an address of this machine", []string{"127.0.0.1:8080"}, "as in http://127.0.0.1:8080"},
		{"no scheme, the other address of this machine", []string{"[::1]:8080"}, "as in http://[::1]:8080"},
		{"standard input and more", []string{"-", s.URL + "/a"}, `"-" or URLs?`},
		{"a list of URLs", []string{slips}, "to read URLs from it, write: polite get - < testdata/slips.txt"},
		{"--skip without -O", []string{"--skip", "-o", "x", s.URL + "/a"}, "--skip is for -O"},
		{"-o and -O", []string{"-O", "-o", "x", s.URL + "/a"}, "--output and --remote-name do not"},
		{"no time", []string{"--max-time", "soon", s.URL + "/a"}, "flag: write seconds"},
		{"no time at all", []string{"--max-time", "0", s.URL + "/a"}, "flag: write seconds"},
		{"another User-Agent", []string{"-H", "user-agent: Mozilla/5.0", s.URL + "/a"}, "-H: write the User-Agent with -A"},
		{"another host", []string{"-H", "Host: b.example", s.URL + "/a"}, "-H: write the host in the URL"},
		{"the connection", []string{"-H", "Transfer-Encoding: chunked", s.URL + "/a"}, "-H: polite sets Transfer-Encoding itself"},
		{"a header without a name", []string{"-H", "secret", s.URL + "/a"}, `polite get: -H takes a name and a value, as in "Accept-Language: de"` + "\n"},
		{"two headers in one", []string{"-H", "X-Key: secret\r\nUser-Agent: b", s.URL + "/a"}, "polite get: -H: the value of X-Key has a control character\n"},
		{"a path", []string{"/a"}, "as in https://example.com/\n"},
		{"nothing", []string{""}, "as in https://example.com/\n"},
		{"a file", []string{"file:///etc/hosts"}, "begins with https:// or http://"},
		{"ftp", []string{"ftp://example.com/"}, "begins with https:// or http://"},
		{"no host", []string{"http:///a"}, "no host"},
		{"bad host", []string{"http://exam ple.com/"}, "invalid character"},
		{"bad port", []string{"http://example.com:99999/"}, "port 99999"},
		{"bad escape", []string{"http://exa%zzmple.com/"}, "%zz"},
		{"good and bad URLs", []string{s.URL + "/a", "example.com"}, "as in https://example.com"},
		{"empty -A", []string{"-A", "", s.URL + "/a"}, `flag: it is empty: write who you are, as in "ExampleBot`},
		{"bad -A", []string{"-A", "(bot)", s.URL + "/a"}, "names no crawler"},
		{"-A with a line end", []string{"-A", "Bot\r\nX: y", s.URL + "/a"}, "control character"},
		{"-A without value", []string{s.URL + "/a", "-A"}, "-A"},
		{"unknown flag", []string{"-L", s.URL + "/a"}, "-L"},
		{"unknown flag, a word", []string{"-agent", "Bot", s.URL + "/a"}, "did you mean --agent?\n"},
		{"--refresh without a cache", []string{"--refresh", "--no-cache", s.URL + "/a"}, "--no-cache and --refresh do not"},
		{"unknown flag, at the end", []string{s.URL + "/a", "-L"}, "-L"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := runCommand(t, append([]string{"get"}, test.args...)...)
			assert.Equal(t, 2, got.status)
			assert.Empty(t, got.stdout)
			assert.True(t, strings.HasPrefix(got.stderr, "polite get: "), got.stderr)
			assert.Contains(t, got.stderr, test.want)
			assert.True(t, strings.HasSuffix(got.stderr, "\n\"polite help get\" tells how to use it.\n"), got.stderr)
		})
	}
	assert.Empty(t, s.arrivals())
}

func TestGetUserAgent(t *testing.T) {
	var sent []string
	site := newSite(t, origintest.Text(""), pages{
		"/a": func(_ http.ResponseWriter, r *http.Request) { sent = append(sent, r.UserAgent()) },
	})
	runHurried(t, "get", site.URL+"/a")
	runHurried(t, "get", site.URL+"/a", "-A", "ExampleBot/1.0")
	assert.Equal(t, []string{verb.UserAgent(), "ExampleBot/1.0"}, sent)
}

func TestGetTooManyRedirects(t *testing.T) {
	s := shopSite(t)
	got := runHurried(t, "get", s.URL+"/loop")
	assert.Equal(t, 1, got.status)
	lines := strings.Split(strings.TrimSpace(got.stderr), "\n")
	assert.Len(t, lines, 10)
	assert.Equal(t, "failed      302  "+s.URL+"/loop  stopped after 10 redirects, hop 10 from "+s.URL+"/loop", lines[9])
}

func TestGetNobodyListens(t *testing.T) {
	url := deserted(t)
	got := runCommand(t, "get", url+"/a")
	assert.Equal(t, 4, got.status)
	assert.Contains(t, got.stderr, "unreachable      "+url+"/a  because "+url+"/robots.txt could not be fetched: ")
}

func TestGetOutput(t *testing.T) {
	for _, test := range []struct {
		name   string
		before string   // what the file holds; "" for no file
		paths  []string // what is asked for
		status int
		want   string // what the file holds; "" for no file, or an empty one
		exists bool
	}{
		{"a page", "", []string{"/a"}, 0, "page a\n", true},
		{"a page in place of another", "a page that is longer\n", []string{"/a"}, 0, "page a\n", true},
		{"pages, one after another", "", []string{"/a", "/private/x", "/b"}, 3, "page a\npage b\n", true},
		{"an empty page", "", []string{"/empty"}, 0, "", true},
		{"an empty page in place of another", "page\n", []string{"/empty"}, 0, "", true},
		{"disallowed", "", []string{"/private/x"}, 3, "", false},
		{"disallowed after a redirect", "", []string{"/trap"}, 3, "", false},
		{"disallowed leaves the file alone", "page\n", []string{"/private/x"}, 3, "page\n", true},
		{"failed", "", []string{"/babble"}, 1, "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := shopSite(t)
			file := filepath.Join(t.TempDir(), "page")
			if test.before != "" {
				require.NoError(t, os.WriteFile(file, []byte(test.before), 0o600))
			}
			args := []string{"get", "-o", file}
			for _, path := range test.paths {
				args = append(args, s.URL+path)
			}
			got := runHurried(t, args...)
			assert.Equal(t, test.status, got.status, got.stderr)
			assert.Empty(t, got.stdout)
			body, err := os.ReadFile(file)
			assert.Equal(t, test.exists, err == nil)
			assert.Equal(t, test.want, string(body))
		})
	}
}

func TestGetOutputFails(t *testing.T) {
	s := shopSite(t)
	folder := t.TempDir()
	got := runCommand(t, "get", "-o", folder, s.URL+"/a", s.URL+"/b")
	assert.Equal(t, 1, got.status)
	lines := strings.Split(strings.TrimSpace(got.stderr), "\n")
	require.Len(t, lines, 2)
	assert.True(t, strings.HasPrefix(lines[0], "failed      200  "+s.URL+"/a  open "+folder), lines[0])
	assert.True(t, strings.HasPrefix(lines[1], "polite get: 2 of 2 URLs were not fetched: open "+folder), lines[1])
	assert.Equal(t, []string{"/robots.txt", "/a"}, s.arrivals())
}

func TestGetStdoutFails(t *testing.T) {
	s := shopSite(t)
	var stderr bytes.Buffer
	assert.Equal(t, 1, runTo(t.Context(), []string{"get", s.URL + "/a"}, streams(nil, failingWriter{}, &stderr)))
	assert.Equal(t, "failed      200  "+s.URL+"/a  no space left on device\n", stderr.String())
}

func TestGetFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full")
	}
	s := shopSite(t)
	got := runCommand(t, "get", "-o", "/dev/full", s.URL+"/a")
	assert.Equal(t, 1, got.status)
	assert.Equal(t, "failed      200  "+s.URL+"/a  write /dev/full: no space left on device\n", got.stderr)
}

// An impatient is a Writer that ends the command when it is told to wait. Several
// goroutines may write, as to os.Stderr.
type impatient struct {
	bytes.Buffer
	leave context.CancelCauseFunc
	until string // how the line begins that ends the command; "waiting " if it is empty
	mu    sync.Mutex
}

func (w *impatient) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if bytes.HasPrefix(p, []byte(cmp.Or(w.until, "waiting "))) {
		w.leave(errors.New("enough"))
	}
	return w.Buffer.Write(p)
}

// With -v, get tells what it waits for.
func TestGetVerbose(t *testing.T) {
	s := newSite(t, origintest.Text("user-agent: *\ncrawl-delay: 20\n"), nil)
	ctx, leave := context.WithCancelCause(t.Context())
	stderr := &impatient{leave: leave, until: "waiting for "}
	assert.Equal(t, 1, runTo(ctx, []string{"get", "-v", s.URL + "/a", s.URL + "/b"}, streams(nil, io.Discard, stderr)))
	assert.Contains(t, stderr.String(), "waiting for "+s.URL+": there is a gap of 20s between two requests\n")
	assert.Equal(t, 2, runCommand(t, "get", "-q", "-v", s.URL).status)
}

func TestGetWaits(t *testing.T) {
	s := newSite(t, origintest.Text("user-agent: *\ncrawl-delay: 20\n"), nil)
	ctx, leave := context.WithCancelCause(t.Context())
	stderr := &impatient{leave: leave}
	var stdout bytes.Buffer
	assert.Equal(t, 1, runTo(ctx, []string{"get", s.URL + "/a", s.URL + "/b"}, streams(nil, &stdout, stderr)))
	lines := strings.Split(stderr.String(), "\n")
	require.Len(t, lines, 5)
	assert.Regexp(t, "^waiting [12][0-9]s: crawl-delay of 20s asked by "+s.URL+"$", lines[1])
	assert.Equal(t, "failed           "+s.URL+"/b  enough", lines[2])
	assert.Equal(t, []string{"/robots.txt", "/a"}, s.arrivals())
}

// What a busy site asks for is told at once, and with --fail an error page is a failure.
func TestGetFails(t *testing.T) {
	s := newSite(t, origintest.Text(""), pages{"/busy": origintest.Status(http.StatusServiceUnavailable, "Retry-After", "3600"), "/ok": origintest.Text("ok")})
	newCache(t)
	got := runCommand(t, "get", "--fail", s.URL+"/busy")
	assert.Equal(t, 1, got.status)
	assert.Equal(t, "failed      503  "+s.URL+"/busy  the site answers with an error page, and asks for a break of 1h0m0s (Retry-After)\n", got.stderr)
	newCache(t)
	assert.Contains(t, runCommand(t, "get", "-q", "--json", "--fail", s.URL+"/busy").stderr, `"status":503,"break":3600,"error":"the site answers with an error page",`)
	newCache(t)
	got = runCommand(t, "get", "--json", s.URL+"/busy")
	assert.Equal(t, 0, got.status, "a page is a page")
	assert.Contains(t, got.stderr, `"break":3600`)
	newCache(t)
	assert.Equal(t, 0, runCommand(t, "get", "--fail", s.URL+"/ok").status)
}

// An error page that --fail calls a failure is written nowhere, so the next run with --skip asks again. The
// names of the other pages stay.
func TestGetFailsLeavesNoFile(t *testing.T) {
	s := newSite(t, origintest.Text(""), pages{
		"/a/x": origintest.Status(http.StatusNotFound), "/b/x": origintest.Text("page b"), "/moved": origintest.Redirect("/a/x"),
	})
	t.Chdir(t.TempDir())
	get := func(flags ...string) result {
		return runHurried(t, append(append([]string{"get"}, flags...), "--fail", s.URL+"/a/x", s.URL+"/b/x", s.URL+"/moved")...)
	}
	for range 2 {
		before := len(s.arrivals())
		got := get("-O", "--skip", "--json")
		assert.Equal(t, 1, got.status)
		assert.Equal(t, map[string]string{"x.1": "page b"}, folder(t))
		assert.NotContains(t, got.stderr, `"file":"x"`)
		assert.Contains(t, s.arrivals()[before:], "/a/x")
	}
	assert.Equal(t, 1, get("-o", "all").status)
	assert.Equal(t, map[string]string{"x.1": "page b", "all": "page b"}, folder(t))
	assert.Equal(t, "page b", get().stdout)

	require.NoError(t, os.WriteFile("all", []byte("mine"), 0o600))
	assert.Equal(t, 1, runHurried(t, "get", "--fail", "-I", "-o", "all", s.URL+"/a/x").status)
	assert.Equal(t, "mine", folder(t)["all"])
}
