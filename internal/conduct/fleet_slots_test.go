package conduct_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

const mixedTakes = 700 * time.Millisecond // of a page

// mixedSlots lets processes with two values of Concurrency share a lane: pages "/1" and "/3". For
// the last minute there are only those who allow one.
func mixedSlots(t *testing.T, gap, dials time.Duration, together bool) *crew {
	c := newCrew(t)
	c.dials.change(upto(dials/2, dials))
	for _, page := range []string{"/1", "/3"} {
		c.web.Page("example.com", page, origintest.Delay(mixedTakes, origintest.Text("a page\n")))
	}
	ctx, stop := context.WithCancel(t.Context())
	crowd, leave := context.WithCancel(t.Context())
	for range 3 {
		one := c.join(paced(gap, 1), fresh)
		var three *polite.Transport
		if together {
			three = one.sibling(t, c.web, gap)
		} else {
			three = c.join(paced(gap, 3), fresh).tr
		}
		three.Pace.Concurrency = 3
		for range 2 {
			one.visitEvery(ctx, one.tr, "/1", 8*time.Second, 1)
			one.visitEvery(crowd, three, "/3", 10*time.Second, 2)
		}
	}
	time.Sleep(2 * time.Minute)
	leave()
	time.Sleep(time.Minute)
	stop()
	c.under.Wait()
	return c
}

func eachMixture(t *testing.T, judge func(*testing.T, *crew)) {
	for _, gap := range []time.Duration{0, 300 * time.Millisecond} {
		for _, dials := range []time.Duration{0, 300 * time.Millisecond, 2 * time.Second} {
			for _, together := range []bool{false, true} {
				t.Run(fmt.Sprintf("gap %v, dials %v, in one process %v", gap, dials, together), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { judge(t, mixedSlots(t, gap, dials, together)) })
				})
			}
		}
	}
}

// Two values of Concurrency in one lane of a fleet: nobody hangs.
func TestFleetOfMixedSlotsDoesNotHang(t *testing.T) {
	eachMixture(t, func(t *testing.T, c *crew) {
		last := make(map[string]time.Duration)
		for _, a := range c.web.Log().Pages() {
			last[a.URI] = a.Time.Sub(c.began)
		}
		assert.Greater(t, last["/1"], 160*time.Second, "the last page of those who allow one")
		assert.Greater(t, last["/3"], 90*time.Second, "the last page of those who allow three")
	})
}

// The larger limit is never exceeded. The smaller one counts when its request takes a slot.
func TestFleetOfMixedSlotsKeepsTheLargerLimit(t *testing.T) {
	eachMixture(t, func(t *testing.T, c *crew) {
		most := make(map[string]int)
		pages := c.web.Log().Pages()
		for i, later := range pages {
			if gone := later.Time.Sub(c.began) - 2*time.Minute; gone > 0 && gone < mixedTakes {
				continue // pages that were cancelled are still under way at the site
			}
			under := 0
			for _, earlier := range pages[:i] {
				if later.Time.Before(earlier.Time.Add(mixedTakes)) {
					under++
				}
			}
			most[later.URI] = max(most[later.URI], under)
		}
		assert.LessOrEqual(t, most["/1"], 2, "others under way when one is written that allows one")
		assert.LessOrEqual(t, most["/3"], 2, "others under way when one is written that allows three")
	})
}

// With a MaxQueue of -1 no request waits. A request whose turn is now does not have to, also if
// its process has to ask the store for it.
func TestFleetWithoutAQueueSendsWhatNeedNotWait(t *testing.T) {
	for _, slots := range []int{0, 1} {
		for _, processes := range []int{1, 3} {
			for _, way := range []time.Duration{0, time.Millisecond, 30 * time.Millisecond} {
				for _, dials := range []time.Duration{0, 100 * time.Millisecond} {
					t.Run(fmt.Sprintf("slots %d, %d processes, calls %v, dials %v", slots, processes, way, dials), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) { withoutAQueue(t, slots, processes, way, dials) })
					})
				}
			}
		}
	}
}

