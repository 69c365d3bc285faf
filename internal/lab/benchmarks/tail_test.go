package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite"
)

// BenchmarkTail measures the slowest requests to origins that are known, while others that
// are not known come and go: each of them is fetched and parsed, and makes the Cache forget
// another, and the garbage collector is always at work. The control computes for as long as
// the median request takes, and asks for nothing: the machine and the collector hold it up
// as often. A run without evictions fails, since it has measured something else.
func BenchmarkTail(b *testing.B) {
	input, err := load(os.Getenv("POLITE_CORPUS"))
	if err != nil {
		b.Fatal(err)
	}
	const known = 1000
	w := newWeb(input, 100_000)
	cache := &polite.Cache{MaxBytes: 2 << 20}
	t := &polite.Transport{UserAgent: agent, Base: w, Pace: polite.Pace{MaxDelay: polite.NoDelay}, Cache: cache}
	for _, name := range []string{"control", "polite"} {
		b.Run(name, func(b *testing.B) {
			ctx, cancel := context.WithCancel(b.Context())
			var others sync.WaitGroup
			defer others.Wait()
			defer cancel()
			others.Go(func() { w.visit(ctx, t, w.hosts[known:]) })
			req, took := request(), make([]time.Duration, 0, 1<<22)
			for i := 0; i < 20*known || cache.Stats().Evictions == 0; i++ {
				before := time.Now()
				w.send(t, req, w.hosts[i%known])
				took = append(took, time.Since(before))
			}
			measured := func(host string) { w.send(t, req, host) }
			if name == "control" {
				slices.Sort(took)
				turns := turnsIn(took[len(took)/2])
				measured = func(string) { spin(turns) }
			}
			took = took[:0]
			evictions := cache.Stats().Evictions
			for i := 0; b.Loop(); i++ {
				before := time.Now()
				measured(w.hosts[i%known])
				took = append(took, time.Since(before))
			}
			evictions = cache.Stats().Evictions - evictions
			if evictions == 0 {
				b.Fatal("nothing was evicted: the run is too short")
			}
			slices.Sort(took)
			for _, part := range []float64{0.5, 0.99, 0.999} {
				b.ReportMetric(float64(took[int(part*float64(len(took)-1))].Nanoseconds()), fmt.Sprintf("p%v-ns", 100*part))
			}
			b.ReportMetric(float64(evictions), "evictions")
		})
	}
}

// turnsIn returns how many turns of spin take so long.
func turnsIn(d time.Duration) int {
	const turns = 100_000
	return int(turns * float64(d) / leastOf(10, func() { spin(turns) }))
}

//go:noinline
func spin(turns int) (x uint64) {
	for range turns {
		x = x*6364136223846793005 + 1442695040888963407 // each turn needs the one before
	}
	return x
}

// visit sends requests to hosts in turn until ctx ends.
func (w *web) visit(ctx context.Context, t http.RoundTripper, hosts []string) {
	for i := 0; ctx.Err() == nil; i++ {
		w.send(t, request().WithContext(ctx), hosts[i%len(hosts)])
	}
}
