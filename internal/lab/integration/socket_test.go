package integration

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-polite/polite"
)

// BenchmarkSocket fetches small pages of one origin on sockets of the same machine, by one goroutine and by
// sixteen, and reports the CPU time of a page, the server's included. A profile says which part of it is
// polite's: see docs/speed.md.
func BenchmarkSocket(b *testing.B) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			io.WriteString(w, "User-agent: *\nDisallow: /private\n")
			return
		}
		io.WriteString(w, "a page")
	}))
	defer site.Close()
	for _, goroutines := range []int{1, 16} {
		base := http.DefaultTransport.(*http.Transport).Clone()
		base.MaxIdleConnsPerHost = goroutines
		for _, test := range []struct {
			name string
			http.RoundTripper
		}{
			{"bare", base},
			{"polite", &polite.Transport{UserAgent: userAgent, Base: base}},
		} {
			b.Run(fmt.Sprintf("goroutines=%d/%s", goroutines, test.name), func(b *testing.B) {
				get := getting(test.RoundTripper)
				get(site.URL + "/first") // so that robots.txt is known
				var left atomic.Int64
				left.Store(int64(b.N))
				before := computed()
				b.ResetTimer()
				var group sync.WaitGroup
				for range goroutines {
					group.Go(func() {
						for left.Add(-1) >= 0 {
							get(site.URL + "/page")
						}
					})
				}
				group.Wait()
				b.ReportMetric(float64(computed()-before)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}
