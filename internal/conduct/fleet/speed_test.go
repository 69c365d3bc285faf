package fleet

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// A pacing is how a fleet, or one client, visits a site.
type pacing struct {
	least, most time.Duration // of a connect
	gap         time.Duration
	kept        bool // connections
	slots       int
	takes       time.Duration        // of a page
	way         func() time.Duration // of a call to the store; nil: a millisecond
}

func (p pacing) String() string {
	conns := "fresh"
	if p.kept {
		conns = "kept"
	}
	return fmt.Sprintf("dials %v-%v, gap %v, %s, slots %d", p.least, p.most, p.gap, conns, p.slots)
}

const (
	firstWhile = 12 * time.Second // in which all begins
	crawled    = 60 * time.Second
)

// A plainClient sends a page in each gap, and knows of nobody: it is what a fleet is measured
// against. It returns how many pages arrive in the first while, and how many after it.
func (p pacing) plainClient(t *testing.T) (first, then int) {
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		p.site(c)
		base := c.Web.Transport(t)
		base.DisableKeepAlives = !p.kept
		c.Dials.Slowing(base)
		ctx, cancel := context.WithTimeout(t.Context(), crawled)
		defer cancel()
		slots := make(chan struct{}, max(p.slots, 1))
		for tick := time.NewTicker(p.gap); ctx.Err() == nil; {
			c.Under.Go(func() {
				if p.slots > 0 {
					slots <- struct{}{}
					defer func() { <-slots }()
				}
				conduct.Visit(ctx, &http.Client{Transport: base}, "http://example.com/plain")
			})
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
		c.Under.Wait()
		first, then = len(c.Pages(0, firstWhile)), len(c.Pages(firstWhile, crawled))
	})
	return first, then
}

func (p pacing) site(c *conduct.Crew) {
	c.Dials.Change(conduct.Upto(p.least, p.most))
	page := origintest.Delay(p.takes, origintest.Text("a page\n"))
	for i := range 16 {
		c.Web.Page("example.com", fmt.Sprint("/", i), page)
	}
	c.Web.Page("example.com", "/plain", page)
}

// fleet does the same with processes. It judges the gaps and the limit, too.
func (p pacing) fleet(t *testing.T, processes, workers int) (first, then int) {
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		p.site(c)
		if p.way != nil {
			c.Way = p.way
		}
		c.Joins(processes, paced(p.gap, p.slots))
		if !p.kept {
			for _, m := range c.Members {
				conduct.Fresh(m.Tr)
			}
		}
		c.CrawlAll(crawled, workers)
		first, then = len(c.Pages(0, firstWhile)), len(c.Pages(firstWhile, crawled))
		pages := c.Web.Log().Pages()
		assert.Empty(t, conduct.TooClose(pages, p.gap), "%d processes: gaps", processes)
		if p.slots > 0 {
			assert.LessOrEqual(t, conduct.MostUnderWay(pages, p.takes), p.slots, "%d processes: under way", processes)
		}
	})
	return first, then
}

// asQuick asserts that a fleet of each size sends such a share of what one client sends.
func (p pacing) asQuick(t *testing.T, workers int, share, firstShare float64) {
	t.Run(p.String(), func(t *testing.T) {
		plainFirst, plainThen := p.plainClient(t)
		for _, processes := range long.Or([]int{1, 8}, []int{1, 2, 4, 8}) {
			first, then := p.fleet(t, processes, workers)
			t.Logf("%d processes: %d of %d, then %d of %d", processes, first, plainFirst, then, plainThen)
			assert.GreaterOrEqual(t, float64(first), firstShare*float64(plainFirst), "%d processes: pages in the first %v", processes, firstWhile)
			assert.GreaterOrEqual(t, float64(then), share*float64(plainThen), "%d processes: pages after it", processes)
		}
	})
}

// A fleet sends nine tenths of what one plain client sends, however long connecting takes.
func TestFleetIsAsQuickAsOneClient(t *testing.T) {
	t.Parallel()
	for _, gap := range []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second}[:long.Or(1, 3)] {
		for _, dials := range [][2]time.Duration{{80 * time.Millisecond, 120 * time.Millisecond}, {0, 300 * time.Millisecond}} {
			for _, slots := range long.Last(0, 2) {
				for _, kept := range long.Last(false, true) {
					pacing{dials[0], dials[1], gap, kept, slots, 30 * time.Millisecond, nil}.asQuick(t, 8, 0.9, 0.8)
				}
			}
		}
	}
}

