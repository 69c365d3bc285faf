package benchmarks

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/redis/rueidis"
)

// How many pages a fleet gets, how many commands one costs, and how much of the server's time, where processes
// share a lane.
func BenchmarkCommandsOfAFleet(b *testing.B) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}))
	b.Cleanup(site.Close)
	for _, processes := range []int{1, 2, 8, 16, 50} {
		for _, pace := range []polite.Pace{
			{MinDelay: 50 * time.Millisecond}, {MinDelay: 250 * time.Millisecond},
			{MinDelay: 50 * time.Millisecond, Concurrency: 4}, {MinDelay: 250 * time.Millisecond, Concurrency: 2}, {Concurrency: 4}, {Concurrency: 1},
		} {
			b.Run(fmt.Sprintf("%d processes, gap %v, %d slots", processes, pace.MinDelay, pace.Concurrency), func(b *testing.B) {
				address := startServer(b)
				admin := connect(b, address)
				ctx, stop := context.WithCancel(b.Context())
				var pages atomic.Int64
				var work sync.WaitGroup
				for range processes {
					client := &http.Client{Transport: &polite.Transport{
						UserAgent: "examplebot/1.0 (+https://example.org/bot)",
						Cache:     &polite.Cache{Store: open(b, address)}, Pace: pace,
					}}
					for range 4 {
						work.Go(func() {
							for ctx.Err() == nil {
								req, _ := http.NewRequestWithContext(ctx, "GET", site.URL, nil)
								if resp, err := client.Do(req); err == nil {
									resp.Body.Close()
									pages.Add(1)
								}
							}
						})
					}
				}
				time.Sleep(3 * time.Second) // all hear
				const measured = 6 * time.Second
				for b.Loop() {
					before, usec, had := commands(b, admin), microseconds(b, admin), pages.Load()
					time.Sleep(measured)
					n := float64(pages.Load() - had)
					b.ReportMetric(n/measured.Seconds(), "pages/s")
					b.ReportMetric(float64(commands(b, admin)-before)/n, "turns/page")
					b.ReportMetric((microseconds(b, admin)-usec)/n, "µs/page")
				}
				stop()
				work.Wait()
			})
		}
	}
}

// microseconds returns for how long scripts have run.
func microseconds(b *testing.B, admin rueidis.Client) (sum float64) {
	info, err := admin.Do(b.Context(), admin.B().Info().Section("commandstats").Build()).ToString()
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(info) {
		if name, rest, _ := strings.Cut(line, ":"); strings.HasPrefix(name, "cmdstat_eval") {
			var calls, usec float64
			fmt.Sscanf(rest, "calls=%f,usec=%f", &calls, &usec)
			sum += usec
		}
	}
	return sum
}
