package command

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const pageRules = "user-agent: *\ndisallow: /js/\n\nuser-agent: GPTBot\ndisallow: /img/\n\nuser-agent: polite\ndisallow: /private\n"

// pageSite has a page that loads four things, one of them through a style.
func pageSite(t *testing.T) site {
	html := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte(body))
		}
	}
	return newSite(t, origintest.Text(pageRules), pages{
		"/":        html(`<script src=/js/a.js></script><link rel=stylesheet href=/s.css><img src=/img/i.png>`),
		"/s.css":   origintest.Text("p { background: url(img/p.png) }"),
		"/private": html(`<img src=/img/i.png>`),
	})
}

func TestCheckResources(t *testing.T) {
	s := pageSite(t)
	got := runCommand(t, "check", "--resources", "-A", "Googlebot", "-A", "GPTBot", s.URL+"/")
	assert.Equal(t, 3, got.status)
	assert.Equal(t, strings.ReplaceAll(`Googlebot        GPTBot           KIND    URL
SITE
allowed          allowed          page    /
disallowed 2     allowed          script  /js/a.js
allowed          allowed          style   /s.css
allowed          disallowed 5     image   /img/i.png
allowed          disallowed 5     image   /img/p.png
`, "SITE", s.URL), got.stdout)
	assert.Empty(t, got.stderr)
	assert.Equal(t, []string{"/robots.txt", "/", "/s.css"}, s.arrivals(), "what is judged is not fetched")
}

func TestCheckResourcesForms(t *testing.T) {
	s := pageSite(t)
	got := runCommand(t, "check", "--resources", "-A", "Googlebot", s.URL+"/")
	assert.Contains(t, got.stdout, `  disallowed   script  /js/a.js  by "disallow: /js/", line 2`)

	lines := strings.Split(strings.TrimSpace(runCommand(t, "check", "--resources", "--json", "-A", "Googlebot", s.URL+"/").stdout), "\n")
	require.Len(t, lines, 5)
	assert.Contains(t, lines[1], `"lines":[{"line":1,"text":"user-agent: *"},{"line":2,"text":"disallow: /js/"}]`)
	var last struct {
		Kind, From, URL string
		Allowed         bool
	}
	require.NoError(t, json.Unmarshal([]byte(lines[4]), &last))
	assert.Equal(t, "image", last.Kind)
	assert.Equal(t, s.URL+"/s.css", last.From)
	assert.Equal(t, s.URL+"/img/p.png", last.URL)
	assert.True(t, last.Allowed)

	got = runCommand(t, "check", "--resources", "-q", "-A", "Googlebot", s.URL+"/")
	assert.Equal(t, result{status: 3}, got)
}

// If polite itself may not fetch the page, it says so, and judges the page alone.
func TestCheckResourcesOfDisallowedPage(t *testing.T) {
	s := pageSite(t)
	got := runCommand(t, "check", "--resources", "-A", "Googlebot", s.URL+"/private")
	assert.Equal(t, 3, got.status)
	assert.Contains(t, got.stdout, "  allowed      page    /private")
	assert.Contains(t, got.stderr, "what the page loads is not known: ")
	assert.Contains(t, got.stderr, "is disallowed for polite")
	assert.Equal(t, []string{"/robots.txt"}, s.arrivals())

	got = runCommand(t, "check", "--resources", s.URL+"/none")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "answered 404")
}

// A page may be in a file. With -f, the file is for its host alone.
func TestCheckResourcesOfFile(t *testing.T) {
	s := pageSite(t)
	page := `<img src=/new/i.png><img src=` + s.URL + `/js/i.png>`
	name, rules := filepath.Join(t.TempDir(), "page.html"), filepath.Join(t.TempDir(), "robots.txt")
	require.NoError(t, os.WriteFile(name, []byte(page), 0o600))
	require.NoError(t, os.WriteFile(rules, []byte("user-agent: *\ndisallow: /new/\n"), 0o600))
	for _, got := range []result{
		runCommand(t, "check", "--resources", "-f", rules, "-A", "Googlebot", "--base", "http://127.0.0.1:1/page", name),
		runWithInput(t, page, "check", "--resources", "-f", rules, "-A", "Googlebot", "--base", "http://127.0.0.1:1/page", "-"),
	} {
		assert.Equal(t, 3, got.status)
		assert.Contains(t, got.stdout, `  disallowed   image   /new/i.png  by "disallow: /new/", line 2 of `+rules)
		assert.Contains(t, got.stdout, s.URL+"\n  disallowed   image   /js/i.png  by \"disallow: /js/\", line 2 of "+s.URL)
	}
	assert.Equal(t, []string{"/robots.txt", "/robots.txt"}, s.arrivals())

	got := runCommand(t, "check", "--resources", "--base", s.URL+"/", filepath.Join(t.TempDir(), "none"))
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "no such file")
}

func TestCheckResourcesBounds(t *testing.T) {
	page := strings.Repeat("<img src=http://[>", 3)
	for i := range 150 {
		page += strings.ReplaceAll("<img src=http://127.0.0.1:N/i>", "N", string(rune('1'+i%9))+"0"+string(rune('0'+i/100))+string(rune('0'+i/10%10)))
	}
	got := runWithInput(t, page, "check", "--resources", "-f", "testdata/shop.txt", "--base", "http://127.0.0.1:1/", "-")
	assert.Contains(t, got.stderr, "polite check: 3 references in the page cannot be asked for")
	assert.Contains(t, got.stderr, "more references: the first 1000 resources of 100 hosts are judged")
	assert.Equal(t, 101, strings.Count(got.stdout, "http://127.0.0.1:")-strings.Count(got.stdout, "because http://127.0.0.1:"), "the hosts")
}

func TestCheckResourcesMisuse(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{}, "which page?"},
		{[]string{"https://a.example/", "https://b.example/"}, "which page?"},
		{[]string{"page.html"}, `where is the page "page.html"?`},
		{[]string{"--base", "https://a.example/", "https://a.example/"}, "a URL is its own base"},
		{[]string{"--base", "page", "page.html"}, `"page" is no URL`},
		{[]string{"--base", "https://a.example/", "-f", "-", "-"}, "standard input twice"},
		{[]string{"-v", "https://a.example/"}, "--resources and --verbose do not go together: leave one out"},
		{[]string{"--urls", "x", "https://a.example/"}, "--resources and --urls do not"},
		{[]string{"--expect", "x"}, "--expect and --resources do not"},
	} {
		assertMisuse(t, "check", test.want, append([]string{"--resources"}, test.args...)...)
	}
	assertMisuse(t, "check", "--base is for --resources", "--base", "https://a.example/", "https://a.example/")
}
