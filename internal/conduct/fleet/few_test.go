package fleet

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
)

// Where slots are few, a fleet is nearly as quick as one plain client, at a few calls a page, and no process is left out.
func TestFleetOfFewSlots(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	dials := [][2]time.Duration{{0, 0}, {80 * ms, 120 * ms}, {0, 300 * ms}} // of connections that are kept, or of fresh ones
	for _, gap := range long.Or([]time.Duration{0, 250 * ms}, []time.Duration{0, 250 * ms, time.Second}) {
		for _, slots := range long.Or([]int{1, 2}, []int{1, 2, 3}) {
			for _, takes := range long.Or([]time.Duration{250 * ms}, []time.Duration{30 * ms, 125 * ms, 250 * ms, 600 * ms, time.Second, 2 * time.Second}) {
				for i, d := range dials {
					p := pacing{least: d[0], most: d[1], gap: gap, kept: i == 0, slots: slots, takes: takes}
					plain := p.plainAnyGap(t)
					for _, processes := range long.Or([]int{8}, []int{2, 8, 16}) {
						t.Run(fmt.Sprintf("%v, pages %v, %d processes", p, takes, processes), func(t *testing.T) {
							p.few(t, processes, plain)
						})
					}
				}
			}
		}
	}
}

// plainAnyGap returns how many pages a plain client sends after the first while, also without a gap.
func (p pacing) plainAnyGap(t *testing.T) int {
	if p.gap > 0 {
		_, then := p.plainClient(t)
		return then
	}
	return int((crawled - firstWhile) * time.Duration(p.slots) / (p.takes + (p.least+p.most)/2))
}

func (p pacing) few(t *testing.T, processes, plain int) {
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		p.site(c)
		var calls atomic.Int64
		c.Joins(processes, paced(p.gap, p.slots), func(tr *polite.Transport) {
			tr.Trace.Called = func(store.Call) {
				if at := time.Since(c.Began); at >= firstWhile && at < crawled {
					calls.Add(1)
				}
			}
		})
		if !p.kept {
			for _, m := range c.Members {
				conduct.Fresh(m.Tr)
			}
		}
		c.CrawlAll(crawled, 4)
		all, then := c.Pages(0, crawled), c.Pages(firstWhile, crawled)
		var own []int
		for _, m := range c.Members {
			own = append(own, len(m.Of(then)))
		}
		share, each := float64(len(then))/float64(plain), float64(calls.Load())/float64(len(then))
		poorest := float64(slices.Min(own)*processes) / float64(max(len(then), 1))
		t.Logf("%d of %d (%.2f) pages, %.1f calls each, the poorest process has %.2f of its share", len(then), plain, share, each, poorest)
		assert.Empty(t, conduct.TooClose(all, p.gap), "gaps")
		assert.LessOrEqual(t, conduct.MostUnderWay(all, p.takes), p.slots, "under way")
		mostCalls := 5.0
		if p.takes >= 2*time.Second || processes > 8 { // who waits for long looks again now and then
			mostCalls = 6
		}
		assert.GreaterOrEqual(t, share, 0.88, "of the pages of one plain client")
		assert.LessOrEqual(t, each, mostCalls, "calls a page")
		assert.GreaterOrEqual(t, poorest, 0.65, "of its share, the poorest process: it may be one page of 24 short")
	})
}
