package manners

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// seeds is how many crawls each test, and each cell of the table, is the work of.
const seeds = 5

// find returns the kind of site with this name.
func find(t *testing.T, name string) kind {
	for _, k := range kinds() {
		if k.name == name {
			return k
		}
	}
	t.Fatalf("there is no site %q", name)
	return kind{}
}

func TestOfWhatIsAllowed(t *testing.T) {
	for _, tt := range []struct {
		site         string
		allowed, bad float64
	}{
		{"limit of 1/s", 0.95, 0.01},
		{"1/s, burst 10, delayed", 0.99, 0.001},
		{"1/s, burst 10, at once", 0.95, 0.011},
		{"limit of 5/s", 0.935, 0.01},
		{"5/s, burst 10, delayed", 0.99, 0.001},
		{"5/s, burst 10, at once", 0.95, 0.01},
		{"limit of 20/s", 0.86, 0.01},
		{"20/s, burst 10, delayed", 0.97, 0.001},
		{"20/s, burst 10, at once", 0.85, 0.01},
		{"20/s, for a minute 2/s", 0.25, 0.01},
		{"ban by 403 above 10/s", 0.24, 0.02},
		{"ban by 429 above 10/s", 0.20, 0.01},
		{"ban by 503 above 10/s", 0.11, 0.02},
		{"quota of 600 in 5 min", 0.95, 0},
	} {
		t.Run(tt.site, func(t *testing.T) {
			k := find(t, tt.site)
			for seed := range uint64(seeds) {
				c := newCrawl(k.site(), newOurs(t), goroutines, allPages)
				c.seed = seed
				r := c.run()
				assert.Equal(t, allPages, r.done)
				assert.GreaterOrEqual(t, k.ideal.Seconds()/r.took.Seconds(), tt.allowed)
				assert.LessOrEqual(t, r.badShare(), tt.bad)
			}
		})
	}
}

// A site that bears anything is as fast as for a client that knows no manners.
func TestHealthySitesLoseLittle(t *testing.T) {
	const pages = 60_000
	for _, name := range []string{"fast", "one quick page in ten", "one broken section", "5% fail with 500", "30% are 404"} {
		for _, n := range []int{16, 200} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				t.Parallel()
				k := find(t, name)
				rude := newCrawl(k.site(), newNothing(), n, pages).run()
				r := newCrawl(k.site(), newOurs(t), n, pages).run()
				assert.GreaterOrEqual(t, rude.took.Seconds()/r.took.Seconds(), 0.98)
			})
		}
	}
}

// slowing is a site whose pages take longer after a while.
type slowing struct{ after, by time.Duration }

func (s slowing) arrive(_ page, now time.Duration, chance *rand.Rand) reply {
	r := served(chance)
	if now > s.after {
		r.after += s.by
	}
	return r
}

// A site that is slow for a reason of its own, or seldom quick, does not lose its window.
func TestSlowSitesLoseLittle(t *testing.T) {
	for _, tt := range []struct {
		name  string
		site  func() site
		n     int
		least float64
	}{
		{"pages of 2 s", crowd(1000, 2*time.Second), 16, 0.99},
		{"pages of 2 s", crowd(1000, 2*time.Second), 200, 0.97},
		{"one quick page, and nine of up to 4 s", well(healthy{slow: 2 * time.Second}), 16, 0.98},
		{"one quick page, and nine of up to 4 s", well(healthy{slow: 2 * time.Second}), 200, 0.96},
		{"300 ms slower", func() site { return slowing{10 * time.Second, 300 * time.Millisecond} }, 16, 0.98},
		{"300 ms slower", func() site { return slowing{10 * time.Second, 300 * time.Millisecond} }, 200, 0.95},
		{"3 s slower", func() site { return slowing{10 * time.Second, 3 * time.Second} }, 16, 0.98},
		{"3 s slower", func() site { return slowing{10 * time.Second, 3 * time.Second} }, 200, 0.75},
	} {
		t.Run(fmt.Sprintf("%s/%d", tt.name, tt.n), func(t *testing.T) {
			rude := newCrawl(tt.site(), newNothing(), tt.n, 60_000).run()
			r := newCrawl(tt.site(), newOurs(t), tt.n, 60_000).run()
			assert.GreaterOrEqual(t, rude.took.Seconds()/r.took.Seconds(), tt.least)
		})
	}
}

// A server with few workers is kept busy, and has no long queue.
func TestQueuesStayShort(t *testing.T) {
	for _, name := range []string{"four workers of 300 ms", "one worker of 50 ms"} {
		for _, n := range []int{1, 16, 200} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				k := find(t, name)
				rude := newCrawl(k.site(), newNothing(), n, allPages).run()
				c := newCrawl(k.site(), newOurs(t), n, allPages)
				r := c.run()
				assert.GreaterOrEqual(t, rude.took.Seconds()/r.took.Seconds(), 0.99)
				assert.LessOrEqual(t, c.site.(*workers).longest, 1800*time.Millisecond)
			})
		}
	}
}

// refusing is a server with few workers that refuses one request.
type refusing struct {
	workers
	at      time.Duration
	refused bool
}

func (r *refusing) arrive(p page, now time.Duration, chance *rand.Rand) reply {
	if !r.refused && now > r.at {
		r.refused = true
		return refusal(503)
	}
	return r.workers.arrive(p, now, chance)
}

// A refusal teaches a rate. The queue stays short all the same.
func TestQueueBesideARefusal(t *testing.T) {
	const takes = 2 * time.Second
	site := &refusing{workers: workers{free: make([]time.Duration, 4), takes: takes}, at: 10 * time.Second}
	c := newCrawl(site, newOurs(t), 200, 1<<30)
	c.until = 10 * time.Minute
	assert.GreaterOrEqual(t, c.run().done, 1180)
	assert.LessOrEqual(t, site.longest, 3*takes)
}

// A ban is for what came in a while, and not for the rate of the last seconds before it.
func TestBanWithACeiling(t *testing.T) {
	for name, least := range map[string]float64{"ban by 403 above 10/s": 0.3, "ban by 429 above 10/s": 0.24} {
		k := find(t, name)
		for seed := range uint64(seeds) {
			c := newCrawl(k.site(), newPolite(t), goroutines, allPages)
			c.seed = seed
			assert.GreaterOrEqual(t, k.ideal.Seconds()/c.run().took.Seconds(), least, "%s, seed %d", name, seed)
		}
	}
}

func TestSiteThatIsDown(t *testing.T) {
	k := find(t, "down for 2 min")
	for seed := range uint64(seeds) {
		c := newCrawl(k.site(), newOurs(t), goroutines, allPages)
		c.seed = seed
		assert.Equal(t, allPages, c.run().done)
		down := c.site.(*outage)
		assert.LessOrEqual(t, down.asked, 20)
		assert.LessOrEqual(t, down.back, down.to-down.from)
	}
}
