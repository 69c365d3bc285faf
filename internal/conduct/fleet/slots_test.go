package fleet

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

const mixedTakes = 700 * time.Millisecond // of a page

// mixedSlots lets processes with two values of Concurrency share a lane: pages "/1" and "/3". For
// the last minute there are only those who allow one.
func mixedSlots(t *testing.T, gap, dials time.Duration, together bool) *conduct.Crew {
	c := conduct.NewCrew(t)
	c.Dials.Change(conduct.Upto(dials/2, dials))
	for _, page := range []string{"/1", "/3"} {
		c.Web.Page("example.com", page, origintest.Delay(mixedTakes, origintest.Text("a page\n")))
	}
	ctx, stop := context.WithCancel(t.Context())
	crowd, leave := context.WithCancel(t.Context())
	for range 3 {
		one := c.Join(paced(gap, 1), conduct.Fresh)
		var three *polite.Transport
		if together {
			three = one.Sibling(t, c.Web, gap)
		} else {
			three = c.Join(paced(gap, 3), conduct.Fresh).Tr
		}
		three.Pace.Concurrency = 3
		for range 2 {
			one.VisitEvery(ctx, one.Tr, "/1", 8*time.Second, 1)
			one.VisitEvery(crowd, three, "/3", 10*time.Second, 2)
		}
	}
	time.Sleep(2 * time.Minute)
	leave()
	time.Sleep(time.Minute)
	stop()
	c.Under.Wait()
	return c
}

// Two values of Concurrency in one lane of a fleet: nobody hangs, and the larger limit is never exceeded. The
// smaller one counts when its request takes a slot.
func TestFleetOfMixedSlots(t *testing.T) {
	for _, gap := range long.Last(0, 300*time.Millisecond) {
		for _, dials := range long.Last(0, 300*time.Millisecond, 2*time.Second) {
			for _, together := range long.Last(true, false) {
				t.Run(fmt.Sprintf("gap %v, dials %v, in one process %v", gap, dials, together), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { judgeMixedSlots(t, mixedSlots(t, gap, dials, together)) })
				})
			}
		}
	}
}

func judgeMixedSlots(t *testing.T, c *conduct.Crew) {
	last, most := make(map[string]time.Duration), make(map[string]int)
	pages := c.Web.Log().Pages()
	for i, later := range pages {
		last[later.URI] = later.Time.Sub(c.Began)
		if gone := last[later.URI] - 2*time.Minute; gone > 0 && gone < mixedTakes {
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
	assert.Greater(t, last["/1"], 160*time.Second, "the last page of those who allow one")
	assert.Greater(t, last["/3"], 90*time.Second, "the last page of those who allow three")
	assert.LessOrEqual(t, most["/1"], 2, "others under way when one is written that allows one")
	assert.LessOrEqual(t, most["/3"], 2, "others under way when one is written that allows three")
}

// What must wait is refused, also if it is the store that says so.
func TestFleetWithoutAQueueRefusesWhatMustWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		c.Joins(2, paced(10*time.Second, 0), func(tr *polite.Transport) { tr.Pace.MaxQueue = polite.NoQueue })
		conduct.Know(t, c.Members[1].Tr, "example.com")
		conduct.Know(t, c.Members[0].Tr, "example.com")
		time.Sleep(time.Second)
		assert.NoError(t, conduct.Visit(t.Context(), conduct.Client(c.Members[0].Tr), "http://example.com/"))
		start := time.Now()
		err := conduct.Visit(t.Context(), conduct.Client(c.Members[1].Tr), "http://example.com/")
		assert.ErrorIs(t, err, polite.ErrDelayed)
		assert.NotErrorIs(t, err, polite.ErrStore)
		assert.Less(t, time.Since(start), time.Second)
	})
}

// A slot is not lost with the connection to the store: a process that comes back frees what its
// requests have had, before the lease ends.
func TestFleetFreesSlotsAfterTheStoreCameBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		c.Web.Page("example.com", "/0", origintest.Delay(2*time.Second, origintest.Text("a page\n")))
		c.Joins(2, paced(0, 1))
		first, other := c.Members[0], c.Members[1]
		conduct.Know(t, other.Tr, "example.com")
		c.Under.Go(func() { conduct.Visit(t.Context(), conduct.Client(first.Tr), "http://example.com/0") })
		time.Sleep(time.Second)
		first.Leave()
		time.Sleep(2 * time.Second) // its request ends meanwhile
		first.ComeBack()
		back := time.Now()
		assert.NoError(t, conduct.Visit(t.Context(), conduct.Client(other.Tr), "http://example.com/1"))
		assert.Less(t, time.Since(back), 3*time.Second, "until the slot is free")
	})
}
