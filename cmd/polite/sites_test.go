package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/playground"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/require"
)

// A site is a web of one host, which is found at its URL.
type site struct{ *playground.Web }

// pages are handlers by path, with the query.
type pages map[string]http.HandlerFunc

// newSite starts a site with robots.txt and pages. For all others it answers 404.
func newSite(t *testing.T, robots http.HandlerFunc, others pages) site {
	all := map[string]http.Handler{"/robots.txt": robots}
	for path, page := range others {
		all[path] = page
	}
	return site{openWeb(t, all)}
}

// openWeb opens a web that is closed with the test. The cache does not know its sites,
// which may have the port of another test's.
func openWeb(t *testing.T, pages map[string]http.Handler) *playground.Web {
	newCache(t)
	web, err := playground.Open(pages)
	require.NoError(t, err)
	t.Cleanup(web.Close)
	return web
}

// arrivals returns the paths that were asked for.
func (s site) arrivals() []string {
	var paths []string
	for _, a := range s.Log() {
		paths = append(paths, strings.TrimPrefix(a.URL, s.URL))
	}
	return paths
}

const rules = `user-agent: *
disallow: /private
allow: /private/press

user-agent: OtherBot
disallow: /
`

// shopSite is a site with rules.
func shopSite(t *testing.T) site {
	return newSite(t, origintest.Text(rules), pages{
		"/a":             origintest.Text("page a\n"),
		"/b":             origintest.Text("page b\n"),
		"/empty":         origintest.Text(""),
		"/private/press": origintest.Text("press\n"),
		"/private/x":     origintest.Text("secret\n"),
		"/old":           origintest.Redirect("/a"),
		"/trap":          origintest.Redirect("/step"),
		"/step":          origintest.Redirect("/private/x"),
		"/loop":          origintest.Redirect("/loop"),
		"/ftp":           origintest.Redirect("ftp://example.com/"),
		"/port":          origintest.Redirect("http://example.com:99999/"),
		"/cut":           cut,
		"/babble":        babble,
		"/a?b=c&d":       origintest.Text("query\n"),
	})
}

// cut announces more than it sends.
func cut(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "10")
	w.Write([]byte("half\n"))
}

// babbled is what net/http says of babble.
const babbled = `net/http: HTTP/1.x transport connection broken: malformed HTTP response "hello"`

// babble answers with what is no HTTP.
func babble(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	conn.Write([]byte("hello\r\n\r\n"))
	conn.Close()
}

func downSite(t *testing.T) site {
	return newSite(t, origintest.Status(http.StatusInternalServerError), pages{"/a": origintest.Text("page\n")})
}