func withoutAQueue(t *testing.T, slots, processes int, way, dials time.Duration) {
	c := newCrew(t)
	c.way = always(way)
	c.dials.change(always(dials))
	c.joins(processes, paced(time.Second, slots), fresh, func(tr *polite.Transport) { tr.Pace.MaxQueue = -1 })
	know(t, c.members[0].tr, "example.com")
	time.Sleep(time.Second)
	sent := 0
	for i := range 10 {
		if visit(t.Context(), client(c.members[i%processes].tr), "http://example.com/") == nil {
			sent++
		}
		time.Sleep(5 * time.Second)
	}
	assert.Equal(t, 10, sent, "pages that were sent, of 10")
}

// What must wait is refused, also if it is the store that says so.
func TestFleetWithoutAQueueRefusesWhatMustWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t)
		c.joins(2, paced(10*time.Second, 0), func(tr *polite.Transport) { tr.Pace.MaxQueue = -1 })
		know(t, c.members[1].tr, "example.com")
		know(t, c.members[0].tr, "example.com")
		time.Sleep(time.Second)
		assert.NoError(t, visit(t.Context(), client(c.members[0].tr), "http://example.com/"))
		start := time.Now()
		err := visit(t.Context(), client(c.members[1].tr), "http://example.com/")
		assert.ErrorIs(t, err, polite.ErrDelayed)
		assert.NotErrorIs(t, err, polite.ErrStore)
		assert.Less(t, time.Since(start), time.Second)
	})
}

// A slot is not lost with the connection to the store: a process that comes back frees what its
// requests have had, before the lease ends.
func TestFleetFreesSlotsAfterTheStoreCameBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t)
		c.web.Page("example.com", "/0", origintest.Delay(2*time.Second, origintest.Text("a page\n")))
		c.joins(2, paced(0, 1))
		first, other := c.members[0], c.members[1]
		know(t, other.tr, "example.com")
		c.under.Go(func() { visit(t.Context(), client(first.tr), "http://example.com/0") })
		time.Sleep(time.Second)
		first.leave()
		time.Sleep(2 * time.Second) // its request ends meanwhile
		first.comeBack()
		back := time.Now()
		assert.NoError(t, visit(t.Context(), client(other.tr), "http://example.com/1"))
		assert.Less(t, time.Since(back), 3*time.Second, "until the slot is free")
	})
}

// Where slots are scarce, each process gets at least a third of its share: the order between
// processes is that of their reservations.
func TestFleetOfFewSlotsLeavesNoProcessOut(t *testing.T) {
	t.Parallel()
	const takes = 200 * time.Millisecond
	for _, slots := range long.Or([]int{1, 3}, []int{1, 2, 3}) {
		for _, gap := range []time.Duration{0, 250 * time.Millisecond, time.Second}[:long.Or(2, 3)] {
			t.Run(fmt.Sprintf("slots %d, gap %v", slots, gap), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := newCrew(t)
					slowDown(c)
					crawl := 40 * time.Second
					if gap == 0 { // who finds a free slot first has it: luck needs time to be even
						crawl = 200 * time.Second
					}
					c.joins(5, paced(gap, slots))
					c.crawlAll(crawl, 3)
					pages := c.web.Log().Pages()
					assert.LessOrEqual(t, mostUnderWay(pages, takes), slots, "under way")
					ideal := slots * int(crawl/takes)
					if gap > 0 {
						ideal = min(ideal, int(crawl/gap))
					}
					var shares []int
					for _, m := range c.members {
						shares = append(shares, len(m.of(pages)))
					}
					t.Logf("%v pages of the processes, %d of %d in all", shares, len(pages), ideal)
					assert.GreaterOrEqual(t, slices.Min(shares), ideal/len(c.members)/3, "pages of the process that gets the least, of %v", shares)
					assert.GreaterOrEqual(t, float64(len(pages)), 0.8*float64(ideal), "pages of all")
				})
			})
		}
	}
}
