package command

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sent returns the headers of requests that have arrived at a site, by method and path.
func sent(s site) map[string]http.Header {
	sent := make(map[string]http.Header)
	for _, a := range s.Log() {
		sent[a.Method+" "+a.URI] = a.Header
	}
	return sent
}

// The site of the URL gets what -H says, and nobody else does.
func TestGetHeader(t *testing.T) {
	other := openWeb(t, pages{"/there": origintest.Text("there\n")})
	s := openWeb(t, pages{
		"/moved": origintest.Redirect("/here"), "/here": origintest.Text("here\n"), "/away": origintest.Redirect(other.URL + "/there"),
	})
	got := runHurried(t, "get", "-H", "X-Api-Key: secret", "-HAccept-Language:de", "-H", "Authorization: Bearer secret", s.URL+"/moved", s.URL+"/away")
	assert.Equal(t, 0, got.status, got.stderr)
	assert.Equal(t, "here\nthere\n", got.stdout)
	assert.NotContains(t, got.stderr, "secret")
	sent, sentThere := sent(s), sent(other)
	for _, path := range []string{"GET /moved", "GET /here", "GET /away"} {
		assert.Equal(t, "secret", sent[path].Get("X-Api-Key"), path)
		assert.Equal(t, "Bearer secret", sent[path].Get("Authorization"), path)
		assert.Equal(t, "de", sent[path].Get("Accept-Language"), path)
	}
	for _, fields := range []http.Header{sent["GET /robots.txt"], sentThere["GET /robots.txt"], sentThere["GET /there"]} {
		require.NotEmpty(t, fields)
		assert.Empty(t, fields.Get("X-Api-Key"))
		assert.Empty(t, fields.Get("Authorization"))
		assert.Empty(t, fields.Get("Accept-Language"))
	}
}

// -I asks for the header alone, and shows no secret of it.
func TestGetHead(t *testing.T) {
	s := openWeb(t, pages{"/a": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "id=secret; Path=/")
		w.Header()["Content-Location"] = []string{"http://me:secret@a.example/x", "/a:b@c"}
		w.Header().Set("Link", "<http://me:secret@a.example/y>; rel=next")
		w.Header().Set("Date", "now")
		w.Header().Set("X-Text", "\u202ex##[y")
		w.Header()["-x"] = []string{"y"}
		io.WriteString(w, "page\n")
	}})
	got := runCommand(t, "get", "-I", s.URL+"/a")
	assert.Equal(t, 0, got.status, got.stderr)
	assert.Equal(t, "HTTP/1.1 200 OK\n\\x2dX: y\nContent-Length: 5\nContent-Location: http://me:xxxxx@a.example/x\nContent-Location: /a:b@c\n"+
		"Content-Type: text/plain; charset=utf-8\nDate: now\nLink: <http://me:xxxxx@a.example/y>; rel=next\nSet-Cookie: id=xxxxx; Path=/\nX-Text: \\u202ex##\\x5by\n\n", got.stdout)
	assert.Contains(t, sent(s), "HEAD /a")
	assert.NotContains(t, sent(s), "GET /a")
}

// With -O each page has a file of its own, and none is overwritten.
func TestGetApart(t *testing.T) {
	s := shopSite(t)
	t.Chdir(t.TempDir())
	got := runHurried(t, "get", "-O", s.URL+"/a", s.URL+"/private/x", s.URL+"/b?x=../y", s.URL+"/a")
	assert.Equal(t, 3, got.status)
	assert.Empty(t, got.stdout)
	assert.Contains(t, got.stderr, `(no rule of group "*" matches), in "a.1"`+"\n")
	assert.Equal(t, map[string]string{"a": "page a\n", "a.1": "page a\n", "b": "404 page not found\n"}, folder(t))

	got = runHurried(t, "get", "-O", "--json", s.URL+"/a")
	assert.Contains(t, got.stderr, `"file":"a.2"`)
}

