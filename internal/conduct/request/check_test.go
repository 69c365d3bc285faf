package request

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// What net/http promises of an http.RoundTripper holds with polite around it:
// each check is made with a bare *http.Transport and with wrapped ones, and what
// the client and the server see of it must be the same.
type check struct {
	name string
	page http.HandlerFunc // http://example.com/page; nil echoes the request
	act  func(*witness)
	want string // part of what is seen
}

// wrappings are the ways to be polite. Whoever shares a cache finds the rules in
// it; the others ask for them.
var wrappings = []struct {
	name string
	wrap func(*witness) http.RoundTripper
}{
	{"asking", func(w *witness) http.RoundTripper {
		return &polite.Transport{UserAgent: conduct.UserAgent, Base: w.base, Cache: new(polite.Cache)}
	}},
	{"limited", func(w *witness) http.RoundTripper {
		return &polite.Transport{UserAgent: conduct.UserAgent, Base: w.base, Cache: new(polite.Cache), Pace: polite.Pace{Concurrency: 2}}
	}},
	{"knowing", func(w *witness) http.RoundTripper {
		first := &polite.Transport{UserAgent: conduct.UserAgent, Base: w.base, Cache: new(polite.Cache)}
		for _, scheme := range []string{"http", "https"} {
			_, err := first.Check(w.t.Context(), &url.URL{Scheme: scheme, Host: "example.com"})
			assert.NoError(w.t, err)
		}
		return &polite.Transport{UserAgent: conduct.UserAgent, Base: w.base, Cache: first.Cache}
	}},
}

// bare asks for robots.txt too, since connections that are used again differ
// from new ones: of HTTP/2, in Response.Request.
func bare(w *witness) http.RoundTripper {
	for _, scheme := range []string{"http", "https"} {
		_, err := conduct.Get(&http.Client{Transport: w.base}, scheme+"://example.com/robots.txt")
		assert.NoError(w.t, err)
	}
	return w.base
}

// onSockets makes checks on real sockets.
func onSockets(t *testing.T, checks []check) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			seen := c.make(t, origintest.New(t), bare)
			assert.Contains(t, seen, c.want)
			for _, wrapping := range wrappings {
				t.Run(wrapping.name, func(t *testing.T) {
					assert.Equal(t, seen, c.make(t, origintest.New(t), wrapping.wrap))
				})
			}
		})
	}
}

// inMemory makes checks on a clock of their own.
func inMemory(t *testing.T, checks []check) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			var seen string
			synctest.Test(t, func(t *testing.T) { seen = c.make(t, origintest.NewInMemory(t), bare) })
			assert.Contains(t, seen, c.want)
			for _, wrapping := range wrappings {
				t.Run(wrapping.name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						assert.Equal(t, seen, c.make(t, origintest.NewInMemory(t), wrapping.wrap))
					})
				})
			}
		})
	}
}

// make returns what is seen in a check.
func (c check) make(t *testing.T, web *origintest.Server, wrap func(*witness) http.RoundTripper) string {
	page := c.page
	if page == nil {
		page = echo
	}
	web.Robots("example.com", origintest.Text(conduct.Rules))
	web.Page("example.com", "/page", page)
	web.Page("example.com", "/echo", echo)
	web.Page("other.example", "/echo", echo)
	w := &witness{t: t, web: web, base: web.Transport(t)}
	w.transport = wrap(w)
	c.act(w)
	return strings.Join(w.notes, "\n")
}

// A witness sends requests, and takes notes.
type witness struct {
	t         *testing.T
	web       *origintest.Server
	base      *http.Transport
	transport http.RoundTripper // base, or what is around it

	mu    sync.Mutex
	notes []string
}

func (w *witness) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

// request returns a request with a User-Agent of ours, so that polite leaves it.
func (w *witness) request(method, url string, edits ...edit) *http.Request {
	req, err := http.NewRequestWithContext(w.t.Context(), method, url, nil)
	if !assert.NoError(w.t, err) {
		return nil
	}
	req.Header.Set("User-Agent", "ExampleBot/witness")
	for _, edit := range edits {
		req = edit(req)
	}
	return req
}

// roundTrip sends req, and notes what holds whatever comes of it.
func (w *witness) roundTrip(req *http.Request) (*http.Response, error) {
	before := conduct.Snapshot(req)
	resp, err := w.transport.RoundTrip(req)
	assert.Equal(w.t, before, conduct.Snapshot(req), "the request is not changed")
	assert.NotEqual(w.t, resp == nil, err == nil, "a response or an error")
	if resp != nil {
		w.note("Response.Request is the request: %t", req == resp.Request)
	}
	return resp, err
}

// exchange sends a request and notes all there is to see of it.
func (w *witness) exchange(req *http.Request) {
	resp, err := w.roundTrip(req)
	w.describe(resp, err)
	if err == nil { // else it is a matter of chance whether it has arrived
		w.arrived()
	}
	w.closed(req)
}

