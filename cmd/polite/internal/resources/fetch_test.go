package resources

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parseURL(t *testing.T, s string) *url.URL {
	u, err := url.Parse(s)
	require.NoError(t, err)
	return u
}

func as(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Write([]byte(body))
	}
}

// Nothing that robots.txt disallows is fetched. Styles are looked into once, and what they
// import is not.
func TestFetch(t *testing.T) {
	web := origintest.New(t)
	web.Robots("site.example", origintest.Text("user-agent: *\ndisallow: /private\n"))
	web.Page("site.example", "/", as("text/html", `<link rel=stylesheet href=/a.css><link rel=stylesheet href=/private/b.css><link rel=stylesheet href=//cdn.example/c.css>`))
	web.Page("site.example", "/a.css", origintest.Redirect("/styles/a.css"))
	web.Page("site.example", "/styles/a.css", as("text/css", `@import "more.css"; p { background: url(p.png) }`))
	web.Page("cdn.example", "/c.css", origintest.Status(404))
	f := NewFetcher(web.Transport(t), nil)
	p, err := f.Fetch(t.Context(), parseURL(t, "http://site.example/"))
	require.NoError(t, err)
	f.Follow(t.Context(), p)
	var got []string
	for _, r := range p.Resources {
		got = append(got, string(r.Kind)+" "+r.URL.String()+" "+r.From)
	}
	assert.Equal(t, []string{
		"style http://site.example/a.css ", "style http://site.example/private/b.css ", "style http://cdn.example/c.css ",
		"style http://site.example/styles/more.css http://site.example/a.css", "image http://site.example/styles/p.png http://site.example/a.css",
	}, got)
	require.Len(t, p.Unread, 2)
	assert.ErrorIs(t, p.Unread[0], polite.ErrDisallowed)
	assert.ErrorContains(t, p.Unread[1], "answered 404")
	for _, a := range web.Log() {
		assert.NotContains(t, []string{"/private/b.css", "/styles/more.css"}, a.URI)
	}
	assert.Len(t, web.Log().Robots(), 2, "each site is asked once")
}

func TestPageThatCannotBeRead(t *testing.T) {
	web := origintest.New(t)
	web.Robots("site.example", origintest.Text("user-agent: *\ndisallow: /private\n"))
	web.Page("site.example", "/image", as("image/png", "x"))
	web.Page("site.example", "/gone", origintest.Status(410))
	web.Page("site.example", "/away", origintest.Redirect("/private"))
	web.Page("site.example", "/circle", origintest.Redirect("/circle"))
	web.Page("site.example", "/home", origintest.Redirect("http://127.0.0.1/"))
	for path, want := range map[string]string{
		"/private": "is disallowed", "/image": "no web page, but image/png", "/gone": "answered 410 Gone", "/away": "is disallowed", "/circle": "too many redirects", "/home": "from a public host",
	} {
		_, err := NewFetcher(web.Transport(t), nil).Fetch(t.Context(), parseURL(t, "http://site.example"+path))
		assert.ErrorContains(t, err, want, path)
	}
	assert.Empty(t, web.Log().At("127.0.0.1"))
}

// Styles that hang keep nobody waiting for longer than their time.
func TestStylesHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("site.example", "/", as("text/html", `<link rel=stylesheet href=/a.css><link rel=stylesheet href=//hangs.example/b.css>`))
		web.Page("site.example", "/a.css", origintest.HangAfter("p { background: url(/i) }"))
		web.Robots("hangs.example", origintest.Hang)
		f := NewFetcher(web.Transport(t), nil)
		p, err := f.Fetch(t.Context(), parseURL(t, "http://site.example/"))
		require.NoError(t, err)
		start := time.Now()
		f.Follow(t.Context(), p)
		assert.LessOrEqual(t, time.Since(start), fetchTime)
		assert.Len(t, p.Unread, 2)
		assert.Len(t, p.Resources, 2)
	})
}

func TestManyStyles(t *testing.T) {
	web := origintest.New(t)
	page := ""
	for i := range MostStyles + 5 {
		page += "<link rel=stylesheet href=/" + string(rune('A'+i)) + ".css>"
	}
	web.Page("site.example", "/", as("text/html", page))
	f := NewFetcher(web.Transport(t), nil)
	p, err := f.Fetch(t.Context(), parseURL(t, "http://site.example/"))
	require.NoError(t, err)
	f.Follow(t.Context(), p)
	assert.Len(t, p.Unread, 5)
	assert.Len(t, web.Log().Pages(), 1+MostStyles)
}

// A page in the public internet has nobody in a private network asked. A page in a private
// network may.
func TestGuard(t *testing.T) {
	for address, closed := range map[string]bool{"93.184.215.14:80": true, "127.0.0.1:80": false, "192.168.1.2:80": false} {
		web := origintest.New(t)
		web.Page("site.example", "/", as("text/html", `<link rel=stylesheet href=http://127.0.0.1/a.css>`))
		base := web.Transport(t)
		base.DialContext = from(address, base.DialContext)
		f := NewFetcher(base, nil)
		p, err := f.Fetch(t.Context(), parseURL(t, "http://site.example/"))
		require.NoError(t, err)
		f.Follow(t.Context(), p)
		if !closed {
			assert.Empty(t, p.Unread, address)
			continue
		}
		require.Len(t, p.Unread, 1)
		for _, u := range []string{"http://127.0.0.1/", "http://[::1]/", "http://localhost/", "http://printer.local/", "http://0x7f000001/"} {
			_, err := f.Base().RoundTrip(&http.Request{URL: parseURL(t, u)})
			assert.Error(t, err, u)
		}
		assert.Empty(t, web.Log().At("127.0.0.1"))
	}
}

// A page that is at hand is as if it had been fetched.
func TestGuardOfPageAtHand(t *testing.T) {
	for at, closed := range map[string]bool{"https://site.example/": true, "https://127.0.0.1/": false, "https://intranet/": false} {
		f := NewFetcher(new(http.Transport), nil)
		_, err := f.Read(strings.NewReader("<p>"), parseURL(t, at))
		require.NoError(t, err)
		assert.Equal(t, closed, f.guard.closed.Load(), at)
	}
}

func TestIsProxied(t *testing.T) {
	proxy := parseURL(t, "http://proxy.example:3128")
	for _, test := range []struct {
		proxy func(*http.Request) (*url.URL, error)
		want  bool
	}{
		{nil, false}, {http.ProxyURL(proxy), true}, {http.ProxyURL(nil), false},
		{func(*http.Request) (*url.URL, error) { return proxy, http.ErrAbortHandler }, false},
	} {
		f := NewFetcher(&http.Transport{Proxy: test.proxy}, nil)
		assert.Equal(t, test.want, f.guard.isProxied(new(http.Request)))
	}
}

type dial = func(ctx context.Context, network, address string) (net.Conn, error)

// from is dial for connections that seem to lead to an address.
func from(address string, dial dial) dial {
	return func(ctx context.Context, network, to string) (net.Conn, error) {
		conn, err := dial(ctx, network, to)
		return seeming{conn, address}, err
	}
}

type seeming struct {
	net.Conn
	address string
}

func (s seeming) RemoteAddr() net.Addr { return address(s.address) }

type address string

func (a address) Network() string { return "tcp" }
func (a address) String() string  { return string(a) }
