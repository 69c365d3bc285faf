package command

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
)

// A site is a web of one host, which is found at its URL.
type site struct{ *web }

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

// A web is any number of hosts, played by one HTTP server that logs the URL of each request.
type web struct {
	*httptest.Server
	mu  sync.Mutex
	log []string
}

// openWeb opens a web that is closed with the test. Each key of its pages is a URL, or a
// path with its query if every host has that page. The cache does not know its sites, which
// may have the port of another test's.
func openWeb(t *testing.T, pages map[string]http.Handler) *web {
	newCache(t)
	w := new(web)
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		url := "http://" + req.Host + req.RequestURI
		w.mu.Lock()
		w.log = append(w.log, url)
		w.mu.Unlock()
		for _, key := range []string{url, req.RequestURI} {
			if page, ok := pages[key]; ok {
				page.ServeHTTP(rw, req)
				return
			}
		}
		http.NotFound(rw, req)
	}))
	t.Cleanup(func() {
		w.CloseClientConnections()
		w.Close()
	})
	return w
}

// Log returns the URLs that were asked for until now, in their order.
func (w *web) Log() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.log)
}

// Transport returns a new transport that finds every host here.
func (w *web) Transport() *http.Transport {
	return &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, w.Listener.Addr().String())
	}}
}

// arrivals returns the paths that were asked for.
func (s site) arrivals() []string {
	var paths []string
	for _, a := range s.Log() {
		paths = append(paths, strings.TrimPrefix(a, s.URL))
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
