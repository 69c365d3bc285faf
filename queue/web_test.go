package queue_test

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
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
	site   func(host string) site
	silent bool // it does not say when it writes

	mu       sync.Mutex
	arrivals []arrival
	robots   int

	under, most int64        // requests under way, and at most
	came        atomic.Int64 // requests, in the order in which polite hands them on
	open, twice atomic.Int64 // bodies that are not closed, and those that were closed again
	tried       atomic.Int64 // requests that polite got
}

// A site is how one host of the web behaves.
type site struct {
	robots string        // ""; there is none
	down   bool          // robots.txt answers 503
	lost   bool          // there is no such host
	takes  time.Duration // to answer
	rules  time.Duration // to answer for robots.txt, if it is not takes
	hangs  bool          // pages take for ever
	page   func(path string) (status int, header http.Header)
}

type arrival struct {
	came      int64
	at        time.Time
	host, uri string
	user      string // and its password
	method    string
	cookie    string
	body      string
}

func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	came := w.came.Add(1) // before another request of the lane may come
	if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.GotConn != nil && !w.silent {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	if req.Context().Err() != nil {
		return nil, req.Context().Err()
	}
	w.count(1)
	defer w.count(-1)
	at := w.site(req.URL.Host)
	if at.lost {
		return nil, &net.DNSError{Err: "no such host", Name: req.URL.Host, IsNotFound: true}
	}
	w.arrive(req, came)
	if at.hangs && req.URL.Path != "/robots.txt" {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	takes := at.takes
	if req.URL.Path == "/robots.txt" && at.rules > 0 {
		takes = at.rules
	}
	if takes > 0 {
		answer := time.NewTimer(takes)
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
		status, header = at.page(req.URL.Path)
	}
	w.open.Add(1)
	return &http.Response{StatusCode: status, Header: header, Body: &body{Reader: strings.NewReader(text), web: w}, Request: req}, nil
}

func (w *web) count(under int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.under += under
	w.most = max(w.most, w.under)
}

// arrive notes that a request arrives.
func (w *web) arrive(req *http.Request, came int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if req.URL.Path == "/robots.txt" {
		w.robots++
		return
	}
	user := ""
	if name, password, ok := req.BasicAuth(); ok {
		user = name + ":" + password
	}
	text := ""
	if req.Body != nil {
		body, _ := io.ReadAll(req.Body)
		req.Body.Close()
		text = string(body)
	}
	w.arrivals = append(w.arrivals, arrival{came, time.Now(), cmp.Or(req.Host, req.URL.Host), req.URL.RequestURI(), user, req.Method, req.Header.Get("Cookie"), text})
}

// vain returns how many tries did not arrive.
func (w *web) vain() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tried.Load() - int64(len(w.arrivals))
}

// inOrder returns what arrived in the order in which it was handed on: of two requests that are sent
// at the same moment, either may arrive first.
func (w *web) inOrder() []arrival {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.SortedFunc(slices.Values(w.arrivals), func(a, b arrival) int { return cmp.Compare(a.came, b.came) })
}

// pages returns the pages that arrived at a host, in order; with "", at all.
func (w *web) pages(host string) (uris []string) {
	for _, a := range w.inOrder() {
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
	transport.Policy.Exempt = func(*http.Request) bool {
		w.tried.Add(1)
		return false
	}
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
