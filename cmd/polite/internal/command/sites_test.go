package command

import (
	"maps"
	"net"
	"net/http"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/require"
)

// A site is a web that is found at a URL.
type site struct {
	*origintest.Server
	URL string
}

// pages are handlers by path, with the query, or by URL if not every host has that page.
type pages map[string]http.HandlerFunc

// newSite starts a site with robots.txt and pages. For all others it answers 404.
func newSite(t *testing.T, robots http.HandlerFunc, others pages) site {
	all := pages{"/robots.txt": robots}
	maps.Copy(all, others)
	return openWeb(t, all)
}

// openWeb opens a web that has pages, and no others. The cache does not know its sites, which may have
// the port of another test's.
func openWeb(t *testing.T, pages pages) site {
	newCache(t)
	web := origintest.New(t)
	web.Others(func(w http.ResponseWriter, r *http.Request) {
		for _, key := range []string{"http://" + r.Host + r.RequestURI, r.RequestURI} {
			if page, ok := pages[key]; ok {
				page(w, r)
				return
			}
		}
		http.NotFound(w, r)
	})
	return site{web, "http://" + web.Address()}
}

// deserted returns the URL of a site at which nobody listens.
func deserted(t *testing.T) string {
	newCache(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return "http://" + l.Addr().String()
}

// arrivals returns the paths that were asked for.
func (s site) arrivals() []string { return s.Log().URIs() }

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
		"/cut":           origintest.Cut("half\n"),
		"/babble":        babble,
		"/a?b=c&d":       origintest.Text("query\n"),
	})
}

// babbled is what net/http says of a site that babbles.
const babbled = `net/http: HTTP/1.x transport connection broken: malformed HTTP response "hello"`

// babble answers with what is no HTTP.
var babble = origintest.Raw("hello\r\n\r\n")

func downSite(t *testing.T) site {
	return newSite(t, origintest.Status(http.StatusInternalServerError), pages{"/a": origintest.Text("page\n")})
}
