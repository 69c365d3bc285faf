package benchmarks

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/redisfleet/internal/network"
)

const (
	sharedGap = 250 * time.Millisecond
	measured  = 15 * time.Second
	warmUp    = 5 * time.Second
)

// How much of what one client may send many processes send together, to one site with a gap:
// with connections that are kept and with new ones, near the server and far from it.
func BenchmarkSharedLane(b *testing.B) {
	for _, test := range []struct {
		name      string
		processes int
		dials     bool          // each request connects, for 80 to 120 ms
		away      time.Duration // the server, there and back
	}{
		{"1 process", 1, false, 0},
		{"8 processes", 8, false, 0},
		{"1 process that dials", 1, true, 0},
		{"8 processes that dial", 8, true, 0},
		{"8 processes, 20 ms away", 8, false, 20 * time.Millisecond},
		{"8 processes, 80 ms away", 8, false, 80 * time.Millisecond},
		{"8 processes that dial, 80 ms away", 8, true, 80 * time.Millisecond},
	} {
		b.Run(test.name, func(b *testing.B) {
			proxy := network.Start(b, startServer(b))
			proxy.Set(func(d *network.Does) { d.Delay = test.away })
			var pages atomic.Int64
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/" {
					pages.Add(1)
				} else {
					http.NotFound(w, r)
				}
			}))
			b.Cleanup(site.Close)
			ctx, stop := context.WithCancel(b.Context())
			var all sync.WaitGroup
			var slack atomic.Int64
			for range test.processes {
				fleet := openAt(b, proxy.URL())
				all.Go(func() { crawl(ctx, fleet, site.URL, test.dials, &slack) })
			}
			for b.Loop() {
				time.Sleep(warmUp)
				before := pages.Load()
				time.Sleep(measured)
				sent := float64(pages.Load() - before)
				b.ReportMetric(100*sent*sharedGap.Seconds()/measured.Seconds(), "%-of-one-client")
			}
			stop()
			all.Wait()
			b.ReportMetric(float64(slack.Load())/1e6, "slack-ms")
		})
	}
}

// crawl lets a process with four workers visit a site until ctx ends.
func crawl(ctx context.Context, fleet *redisfleet.Fleet, url string, dials bool, slack *atomic.Int64) {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.DisableKeepAlives = dials
	base.DialContext = func(ctx context.Context, kind, address string) (net.Conn, error) {
		if dials {
			time.Sleep(80*time.Millisecond + rand.N(40*time.Millisecond))
		}
		return new(net.Dialer).DialContext(ctx, kind, address)
	}
	cache := &polite.Cache{Store: fleet}
	client := &http.Client{Transport: &polite.Transport{
		UserAgent: "examplebot/1.0 (+https://example.org/bot)", Cache: cache, Base: base, Pace: polite.Pace{MinDelay: sharedGap},
	}}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for ctx.Err() == nil {
				req, _ := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
				if resp, err := client.Do(req); err == nil {
					resp.Body.Close()
				}
			}
		})
	}
	all.Wait()
	slack.Store(int64(cache.Health().Slack))
	client.CloseIdleConnections()
}
