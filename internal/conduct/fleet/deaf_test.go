package fleet

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// A process that has heard nothing for more than 3 s asks the store for each turn, so that it
// keeps a break of which it was not told.
func TestFleetKeepsABreakThatOneDoesNotHear(t *testing.T) {
	for name, pace := range pacesOfBreaks() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, stop := newBreaking(t, pace)
				slowDown(b.Crew)
				time.Sleep(5 * time.Second)
				b.Members[4].Mute(true)
				time.Sleep(20 * time.Second) // where slots are scarce, luck decides how long one waits
				b.busy()
				time.Sleep(aBreak)
				stop()
				assert.Empty(t, b.inBreak(message), "in the break")
				assert.NotEmpty(t, b.Members[4].Of(b.Pages(5*time.Second, 25*time.Second)), "pages of the one that does not hear")
			})
		})
	}
}

// Rules that have changed are known to a process that does not hear of it when its own copy is
// out of date, at the latest.
func TestFleetThatDoesNotHearFollowsNewRulesInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		n := &newRules{before: "user-agent: *\ncrawl-delay: 1\n", after: "user-agent: *\ndisallow: /\n", when: time.Now().Add(100 * time.Second)}
		c.Web.Robots("example.com", n.ServeHTTP)
		c.Joins(4)
		c.Members[3].Mute(true)
		c.CrawlAll(8*time.Minute, 3)
		assert.Empty(t, conduct.Few(late(c.Web.Log().Pages(), c.Began.Add(5*time.Minute+message))), "pages after five minutes, when what was told no longer holds")
	})
}

// A request that waits in the queue for a slot asks again once its process hears nothing any more: it would not
// hear that a slot is its own.
func TestFleetAsksAgainForASlotThatOneDoesNotHearOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		c.Web.Page("example.com", "/0", origintest.Delay(4*time.Second, origintest.Text("a page\n")))
		c.Joins(2, paced(0, 1))
		ctx, stop := context.WithCancel(t.Context())
		c.Members[0].Crawl(ctx, 1, "example.com")
		time.Sleep(time.Second) // on the bubble's clock
		c.Members[1].Crawl(ctx, 1, "example.com")
		time.Sleep(500 * time.Millisecond) // on the bubble's clock
		c.Members[1].Mute(true)
		time.Sleep(6 * time.Second) // on the bubble's clock
		stop()
		c.Under.Wait()
		assert.NotEmpty(t, c.Members[1].Of(c.Pages(0, 7*time.Second)))
	})
}
