//go:build unix

package integration

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/go-polite/polite"
	"github.com/gocolly/colly/v2"
	"github.com/temoto/robotstxt"
)

// BenchmarkCrawl measures whole crawls on sockets: 10,000 pages of 100 origins, a fifth of
// them disallowed, fetched by 16 goroutines. It tells what arrived, the CPU time, which
// includes that of the server, and what was allocated.
//
//	bare   an http.Client without robots.txt
//	polite the same with polite
//	temoto the same with a mutex, a map by host, and temoto/robotstxt
//	colly  colly with its own robots.txt
func BenchmarkCrawl(b *testing.B) {
	for _, test := range []struct {
		name string
		make func(base http.RoundTripper) func(url string)
	}{
		{"bare", func(base http.RoundTripper) func(string) { return getting(base) }},
		{"polite", func(base http.RoundTripper) func(string) {
			return getting(&polite.Transport{UserAgent: userAgent, Base: base})
		}},
		{"temoto", func(base http.RoundTripper) func(string) { return getting(&mapped{base: base}) }},
		{"colly", func(base http.RoundTripper) func(string) {
			c := colly.NewCollector(colly.UserAgent(userAgent))
			c.IgnoreRobotsTxt = false
			c.WithTransport(base)
			return func(url string) { c.Visit(url) }
		}},
	} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				site := newSite()
				before := computed()
				site.crawl(test.make(site.base()))
				b.ReportMetric(float64(computed()-before)/1e9, "cpu-s")
				b.ReportMetric(float64(site.pages.Load()), "pages")
				b.ReportMetric(float64(site.disallowed.Load()), "disallowed")
				b.ReportMetric(float64(site.robots.Load()), "robots.txt")
				site.Close()
			}
		})
	}
}

// computed returns the time that the process has computed.
func computed() int64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func getting(transport http.RoundTripper) func(url string) {
	client := &http.Client{Transport: transport}
	return func(url string) {
		req, _ := http.NewRequest(http.MethodGet, url, nil)
		req.Header.Set("User-Agent", userAgent)
		if resp, err := client.Do(req); err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	}
}

// A mapped obeys robots.txt in the way of many scrapers.
type mapped struct {
	base  http.RoundTripper
	mu    sync.Mutex
	files map[string]*robotstxt.RobotsData
}

func (m *mapped) RoundTrip(req *http.Request) (*http.Response, error) {
	file, err := m.file(req)
	if err != nil || !file.TestAgent(req.URL.Path, userAgent) {
		return nil, fmt.Errorf("disallowed: %v", err)
	}
	return m.base.RoundTrip(req)
}

func (m *mapped) file(req *http.Request) (*robotstxt.RobotsData, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if file := m.files[req.URL.Host]; file != nil {
		return file, nil
	}
	ask, _ := http.NewRequest(http.MethodGet, "http://"+req.URL.Host+"/robots.txt", nil)
	resp, err := m.base.RoundTrip(ask)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	file, err := robotstxt.FromResponse(resp)
	if m.files == nil {
		m.files = make(map[string]*robotstxt.RobotsData)
	}
	m.files[req.URL.Host] = file
	return file, err
}

// A site is a server for all origins, which counts what arrives.
type site struct {
	*httptest.Server
	robots, pages, disallowed atomic.Int64
}

func newSite() *site {
	s := new(site)
	body := rules + strings.Repeat("disallow: /some/folder/*.html\n", 20)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch {
		case req.URL.Path == "/robots.txt":
			s.robots.Add(1)
			io.WriteString(w, body)
			return
		case strings.HasPrefix(req.URL.Path, "/private"):
			s.disallowed.Add(1)
		}
		s.pages.Add(1)
		io.WriteString(w, page)
	}))
	return s
}

func (s *site) base() *http.Transport {
	return &http.Transport{MaxIdleConnsPerHost: 16, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, s.Listener.Addr().String())
	}}
}

func (s *site) crawl(get func(url string)) {
	runtime.GC()
	var crowd sync.WaitGroup
	for worker := range 16 {
		crowd.Go(func() {
			for i := worker; i < 10_000; i += 16 {
				path := "page"
				if i/100%5 == 0 {
					path = "private"
				}
				get(fmt.Sprintf("http://www.site-%d.example/%s/%d", i%100, path, i))
			}
		})
	}
	crowd.Wait()
}