// closed notes how often the body of a request was closed, if it has one.
func (w *witness) closed(req *http.Request) {
	if sent, ok := req.Body.(*sending); ok {
		w.await(sent.done, "the body of the request is closed")
		w.note("body closed %d times", sent.closed.Load())
	}
}

// describe notes all that a response tells, or the error.
func (w *witness) describe(resp *http.Response, err error) {
	if err != nil {
		w.note("error: %v", err)
		return
	}
	defer resp.Body.Close()
	w.note("%s %s, length %d, coding %v, uncompressed %t, close %t, TLS %t, empty %t", resp.Proto, resp.Status,
		resp.ContentLength, resp.TransferEncoding, resp.Uncompressed, resp.Close, resp.TLS != nil, resp.Body == http.NoBody)
	resp.Header.Del("Date")
	w.note("header: %v, trailer to come: %v", resp.Header, resp.Trailer)
	body, err := io.ReadAll(resp.Body)
	w.note("body: %s, %v, trailer: %v", brief(body), err, resp.Trailer)
	w.note("closed: %v", resp.Body.Close())
	_, err = resp.Body.Read(make([]byte, 1))
	w.note("read once more: %v", err)
}

// visit fetches url, so that its robots.txt is known from then on. What comes next has a Base
// of its own, which has no connection. CloseIdleConnections would not do: a context that ends
// with the body lets Close return before net/http has forgotten the HTTP/2 stream, so that the
// connection is not idle yet.
func (w *witness) visit(url string) {
	resp, err := w.roundTrip(w.request("GET", url))
	if assert.NoError(w.t, err) {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	w.base = w.web.Transport(w.t)
	if knowing, ok := w.transport.(*polite.Transport); ok {
		w.transport = &polite.Transport{UserAgent: conduct.UserAgent, Base: w.base, Cache: knowing.Cache, Pace: knowing.Pace}
	} else {
		w.transport = w.base
	}
}

// arrived notes the requests that have arrived, but those for robots.txt.
func (w *witness) arrived() {
	for _, a := range w.web.Log().Pages() {
		w.note("arrived: %s %s%s %v", a.Method, a.Host, a.URI, a.Header)
	}
}

// connections notes how many connections were used for pages.
func (w *witness) connections() {
	peers := make(map[string]bool)
	for _, a := range w.web.Log().Pages() {
		peers[a.From] = true
	}
	w.note("connections: %d", len(peers))
}

func (w *witness) await(event <-chan struct{}, what string) {
	select {
	case <-event:
	case <-time.After(10 * time.Second):
		assert.Fail(w.t, "not within 10 seconds: "+what)
	}
}

// send makes one exchange.
func send(method, url string, edits ...edit) func(*witness) {
	return func(w *witness) { w.exchange(w.request(method, url, edits...)) }
}

// An edit makes something special of a request.
type edit func(*http.Request) *http.Request

func in(ctx context.Context) edit {
	return func(req *http.Request) *http.Request { return req.WithContext(ctx) }
}

func with(change func(*http.Request)) edit {
	return func(req *http.Request) *http.Request { change(req); return req }
}

func header(name, value string) edit {
	return with(func(req *http.Request) { req.Header.Set(name, value) })
}

// sized gives the request a body whose length is known.
func sized(body string) edit {
	return with(func(req *http.Request) {
		req.Body, req.ContentLength = newSending(strings.NewReader(body)), int64(len(body))
	})
}

// streamed gives the request a body of unknown length.
func streamed(body string) edit {
	return with(func(req *http.Request) { req.Body = newSending(strings.NewReader(body)) })
}

// from gives the request what is read from r for a body.
func from(r io.Reader) edit {
	return with(func(req *http.Request) { req.Body = newSending(r) })
}

// A sending is the body of a request, which tells what is done with it.
type sending struct {
	io.Reader
	closed atomic.Int32
	done   chan struct{} // it is closed
}

func newSending(r io.Reader) *sending { return &sending{Reader: r, done: make(chan struct{})} }

func (s *sending) Close() error {
	if s.closed.Add(1) == 1 {
		close(s.done)
	}
	return nil
}

// echo answers with all that it sees of the request.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	fmt.Fprintf(w, "%s %s %s of %s, length %d, coding %v\n", r.Method, r.RequestURI, r.Proto, r.Host, r.ContentLength, r.TransferEncoding)
	fmt.Fprintf(w, "header %v, body %s %v, trailer %v\n", r.Header, brief(body), err, r.Trailer)
}

// brief returns body, or what tells it from others if it is long.
func brief(body []byte) string {
	if len(body) > 1000 {
		return fmt.Sprintf("%d bytes, %x", len(body), sha256.Sum256(body))
	}
	return fmt.Sprintf("%q", body)
}