// A page that is cut short does not get its name, and the next run finds what is there.
func TestGetSkip(t *testing.T) {
	s := shopSite(t)
	t.Chdir(t.TempDir())
	got := runHurried(t, "get", "-O", s.URL+"/a", s.URL+"/cut")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, `/cut  the page was cut short, in "cut.polite.part"`+"\n")
	assert.Equal(t, map[string]string{"a": "page a\n", "cut.polite.part": "half\n"}, folder(t))

	before := len(s.arrivals())
	got = runHurried(t, "get", "-O", "--skip", s.URL+"/a", s.URL+"/cut", s.URL+"/b")
	assert.Contains(t, got.stderr, `skipped          `+s.URL+`/a  "a" is there`+"\n")
	assert.Contains(t, got.stderr, "polite get: 1 of 3 URLs was not fetched\n")
	assert.Equal(t, []string{"/cut", "/b"}, s.arrivals()[before:])
	assert.Equal(t, map[string]string{"a": "page a\n", "b": "page b\n", "cut.polite.part": "half\n"}, folder(t))
	got = runHurried(t, "get", "-O", "--skip", "--json", s.URL+"/a")
	assert.Equal(t, result{0, "", `{"url":"` + s.URL + `/a","skipped":true,"file":"a"}` + "\n"}, got)
}

// folder returns the files in the current folder.
func folder(t *testing.T) map[string]string {
	files := make(map[string]string)
	names, err := filepath.Glob("*")
	require.NoError(t, err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		files[name] = string(text)
	}
	return files
}

// A quiet get tells what went wrong, and nothing else.
func TestGetQuiet(t *testing.T) {
	s := shopSite(t)
	got := runHurried(t, "get", "-q", s.URL+"/a", s.URL+"/private/x", s.URL+"/old")
	assert.Equal(t, 3, got.status)
	assert.Equal(t, "page a\npage a\n", got.stdout)
	assert.Regexp(t, `^disallowed       \S+/private/x  by .*\npolite get: 1 of 3 URLs was not fetched\n$`, got.stderr)
	got = runHurried(t, "get", "--quiet", "--json", s.URL+"/a", s.URL+"/private/x")
	assert.Equal(t, 2, strings.Count(got.stderr, "\n"))
	assert.Contains(t, got.stderr, `{"not_fetched":1,"urls":2}`)
}

// URLs may come from standard input, one by one.
func TestGetInput(t *testing.T) {
	s := shopSite(t)
	got := runWithInput(t, "# pages\n"+s.URL+"/a\n\n  "+s.URL+"/b # the other\nexample.com\nhttp://:80/\nhttp://u:secret@example.com:x/\n"+s.URL+"/private/x\n", hurried(t, "get", "-")...)
	assert.Equal(t, 1, got.status)
	assert.Equal(t, "page a\npage b\n", got.stdout)
	assert.Contains(t, got.stderr, "\nfailed           example.com  ")
	assert.Contains(t, got.stderr, "write it with its scheme, as in https://example.com\n")
	assert.Contains(t, got.stderr, "\ndisallowed       "+s.URL+"/private/x  ")
	assert.NotContains(t, got.stderr, "secret")
	assert.Equal(t, 5+2, strings.Count(got.stderr, "\n"))
}

// A page may take no longer than --max-time. Where the turn comes later, polite does not wait for it.
func TestGetMaxTime(t *testing.T) {
	s := newSite(t, origintest.Text(""), pages{"/slow": origintest.Hang, "/a": origintest.Text("page\n")})
	got := runHurried(t, "get", "--max-time", "0.3", s.URL+"/slow", s.URL+"/a")
	assert.Equal(t, 1, got.status)
	assert.Equal(t, "page\n", got.stdout)
	assert.Contains(t, got.stderr, "failed           "+s.URL+"/slow  it takes longer than the 300ms of --max-time\n")
	later := newSite(t, origintest.Text("user-agent: *\ncrawl-delay: 30\n"), pages{"/a": origintest.Text("page\n")})
	got = runCommand(t, "get", "--max-time", "10", later.URL+"/a", later.URL+"/a")
	assert.Regexp(t, `\nfailed  .*: the request can only wait for \S+ \(--max-time, or max-wait of --sites\); send it again in `, got.stderr)
}
