package queue_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/queue"
)

// A web is made up: a Base that plays all sites, and says when it writes a request, as
// http.Transport does.
type web struct {
	site func(host string) site

	mu       sync.Mutex
	arrivals []arrival
	robots   int

	under, most atomic.Int64 // requests under way
	open        atomic.Int64 // bodies that were opened and not closed
	twice       atomic.Int64 // bodies that were closed again
}

// A site is how one host of the web behaves.
type site struct {
	robots string        // ""; there is none
	down   bool          // robots.txt answers 503
	takes  time.Duration // to answer
	page   func(req *http.Request, n int) (status int, header http.Header)
}

type arrival struct {
	at        time.Time
	host, uri string
}

func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	if req.Context().Err() != nil {
		return nil, req.Context().Err()
	}
	w.most.Store(max(w.most.Load(), w.under.Add(1)))
	defer w.under.Add(-1)
	at := w.site(req.URL.Host)
	n := w.arrive(req)
	if at.takes > 0 {
		answer := time.NewTimer(at.takes)
		defer answer.Stop()
		select {
		case <-answer.C:
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
	status, header := http.StatusOK, http.Header{}
	text := "a page"
	switch {
	case req.URL.Path == "/robots.txt" && at.down:
		status, text = http.StatusServiceUnavailable, ""
	case req.URL.Path == "/robots.txt" && at.robots == "":
		status, text = http.StatusNotFound, ""
	case req.URL.Path == "/robots.txt":
		text = at.robots
	case at.page != nil:
		status, header = at.page(req, n)
	}
	w.open.Add(1)
	return &http.Response{StatusCode: status, Header: header, Body: &body{Reader: strings.NewReader(text), web: w}, Request: req}, nil
}

// arrive notes that a request arrives, and returns how many pages arrived before.
func (w *web) arrive(req *http.Request) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if req.URL.Path == "/robots.txt" {
		w.robots++
		return 0
	}
	w.arrivals = append(w.arrivals, arrival{time.Now(), req.URL.Host, req.URL.RequestURI()})
	return len(w.arrivals) - 1
}

// pages returns the pages that arrived at a host, in order; with "", at all.
func (w *web) pages(host string) (uris []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.arrivals {
		if host == "" || a.host == host {
			uris = append(uris, a.uri)
		}
	}
	return uris
}

type body struct {
	io.Reader
	web    *web
	closed atomic.Bool
}

func (b *body) Close() error {
	if b.closed.Swap(true) {
		b.web.twice.Add(1)
		return errors.New("closed twice")
	}
	b.web.open.Add(-1)
	return nil
}

// newQueue returns a queue for the web.
func newQueue(w *web, pace polite.Pace) *queue.Queue[int] {
	transport := &polite.Transport{UserAgent: "ExampleBot/1.0", Base: w, Pace: pace}
	return &queue.Queue[int]{Client: &http.Client{Transport: transport}}
}

// push pushes pages of a host, and gives each its number.
func push(t testing.TB, q *queue.Queue[int], host string, pages int) {
	for i := range pages {
		if err := q.Push(fmt.Sprintf("http://%s/%d", host, i), i); err != nil {
			t.Fatal(err)
		}
	}
}

// delayed is a robots.txt that asks for so many seconds between two requests.
func delayed(seconds int) string { return fmt.Sprintf("user-agent: *\ncrawl-delay: %d\n", seconds) }
