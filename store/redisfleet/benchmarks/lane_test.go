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

// A shared is a site that some processes visit together.
type shared struct {
	name      string
	processes int
	workers   int           // of each process
	gap       time.Duration // is kept, or, where the site has a limit, is what it allows
	slots     int           // if 0, there is no limit
	page      time.Duration // a page takes so long
	dials     bool          // each request connects, for 80 to 120 ms
	away      time.Duration // the server, there and back
	leave     bool          // the workers of the last process give up after 100 to 300 ms
	limit     int           // if not 0, the site allows so many pages in any time of limit gaps, and answers 429 to others
}

const (
	near   = 250 * time.Millisecond
	warmUp = 5 * time.Second
)

// How much of what one plain client sends many processes send together, to one site: beside each other, so what
// else the machine does harms both.
func BenchmarkSharedLane(b *testing.B) {
	for _, s := range []shared{
		{name: "1 process", processes: 1, workers: 4, gap: near},
		{name: "8 processes", processes: 8, workers: 4, gap: near},
		{name: "1 process that dials", processes: 1, workers: 4, gap: near, dials: true},
		{name: "8 processes that dial", processes: 8, workers: 4, gap: near, dials: true},
		{name: "8 processes, 20 ms away", processes: 8, workers: 4, gap: near, away: 20 * time.Millisecond},
		{name: "8 processes, 80 ms away", processes: 8, workers: 4, gap: near, away: 80 * time.Millisecond},
		{name: "8 processes that dial, 80 ms away", processes: 8, workers: 4, gap: near, dials: true, away: 80 * time.Millisecond},
		{name: "8 processes, a gap of 10 ms", processes: 8, workers: 4, gap: 10 * time.Millisecond},
		{name: "8 processes, a gap of 20 ms", processes: 8, workers: 4, gap: 20 * time.Millisecond},
		{name: "2 processes, one whose callers leave", processes: 2, workers: 5, gap: 200 * time.Millisecond, leave: true},
		{name: "3 processes, one whose callers leave", processes: 3, workers: 5, gap: 200 * time.Millisecond, leave: true},
		{name: "5 processes, 2 slots", processes: 5, workers: 4, slots: 2, page: 300 * time.Millisecond},
		{name: "8 processes, 1 slot", processes: 8, workers: 4, slots: 1, page: 600 * time.Millisecond},
		{name: "3 processes of 16, 50 pages in 10 s", processes: 3, workers: 16, gap: 200 * time.Millisecond, limit: 50},
		{name: "8 processes, 50 pages in 10 s", processes: 8, workers: 4, gap: 200 * time.Millisecond, limit: 50},
	} {
		b.Run(s.name, s.run)
	}
}

func (s shared) run(b *testing.B) {
	proxy := network.Start(b, startServer(b))
	proxy.Set(func(d *network.Does) { d.Delay = s.away })
	ours, plains := s.site(b), s.site(b)
	ctx, stop := context.WithCancel(b.Context())
	var all sync.WaitGroup
	var slack atomic.Int64
	for i := range s.processes {
		fleet := openAt(b, proxy.URL())
		all.Go(func() { s.crawl(ctx, fleet, ours.url, s.leave && i == s.processes-1, &slack) })
	}
	all.Go(func() { s.plain(ctx, plains.url) })
	warm, measured := warmUp, 3*warmUp
	if s.limit > 0 {
		warm, measured = 12*warmUp, 12*warmUp // it is looked for
	}
	for b.Loop() {
		time.Sleep(warm)
		before, plain := ours.pages.Load(), plains.pages.Load()
		time.Sleep(measured)
		b.ReportMetric(100*float64(ours.pages.Load()-before)/float64(plains.pages.Load()-plain), "%-of-a-plain-client")
	}
	stop()
	all.Wait()
	b.ReportMetric(float64(slack.Load())/1e6, "slack-ms")
}

// A site counts its pages.
type site struct {
	url   string
	pages atomic.Int64
}

func (s shared) site(b *testing.B) *site {
	counts := new(site)
	var mu sync.Mutex
	var recent []time.Time
	busy := func() bool {
		mu.Lock()
		defer mu.Unlock()
		for len(recent) > 0 && time.Since(recent[0]) > time.Duration(s.limit)*s.gap {
			recent = recent[1:]
		}
		if len(recent) >= s.limit {
			return true
		}
		recent = append(recent, time.Now())
		return false
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/":
			http.NotFound(w, r)
		case s.limit > 0 && busy():
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			time.Sleep(s.page)
			counts.pages.Add(1)
		}
	}))
	b.Cleanup(server.Close)
	counts.url = server.URL
	return counts
}

func (s shared) base() *http.Transport {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.DisableKeepAlives = s.dials
	base.DialContext = func(ctx context.Context, kind, address string) (net.Conn, error) {
		if s.dials {
			time.Sleep(80*time.Millisecond + rand.N(40*time.Millisecond))
		}
		return new(net.Dialer).DialContext(ctx, kind, address)
	}
	return base
}

// crawl lets a process visit a site until ctx ends.
func (s shared) crawl(ctx context.Context, fleet *redisfleet.Fleet, url string, leave bool, slack *atomic.Int64) {
	cache := &polite.Cache{Store: fleet}
	pace := polite.Pace{MinDelay: s.gap, Concurrency: s.slots}
	if s.limit > 0 {
		pace.MinDelay = 0
	}
	client := &http.Client{Transport: &polite.Transport{
		UserAgent: "examplebot/1.0 (+https://example.org/bot)", Cache: cache, Base: s.base(), Pace: pace,
	}}
	var all sync.WaitGroup
	for range s.workers {
		all.Go(func() {
			for ctx.Err() == nil {
				ctx, cancel := ctx, func() {}
				if leave {
					ctx, cancel = context.WithTimeout(ctx, 100*time.Millisecond+rand.N(200*time.Millisecond))
				}
				get(ctx, client, url)
				cancel()
			}
		})
	}
	all.Wait()
	slack.Store(int64(cache.Health().Slack))
	client.CloseIdleConnections()
}

// plain visits a site with a client that knows the gap and the limit, until ctx ends. As quick as it can be, it
// connects before the gap is over.
func (s shared) plain(ctx context.Context, url string) {
	client := &http.Client{Transport: s.base()}
	var all sync.WaitGroup
	defer all.Wait()
	if s.gap == 0 {
		for range s.slots {
			all.Go(func() {
				for ctx.Err() == nil {
					get(ctx, client, url)
				}
			})
		}
		return
	}
	for tick := time.NewTicker(s.gap); ctx.Err() == nil; {
		select {
		case <-tick.C:
			all.Go(func() { get(ctx, client, url) })
		case <-ctx.Done():
		}
	}
}

func get(ctx context.Context, client *http.Client, url string) {
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if resp, err := client.Do(req); err == nil {
		resp.Body.Close()
	}
}
