package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
)

// A web is the sites of the demo, played by one server that logs each request.
type web struct {
	pages  map[string]page // by URL; others do not exist
	server *httptest.Server

	mu  sync.Mutex
	log []arrival
}

// A page is an answer of a site.
type page struct {
	status   int
	location string // where it redirects to, if it does
	body     string
}

// An arrival is a request as the server saw it.
type arrival struct {
	method, url string
	status      int // of the answer
}

// openWeb returns a web of pages. Close its server at the end.
func openWeb(pages map[string]page) *web {
	w := &web{pages: pages}
	w.server = httptest.NewServer(w)
	return w
}

// transport returns a new transport that finds every host here.
func (w *web) transport() *http.Transport {
	return &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, w.server.Listener.Addr().String())
	}}
}

// ServeHTTP answers with the page of a URL.
func (w *web) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	url := "http://" + req.Host + req.RequestURI
	page, ok := w.pages[url]
	if !ok {
		page.status = http.StatusNotFound
		url = strconv.QuoteToASCII(url) // anyone on this machine may send it
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
func (w *web) arrived() []arrival {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.log)
}
