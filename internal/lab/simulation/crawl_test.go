package simulation_test

import (
	"errors"
	"flag"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/lab/corpus"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
)

var (
	origins  = flag.Int("origins", long.Or(5_000, 10_000), "sites of the crawl")
	requests = flag.Int("requests", long.Or(50_000, 100_000), "requests of the crawl")
	days     = flag.Float64("days", 3, "time that the crawl takes")
	maxBytes = flag.Int64("bytes", 1<<30, "Cache.MaxBytes")
)

const (
	token     = "ExampleBot"
	userAgent = "ExampleBot/1.0 (+https://example.com/bot)"
)

// Nothing goes wrong in a crawl, and it takes no more than it should: see the package's
// documentation.
func TestCrawl(t *testing.T) {
	bodies, seed := corpus.Bodies(t), long.Seed(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(*origins, seed, bodies)
		c := &crawl{world: w, seed: seed, transport: &polite.Transport{
			UserAgent: userAgent, Base: w,
			Pace:  polite.Pace{MaxWait: time.Minute},
			Cache: &polite.Cache{MaxBytes: *maxBytes, MaxFetches: 1000},
		}}
		before := measure()
		c.run(rand.New(rand.NewPCG(c.seed, 0)))
		took := measure().since(before)
		t.Log("\n" + c.report(took))

		assert.Empty(t, w.violations)
		assert.Equal(t, *requests, w.pages+c.refused+c.unreachable+c.late)
		assert.LessOrEqual(t, c.stats().Bytes, *maxBytes)
		assert.LessOrEqual(t, c.bytesPerOrigin(took), 600.0)
		if c.stats().Evictions == 0 {
			assert.LessOrEqual(t, c.perDay(plain), 1.0)
			assert.LessOrEqual(t, int(c.mostAsked(plain)), 1+int(*days/0.95))
			assert.LessOrEqual(t, c.again, *requests/1000)
		}
	})
}

// A crawl is requests to the sites of a world, to some of them often and to most
// of them seldom, at random times.
type crawl struct {
	world     *world
	seed      uint64 // of the requests
	transport *polite.Transport

	refused, unreachable, late int      // under the world's lock
	again                      int      // that waited for robots.txt less than an hour after another had it
	waits                      [2]waits // for robots.txt, and for a turn
}

type waits struct {
	count          int
	total, longest time.Duration
}

func (c *crawl) run(random *rand.Rand) {
	popularity := rand.NewZipf(random, 1.05, 1, uint64(len(c.world.sites)-1))
	pause := *days * float64(24*time.Hour) / float64(*requests)
	var crowd sync.WaitGroup
	for range *requests {
		time.Sleep(time.Duration(pause * random.ExpFloat64())) // on the bubble's clock
		number := int(popularity.Uint64())
		targets := c.world.text(c.world.textOf(number)).targets
		target := targets[random.IntN(len(targets))]
		crowd.Go(func() { c.fetch(number, target) })
	}
	crowd.Wait()
	time.Sleep(time.Minute) // until the last fetches in the background have ended
}

// fetch sends one request, and checks its outcome.
func (c *crawl) fetch(number int, target string) {
	u, err := url.Parse("https://" + host(number) + target)
	if err != nil {
		panic(err)
	}
	begin := time.Now()
	_, err = c.transport.RoundTrip(&http.Request{Method: http.MethodGet, URL: u, Header: http.Header{"User-Agent": {userAgent}}})
	waited := time.Since(begin)

	c.world.mu.Lock()
	defer c.world.mu.Unlock()
	s := &c.world.sites[number]
	var disallowed *polite.DisallowedError
	var unreachable *polite.NoRulesError
	var late *polite.DelayError
	switch {
	case err == nil:
		c.wait(s, begin, waited)
	case errors.As(err, &disallowed):
		c.refused++
		c.world.check(c.world.allows(s, target, false), "refused, though it is allowed")
	case errors.As(err, &unreachable):
		c.unreachable++
		c.world.check(s.kind == down || s.kind == flaky, "refused, though it can be reached")
	case errors.As(err, &late):
		c.late++
		c.world.check(c.world.gap(s, 0) > 0 || s.hold > begin.UnixNano(), "late, though it has no delay")
	default:
		c.world.check(false, err.Error())
	}
}

func (c *crawl) wait(s *site, begin time.Time, waited time.Duration) {
	known := s.visited > 0 && begin.UnixNano()-s.visited < int64(time.Hour)
	s.visited = begin.UnixNano()
	if waited == 0 {
		return
	}
	reason := 0
	if waited > time.Second || c.world.gap(s, 0) > 0 {
		reason = 1
	} else if known && s.kind == plain {
		c.again++
	}
	w := &c.waits[reason]
	w.count++
	w.total += waited
	w.longest = max(w.longest, waited)
}
