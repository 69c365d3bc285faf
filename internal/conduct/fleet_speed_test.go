package conduct_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/long"
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
		c := newCrew(t)
		p.site(c)
		base := c.web.Transport(t)
		base.DisableKeepAlives = !p.kept
		c.dials.slowing(base)
		ctx, cancel := context.WithTimeout(t.Context(), crawled)
		defer cancel()
		slots := make(chan struct{}, max(p.slots, 1))
		for tick := time.NewTicker(p.gap); ctx.Err() == nil; {
			c.under.Go(func() {
				if p.slots > 0 {
					slots <- struct{}{}
					defer func() { <-slots }()
				}
				visit(ctx, &http.Client{Transport: base}, "http://example.com/plain")
			})
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
		c.under.Wait()
		first, then = len(c.pages(0, firstWhile)), len(c.pages(firstWhile, crawled))
	})
	return first, then
}

func (p pacing) site(c *crew) {
	c.dials.change(upto(p.least, p.most))
	page := origintest.Delay(p.takes, origintest.Text("a page\n"))
	for i := range 8 {
		c.web.Page("example.com", fmt.Sprint("/", i), page)
	}
	c.web.Page("example.com", "/plain", page)
}

// fleet does the same with processes. It judges the gaps and the limit, too.
func (p pacing) fleet(t *testing.T, processes, workers int) (first, then int) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t)
		p.site(c)
		if p.way != nil {
			c.way = p.way
		}
		c.joins(processes, paced(p.gap, p.slots))
		if !p.kept {
			for _, m := range c.members {
				fresh(m.tr)
			}
		}
		c.crawlAll(crawled, workers)
		first, then = len(c.pages(0, firstWhile)), len(c.pages(firstWhile, crawled))
		pages := c.web.Log().Pages()
		assert.Empty(t, tooClose(pages, p.gap), "%d processes: gaps", processes)
		if p.slots > 0 {
			assert.LessOrEqual(t, mostUnderWay(pages, p.takes), p.slots, "%d processes: under way", processes)
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
			for _, slots := range []int{0, 2} {
				for _, kept := range []bool{false, true} {
					pacing{dials[0], dials[1], gap, kept, slots, 30 * time.Millisecond, nil}.asQuick(t, 8, 0.9, 0.8)
				}
			}
		}
	}
}

// So it does where the limit counts, too: the answers take longer than the gap.
func TestFleetWithFewSlotsIsAsQuickAsOneClient(t *testing.T) {
	for _, slots := range []int{1, 3} {
		for _, kept := range []bool{false, true} {
			pacing{80 * time.Millisecond, 120 * time.Millisecond, 250 * time.Millisecond, kept, slots, 600 * time.Millisecond, nil}.asQuick(t, 8, 0.85, 0.75)
		}
	}
}

// So it does if calls to the store take their time, and now and then much more of it.
func TestFleetFarFromItsStoreIsAsQuickAsOneClient(t *testing.T) {
	rarelySlow := func() func() time.Duration {
		n, usual := 0, upto(300*time.Microsecond, 4*time.Millisecond)
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
			"10ms away":   {250 * time.Millisecond, always(10 * time.Millisecond)},
			"40ms away":   {time.Second, always(40 * time.Millisecond)},
			"rarely slow": {250 * time.Millisecond, rarelySlow()},
		} {
			t.Run(name, func(t *testing.T) {
				pacing{80 * time.Millisecond, 120 * time.Millisecond, far.gap, false, slots, 30 * time.Millisecond, far.way}.asQuick(t, 8, 0.9, 0.8)
			})
		}
	}
}

// With connects of up to five gaps, it sends three quarters.
func TestFleetThatConnectsForGapsIsAsQuickAsOneClient(t *testing.T) {
	for _, gap := range []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second} {
		pacing{0, 5 * gap, gap, false, 0, 30 * time.Millisecond, nil}.asQuick(t, 16, 0.75, 0)
	}
}

// A crawl-delay and slow connects: the site's own gap.
func TestFleetKeepsTheCrawlDelayQuickly(t *testing.T) {
	for _, processes := range []int{1, 2, 4, 8} {
		synctest.Test(t, func(t *testing.T) {
			c := newCrew(t)
			c.web.Robots("example.com", delayed(1))
			c.dials.change(upto(0, 300*time.Millisecond))
			c.joins(processes, fresh)
			c.crawlAll(crawled, 8)
			assert.Empty(t, tooClose(c.pages(0, crawled), time.Second))
			assert.GreaterOrEqual(t, len(c.pages(0, firstWhile)), 10, "%d processes, of 12", processes)
			assert.GreaterOrEqual(t, len(c.pages(firstWhile, crawled)), 43, "%d processes, of 48", processes)
		})
	}
}

// All pages of a long list are asked for at once, as polite advises: it is the queue.
func TestFleetWithALongListIsAsQuickAsOneClient(t *testing.T) {
	const gap = 500 * time.Millisecond
	for _, processes := range []int{1, 2, 4, 8} {
		synctest.Test(t, func(t *testing.T) {
			c := newCrew(t)
			c.dials.change(upto(80*time.Millisecond, 120*time.Millisecond))
			c.joins(processes, paced(gap, 0), fresh)
			ctx, cancel := context.WithCancel(t.Context())
			var all sync.WaitGroup
			for _, m := range c.members {
				for range 120 / processes {
					all.Go(func() { assert.NoError(t, visit(ctx, client(m.tr), "http://example.com"+m.page())) })
				}
			}
			all.Wait()
			cancel()
			took := time.Since(c.began)
			assert.Empty(t, tooClose(c.web.Log().Pages(), gap))
			assert.Less(t, took, 120*gap*10/9+time.Second, "%d processes, 120 pages", processes)
		})
	}
}