// It does so if calls to the store take their time, and now and then much more of it.
func TestFleetFarFromItsStoreIsAsQuickAsOneClient(t *testing.T) {
	long.NotShort(t)
	rarelySlow := func() func() time.Duration {
		n, usual := 0, conduct.Upto(300*time.Microsecond, 4*time.Millisecond)
		return func() time.Duration {
			if n++; n%150 == 0 {
				return 80 * time.Millisecond
			}
			return usual()
		}
	}
	for _, slots := range []int{0, 2} {
		for name, far := range map[string]struct {
			gap time.Duration
			way func() time.Duration
		}{
			"10ms away":   {250 * time.Millisecond, conduct.Always(10 * time.Millisecond)},
			"40ms away":   {time.Second, conduct.Always(40 * time.Millisecond)},
			"rarely slow": {250 * time.Millisecond, rarelySlow()},
		} {
			t.Run(name, func(t *testing.T) {
				pacing{80 * time.Millisecond, 120 * time.Millisecond, far.gap, false, slots, 30 * time.Millisecond, far.way}.asQuick(t, 8, 0.9, 0.8)
			})
		}
	}
}

// A request that takes its slot keeps its start, though its slack would be another one by now.
func TestFleetWithAWayThatVariesIsAsQuickAsItCanBe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const gap = 100 * time.Millisecond
		c := conduct.NewCrew(t)
		c.Way = conduct.Upto(time.Millisecond, 30*time.Millisecond)
		c.Dials.Change(conduct.Upto(80*time.Millisecond, 120*time.Millisecond))
		c.Joins(8, paced(gap, 4), conduct.Fresh)
		c.CrawlAll(crawled, 4)
		assert.GreaterOrEqual(t, len(c.Pages(0, crawled)), int(crawled/gap)*7/10)
	})
}

// With connects of up to five gaps, it sends three quarters.
func TestFleetThatConnectsForGapsIsAsQuickAsOneClient(t *testing.T) {
	for _, gap := range []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second} {
		pacing{0, 5 * gap, gap, false, 0, 30 * time.Millisecond, nil}.asQuick(t, 16, 0.75, 0)
	}
}

// A short gap costs little: the slack is a small part of it.
func TestFleetWithAShortGapIsAsQuickAsOneClient(t *testing.T) {
	for _, test := range []struct {
		gap, way time.Duration
		share    float64
	}{
		{10 * time.Millisecond, 200 * time.Microsecond, 0.9},
		{20 * time.Millisecond, 200 * time.Microsecond, 0.93},
		{20 * time.Millisecond, time.Millisecond, 0.9},
		{50 * time.Millisecond, time.Millisecond, 0.93},
	} {
		for _, processes := range []int{1, 8} {
			synctest.Test(t, func(t *testing.T) {
				const crawl = 4 * time.Second
				c := conduct.NewCrew(t)
				c.Way = conduct.Always(test.way)
				c.Joins(processes, paced(test.gap, 0))
				c.CrawlAll(crawl, 8)
				pages := c.Pages(0, crawl)
				assert.Empty(t, conduct.TooClose(pages, test.gap))
				assert.GreaterOrEqual(t, float64(len(pages)), test.share*float64(crawl/test.gap), "gap %v, calls of %v, %d processes", test.gap, test.way, processes)
			})
		}
	}
}

// A process that asks for no gap gets its part beside one that does, however long connecting takes.
func TestFleetSharesALane(t *testing.T) {
	for _, dials := range []time.Duration{20 * time.Millisecond, 500 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			c := conduct.NewCrew(t)
			c.Dials.Change(conduct.Always(dials))
			without, with := c.Join(paced(0, polite.NoLimit), conduct.Fresh), c.Join(paced(50*time.Millisecond, polite.NoLimit), conduct.Fresh)
			c.CrawlAll(time.Minute, 8)
			pages := c.Pages(0, time.Minute)
			assert.GreaterOrEqual(t, len(without.Of(pages)), 400, "dials %v, without a gap", dials)
			assert.GreaterOrEqual(t, len(with.Of(pages)), 400, "dials %v, with a gap", dials)
		})
	}
}

// paced sets the gap and the limit.
func paced(gap time.Duration, slots int) func(*polite.Transport) {
	return func(tr *polite.Transport) { tr.Pace.MinDelay, tr.Pace.Concurrency = gap, slots }
}
