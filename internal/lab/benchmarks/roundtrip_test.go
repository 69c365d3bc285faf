package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/temoto/robotstxt"
)

// BenchmarkRoundTrip measures what a request costs before it is sent, whose
// origin's robots.txt is known, with a Base that answers at once:
//
//	bare     Base alone
//	map      Base, and a look-up of the host in a map behind a sync.RWMutex
//	today    what scrapers do: a mutex, a map by host, temoto/robotstxt
//	polite   a polite.Transport: allowed requests
//	query    the same with a query, as many have
//	nameless the same without a User-Agent, which it adds
//	refused  refused requests, with the error that explains it
//
// Each for requests to one origin or in turn to 100,000, on one goroutine or
// eight.
func BenchmarkRoundTrip(b *testing.B) {
	input, err := load(os.Getenv("POLITE_CORPUS"))
	if err != nil {
		b.Fatal(err)
	}
	for _, origins := range []int{1, 100_000} {
		w := newWeb(input, origins)
		transports := []struct {
			name, target string
			header       http.Header
			http.RoundTripper
		}{
			{"bare", "/a/page", identified, w},
			{"map", "/a/page", identified, w.indexed()},
			{"today", "/a/page", identified, w.today()},
			{"polite", "/a/page", identified, w.polite()},
			{"query", "/a/page?id=1", identified, w.polite()},
			{"nameless", "/a/page", nil, w.polite()},
			{"refused", "/never", identified, w.polite()},
		}
		for _, t := range transports {
			for _, goroutines := range []int{1, 8} {
				b.Run(fmt.Sprintf("origins=%d/goroutines=%d/%s", origins, goroutines, t.name), func(b *testing.B) {
					req, err := http.NewRequest(http.MethodGet, "https://example.com"+t.target, nil)
					if err != nil {
						b.Fatal(err)
					}
					req.Header = t.header
					w.drive(t, req, 8, origins) // so that it knows them
					b.ReportAllocs()
					b.ResetTimer()
					w.drive(t, req, goroutines, b.N)
				})
			}
		}
	}
}

// indexed looks hosts up.
type indexed struct {
	base  http.RoundTripper
	mu    sync.RWMutex
	hosts map[string]int
}

func (w *web) indexed() http.RoundTripper {
	x := &indexed{base: w, hosts: make(map[string]int)}
	for i, host := range w.hosts {
		x.hosts[strings.Clone(host)] = i
	}
	return x
}

func (x *indexed) RoundTrip(req *http.Request) (*http.Response, error) {
	x.mu.RLock()
	_, ok := x.hosts[req.URL.Host]
	x.mu.RUnlock()
	if !ok {
		return nil, errRefused
	}
	return x.base.RoundTrip(req)
}

// today is the way of a scraper that means well.
type today struct {
	base  http.RoundTripper
	mu    sync.Mutex
	files map[string]*robotstxt.RobotsData
}

func (w *web) today() http.RoundTripper {
	files := make(map[string]*robotstxt.RobotsData)
	x := &today{base: w, files: make(map[string]*robotstxt.RobotsData)}
	for _, host := range w.hosts {
		body := w.bodies[host]
		if files[body] == nil {
			data, err := robotstxt.FromString(body)
			if err != nil {
				panic(err)
			}
			files[body] = data
		}
		x.files[strings.Clone(host)] = files[body]
	}
	return x
}

var errRefused = fmt.Errorf("refused")

func (x *today) RoundTrip(req *http.Request) (*http.Response, error) {
	x.mu.Lock()
	data := x.files[req.URL.Host]
	x.mu.Unlock()
	if !data.TestAgent(req.URL.Path, req.UserAgent()) {
		return nil, errRefused
	}
	return x.base.RoundTrip(req)
}
