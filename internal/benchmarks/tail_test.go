package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite"
)

// BenchmarkTail measures the slowest requests to origins that are known, while others that
// are not known come and go: each of them is fetched and parsed, and makes the Cache forget
// another, and the garbage collector is always at work. The same with Base alone shows what
// the machine and the collector add.
func BenchmarkTail(b *testing.B) {
	input, err := load(os.Getenv("POLITE_CORPUS"))
	if err != nil {
		b.Fatal(err)
	}
	const known = 1000
	w := newWeb(input, 100_000)
	t := &polite.Transport{UserAgent: agent, Base: w, Pace: polite.Pace{MaxDelay: polite.NoDelay}, Cache: &polite.Cache{MaxBytes: 2 << 20}}
	for _, test := range []struct {
		name string
		http.RoundTripper
	}{{"bare", w}, {"polite", t}} {
		b.Run(test.name, func(b *testing.B) {
			ctx, cancel := context.WithCancel(b.Context())
			var others sync.WaitGroup
			defer others.Wait()
			defer cancel()
			others.Go(func() { w.visit(ctx, t, w.hosts[known:]) })
			took := make([]time.Duration, 0, b.N)
			req := request()
			for i := range 20 * known {
				w.send(test, req, w.hosts[i%known])
			}
			b.ResetTimer()
			for i := range b.N {
				before := time.Now()
				w.send(test, req, w.hosts[i%known])
				took = append(took, time.Since(before))
			}
			slices.Sort(took)
			for _, part := range []float64{0.5, 0.99, 0.999} {
				b.ReportMetric(float64(took[int(part*float64(len(took)-1))].Nanoseconds()), fmt.Sprintf("p%v-ns", 100*part))
			}
			b.ReportMetric(float64(t.Cache.Stats().Evictions), "evictions")
		})
	}
}

// visit sends requests to hosts in turn until ctx ends.
func (w *web) visit(ctx context.Context, t http.RoundTripper, hosts []string) {
	for i := 0; ctx.Err() == nil; i++ {
		host := hosts[i%len(hosts)]
		req := &http.Request{Method: http.MethodGet, URL: &url.URL{Scheme: "https", Host: host, Path: "/a/page"}, Header: identified}
		t.RoundTrip(req.WithContext(ctx))
	}
}
