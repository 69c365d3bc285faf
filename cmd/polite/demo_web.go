package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"

	"github.com/go-polite/polite/internal/printable"
)

// A demoWeb is the sites of the demo, played by one server that logs each request.
type demoWeb struct {
	pages   map[string]demoPage // by URL; others do not exist
	address string              // of the server
	server  *http.Server
	serving sync.WaitGroup

	mu  sync.Mutex
	log []arrival
}

// A demoPage is an answer of a site.
type demoPage struct {
	status   int
	location string // where it redirects to, if it does
	body     string
}

// An arrival is a request as the server saw it.
type arrival struct {
	method, url string
	status      int // of the answer
}

func openDemoWeb(pages map[string]demoPage) (*demoWeb, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &demoWeb{pages: pages, address: listener.Addr().String()}
	w.server = &http.Server{Handler: w}
	w.serving.Go(func() { w.server.Serve(listener) })
	return w, nil
}

func (w *demoWeb) close() {
	w.server.Close()
	w.serving.Wait()
}

// transport returns a new transport that finds every host here.
func (w *demoWeb) transport() *http.Transport {
	return &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, w.address)
	}}
}

// ServeHTTP answers with the page of a URL.
func (w *demoWeb) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	url := printable.URL("http://" + req.Host + req.RequestURI) // anyone on this machine may send it
	page, ok := w.pages[url]
	if !ok {
		page.status = http.StatusNotFound
	}
	w.mu.Lock()
	w.log = append(w.log, arrival{req.Method, url, page.status})
	w.mu.Unlock()
	if page.location != "" {
		rw.Header().Set("Location", page.location)
	}
	rw.WriteHeader(page.status)
	io.WriteString(rw, page.body)
}

// arrived returns the requests that have arrived until now, in their order.
func (w *demoWeb) arrived() []arrival {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.log)
}
