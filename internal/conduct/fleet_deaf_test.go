package conduct_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// A process that has heard nothing for more than 3 s asks the store for each turn, so that it
// keeps a break of which it was not told.
func TestFleetKeepsABreakThatOneDoesNotHear(t *testing.T) {
	for name, pace := range pacesOfBreaks() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, stop := newBreaking(t, pace)
				slowDown(b.crew)
				time.Sleep(5 * time.Second)
				b.members[4].mute(true)
				time.Sleep(20 * time.Second) // where slots are scarce, luck decides how long one waits
				b.busy()
				time.Sleep(aBreak)
				stop()
				assert.Empty(t, b.inBreak(message), "in the break")
				assert.NotEmpty(t, b.members[4].of(b.pages(5*time.Second, 25*time.Second)), "pages of the one that does not hear")
			})
		})
	}
}

// Rules that have changed are known to a process that does not hear of it when its own copy is
// out of date, at the latest.
func TestFleetThatDoesNotHearFollowsNewRulesInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t)
		n := &newRules{before: "user-agent: *\ncrawl-delay: 1\n", after: "user-agent: *\ndisallow: /\n", when: time.Now().Add(100 * time.Second)}
		c.web.Robots("example.com", n.ServeHTTP)
		c.joins(4)
		c.members[3].mute(true)
		c.crawlAll(8*time.Minute, 3)
		assert.Empty(t, few(late(c.web.Log().Pages(), c.began.Add(5*time.Minute+message))), "pages after five minutes, when what was told no longer holds")
	})
}
