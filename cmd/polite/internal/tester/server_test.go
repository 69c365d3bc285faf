package tester

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/require"
)

// A client asks a Server over its socket, as the page does.
type client struct {
	t    *testing.T
	s    *Server
	link string
	web  *origintest.Server // the sites that the Server asks

	shown *int // how often the page was told to be shown
}

// serve starts a Server, which ends with the test. The sites that it asks have these pages.
func serve(t *testing.T, start Start, pages map[string]http.HandlerFunc) client {
	web := origintest.New(t)
	for page, answer := range pages {
		u, err := url.Parse(page)
		require.NoError(t, err)
		web.Page(u.Host, u.Path, answer)
	}
	shown := new(int)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := New(Options{Start: start, Shown: func() { *shown++ }, Sites: Sites{web.Transport(t), func(context.Context) (*polite.Cache, func()) {
		return new(polite.Cache), func() {}
	}}}, l)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	return client{t, s, s.Link(), web, shown}
}

// A part is one of a form.
type part struct{ name, body string }

// form returns the body and the content type of a form.
func formOf(t *testing.T, parts []part) (io.Reader, string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		f, err := w.CreateFormField(p.name)
		require.NoError(t, err)
		io.WriteString(f, p.body)
	}
	require.NoError(t, w.Close())
	return &b, w.FormDataContentType()
}

// request returns the request that the page sends.
func (c client) request(name string, parts ...part) *http.Request {
	body, kind := formOf(c.t, parts)
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.link+"api/"+name, body)
	require.NoError(c.t, err)
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Origin", "http://"+req.Host)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	return req
}

// send sends a request, and returns the answer.
func (c client) send(req *http.Request) (*http.Response, string) {
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	require.NoError(c.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(c.t, err)
	return resp, string(body)
}

// ask asks as the page does, and reads the JSON of the answer into it.
func (c client) ask(name string, into any, parts ...part) {
	c.t.Helper()
	resp, body := c.send(c.request(name, parts...))
	require.Equal(c.t, http.StatusOK, resp.StatusCode, body)
	require.NoError(c.t, json.Unmarshal([]byte(body), into), body)
}

// asked returns the part of a form that says what is asked.
func asked(t *testing.T, request any) part {
	text, err := json.Marshal(request)
	require.NoError(t, err)
	return part{"request", string(text)}
}

// listed returns the part of a form that has URLs.
func listed(urls ...string) part { return part{"urls", strings.Join(urls, "\n")} }

func repeated(text string, n int) string { return strings.Repeat(text, n) }
