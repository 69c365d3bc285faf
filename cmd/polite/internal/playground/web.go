// Package playground plays sites on this machine, for the demo and for the tests of
// the command.
package playground

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"

	"github.com/go-polite/polite/internal/printable"
)

// A Web is any number of hosts, played by one HTTP server that logs each request.
type Web struct {
	URL string // where the server itself listens: http://127.0.0.1 with a port

	pages   map[string]http.Handler
	server  *http.Server
	serving sync.WaitGroup

	mu  sync.Mutex
	log Log
}

// A Page is an answer of a site.
type Page struct {
	Status   int
	Location string // where it redirects to, if it does
	Body     string
}

// ServeHTTP answers with the page.
func (p Page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if p.Location != "" {
		w.Header().Set("Location", p.Location)
	}
	w.WriteHeader(p.Status)
	io.WriteString(w, p.Body)
}

// Open starts a Web with these pages. Each key is a URL, or a path with its query if
// every host has that page. Other pages do not exist: the answer is 404.
func Open(pages map[string]http.Handler) (*Web, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &Web{URL: "http://" + listener.Addr().String(), pages: pages}
	w.server = &http.Server{Handler: http.HandlerFunc(w.answer)}
	w.serving.Go(func() { w.server.Serve(listener) })
	return w, nil
}

// Close stops the server. Requests that it is answering fail.
func (w *Web) Close() {
	w.server.Close()
	w.serving.Wait()
}

// Transport returns a new transport that finds every host here.
func (w *Web) Transport() *http.Transport {
	return &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, w.URL[len("http://"):])
	}}
}

// Log returns the requests that have arrived until now, in their order.
func (w *Web) Log() Log {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.log)
}

func (w *Web) answer(rw http.ResponseWriter, req *http.Request) {
	url := printable.URL("http://" + req.Host + req.RequestURI) // anyone on this machine may send it
	page := w.page(url, req.RequestURI)
	w.mu.Lock()
	n := len(w.log)
	w.log = append(w.log, Arrival{req.Method, url, http.StatusOK})
	w.mu.Unlock()

	page.ServeHTTP(watched{rw, func(status int) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.log[n].Status = status
	}}, req)
}

func (w *Web) page(url, path string) http.Handler {
	for _, key := range []string{url, path} {
		if page, ok := w.pages[key]; ok {
			return page
		}
	}
	return http.NotFoundHandler()
}

// A watched is a ResponseWriter that tells the status it sends.
type watched struct {
	http.ResponseWriter
	tell func(status int)
}

func (w watched) WriteHeader(status int) {
	w.tell(status)
	w.ResponseWriter.WriteHeader(status)
}

func (w watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// A Log is requests in the order in which they arrived.
type Log []Arrival

// An Arrival is a request as the server saw it.
type Arrival struct {
	Method, URL string
	Status      int // of the answer
}

// Only returns the requests that are wanted.
func (l Log) Only(want func(Arrival) bool) Log {
	var kept Log
	for _, a := range l {
		if want(a) {
			kept = append(kept, a)
		}
	}
	return kept
}

// URLs returns the number of different URLs that were asked for.
func (l Log) URLs() int {
	urls := make(map[string]bool)
	for _, a := range l {
		urls[a.URL] = true
	}
	return len(urls)
}
