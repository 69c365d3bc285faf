package fleet

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
)

const (
	flaps   = 40 * time.Second
	aLease  = 10 * time.Second // of a slot: docs/fleet.md
	atPeace = 20 * time.Second
)

// A process that loses its store again and again holds up no other, and gets its share when
// the store stays.
func TestFleetIsNotHeldUpByOneThatFlaps(t *testing.T) {
	t.Parallel()
	for _, gap := range long.Or([]time.Duration{500 * time.Millisecond}, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second}) {
		for _, slots := range long.Last(0, 1, 2) {
			for _, waits := range []bool{false, true} {
				t.Run(fmt.Sprintf("gap %v, slots %d, calls wait %v", gap, slots, waits), func(t *testing.T) {
					share := 0.0
					for seed := range 3 { // luck decides how much is reserved when a process goes
						synctest.Test(t, func(t *testing.T) { share += flapOneOfFive(t, gap, slots, waits, seed) / 3 })
					}
					least := 0.8
					if slots == 1 && gap < store.QueueHold { // the slot is kept for who is away now and then
						least = 0.55
					} else if waits && slots > 0 { // its slots are taken while no call gets through
						least = 0.7
					}
					assert.GreaterOrEqual(t, share, least, "pages while one flaps, of those that one client would send")
				})
			}
		}
	}
}

// flapOneOfFive returns the share of pages that are sent while a process flaps.
func flapOneOfFive(t *testing.T, gap time.Duration, slots int, waits bool, seed int) float64 {
	const takes = 100 * time.Millisecond
	c := conduct.NewCrew(t)
	c.Dials.Change(conduct.Upto(40*time.Millisecond, 120*time.Millisecond))
	c.Joins(5, paced(gap, slots), conduct.Fresh)
	for _, m := range c.Members {
		c.Web.Page("example.com", m.Page(), origintest.Delay(takes, origintest.Text("a page\n")))
	}
	flapping := c.Members[0]
	c.Under.Go(func() {
		time.Sleep(5*time.Second + time.Duration(seed)*130*time.Millisecond)
		flapping.Flap(c.Began.Add(flaps), waits)
	})
	c.CrawlAll(flaps+2*time.Second+aLease+atPeace, 6)
	assert.Empty(t, conduct.TooClose(c.Web.Log().Pages(), gap), "gaps")
	if slots > 0 {
		assert.LessOrEqual(t, conduct.MostUnderWay(c.Web.Log().Pages(), takes), slots, "under way")
	}
	during := c.Pages(5*time.Second, flaps)
	ideal := int((flaps - 5*time.Second) / gap)
	after := c.Pages(flaps+2*time.Second+aLease, time.Hour)
	own := len(flapping.Of(after))
	t.Logf("%d of %d pages while one flaps, %d of them its own; then %d of %d, %d its own",
		len(during), ideal, len(flapping.Of(during)), len(after), atPeace/gap, own)
	for i, apart := range conduct.Gaps(during) {
		assert.LessOrEqual(t, apart, max(2*time.Second, 3*gap)*11/10, "without a page, at %v", during[i].Time.Sub(c.Began))
	}
	assert.NotEmpty(t, flapping.Of(c.Pages(flaps, flaps+2*time.Second+aLease+5*gap)), "pages of the one that flapped, within a lease and a round of all")
	assert.GreaterOrEqual(t, own, int(atPeace/gap)/5/2, "half of its share, after a lease")
	return float64(len(during)) / float64(ideal)
}
