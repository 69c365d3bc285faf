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

// sites are any number of hosts, played by one HTTP server on this machine that
// logs what arrives.
type sites struct {
	pages    map[string]page // by URL
	listener net.Listener
	server   *http.Server
	serving  sync.WaitGroup

	mu  sync.Mutex
	log arrivals
}

type page struct {
	status   int
	location string
	body     string
}

func startSites(pages map[string]page) (*sites, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sites{pages: pages, listener: listener}
	s.server = &http.Server{Handler: s}
	s.serving.Go(func() { s.server.Serve(listener) })
	return s, nil
}

func (s *sites) stop() {
	s.server.Close()
	s.serving.Wait()
}

// transport returns one that finds every host here.
func (s *sites) transport() *http.Transport {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, s.listener.Addr().String())
	}
	return &http.Transport{DialContext: dial}
}

// ServeHTTP logs the request and answers it.
func (s *sites) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	url := printable.URL("http://" + r.Host + r.RequestURI) // anybody on this machine can send that
	p, ok := s.pages[url]
	if !ok {
		p.status = http.StatusNotFound
	}
	s.mu.Lock()
	s.log = append(s.log, arrival{r.Method, url, p.status})
	s.mu.Unlock()

	if p.location != "" {
		w.Header().Set("Location", p.location)
	}
	w.WriteHeader(p.status)
	io.WriteString(w, p.body)
}

// arrivals returns what has arrived until now, in order.
func (s *sites) arrivals() arrivals {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// An arrival is a request as the server saw it, and the status of its answer.
type arrival struct {
	method, url string
	status      int
}

type arrivals []arrival

func (l arrivals) only(want func(arrival) bool) arrivals {
	var kept arrivals
	for _, a := range l {
		if want(a) {
			kept = append(kept, a)
		}
	}
	return kept
}

// count returns how many of hops are among the arrivals.
func (l arrivals) count(hops []hop) int {
	n := 0
	for _, h := range hops {
		if slices.ContainsFunc(l, func(a arrival) bool { return a.method == h.method && a.url == h.url }) {
			n++
		}
	}
	return n
}

// distinct returns the number of different URLs among the arrivals.
func (l arrivals) distinct() int {
	urls := make(map[string]bool)
	for _, a := range l {
		urls[a.url] = true
	}
	return len(urls)
}
