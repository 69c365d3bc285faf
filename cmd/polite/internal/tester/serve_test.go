package tester

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/robots/crawlers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With its context a Server ends, and all that it was doing: nothing of it is left.
func TestServeEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		asked := make(chan bool)
		hang := origintest.RoundTripper(func(r *http.Request) (*http.Response, error) {
			close(asked)
			<-r.Context().Done()
			return nil, context.Cause(r.Context())
		})
		ended := 0
		l := pipeListener{make(chan net.Conn), make(chan struct{})}
		s := New(Options{Sites: Sites{hang, func(context.Context) (*polite.Cache, func()) { return new(polite.Cache), func() { ended++ } }}}, l)
		served := make(chan error)
		go func() { served <- s.Serve(ctx) }()
		idle, theirs := net.Pipe()
		l.conns <- theirs
		ours, theirs := net.Pipe()
		l.conns <- theirs
		body := "--a\r\nContent-Disposition: form-data; name=request\r\n\r\n{\"url\":\"http://a.example/\"}\r\n--a--\r\n"
		go fmt.Fprintf(ours, "POST /%s/api/load HTTP/1.1\r\nHost: 127.0.0.1:80\r\nOrigin: http://127.0.0.1:80\r\nContent-Type: multipart/form-data; boundary=a\r\nContent-Length: %d\r\n\r\n%s",
			s.guard.token, len(body), body)
		go io.Copy(io.Discard, ours)
		<-asked
		cancel()
		require.NoError(t, <-served)
		assert.Equal(t, 1, ended, "what was at work has ended, too")
		_, err := idle.Read(make([]byte, 1))
		assert.Error(t, err)
	})
}

// The page is known to be shown when it has been fetched, and not before.
func TestOnShown(t *testing.T) {
	c := serve(t, Start{}, nil)
	get := func(url string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		require.NoError(t, err)
		c.send(req)
	}
	get("http://" + c.s.listener.Addr().String() + "/")
	get(c.link + "nothing.js")
	assert.Equal(t, 0, *c.shown)
	get(c.link)
	get(c.link)
	assert.Equal(t, 1, *c.shown)
}

// Nobody guesses a link, and no two are the same.
func TestLink(t *testing.T) {
	first, second := serve(t, Start{}, nil), serve(t, Start{}, nil)
	assert.Regexp(t, `^http://127\.0\.0\.1:\d+/[A-Za-z0-9_-]{32}/$`, first.link)
	assert.NotEqual(t, first.s.guard.token, second.s.guard.token)
	assert.True(t, first.s.listener.Addr().(*net.TCPAddr).IP.IsLoopback())
	assert.False(t, strings.Contains(first.link, second.s.guard.token))
}

func TestStart(t *testing.T) {
	c := serve(t, Start{Agent: "GPTBot", Text: []byte("\xff<b>"), Name: "robots.txt", URLs: []string{"/a"}, State: "x-_"}, nil)
	var a Start
	c.ask("start", &a, part{"request", "{}"})
	assert.Equal(t, Start{Agent: "GPTBot", Text: []byte("\xff<b>"), Name: "robots.txt", URLs: []string{"/a"}, State: "x-_"}, a)

	c = serve(t, Start{}, nil)
	_, body := c.send(c.request("start", part{"request", "{}"}))
	assert.Equal(t, `{"agent":"","text":null,"name":"","urls":[],"state":"","version":"","loads":true}`, body)
}

func TestCrawlers(t *testing.T) {
	c := serve(t, Start{}, nil)
	var a struct{ Crawlers []crawlers.Crawler }
	c.ask("crawlers", &a, part{"request", "{}"})
	assert.Equal(t, "Googlebot", a.Crawlers[0].Name)
	assert.NotEmpty(t, a.Crawlers[0].Manners)
}
