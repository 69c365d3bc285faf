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

// One that dies while it fetches costs one lease.
func TestFleetLearnsRobotsTxtAfterOneDied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		c.Web.Robots("example.com", origintest.Delay(5*time.Second, origintest.Text(conduct.Rules)))
		c.Joins(4, paced(500*time.Millisecond, 0))
		dying := c.Members[0]
		ctx, stop := context.WithCancel(t.Context())
		dying.Crawl(ctx, 1, "example.com")
		time.Sleep(time.Second)
		dying.Leave() // and never comes back
		for _, m := range c.Members[1:] {
			m.Crawl(ctx, 2, "example.com")
		}
		time.Sleep(50 * time.Second)
		stop()
		c.Under.Wait()
		assert.LessOrEqual(t, len(c.Web.Log().Robots()), 3, "fetches of robots.txt")
		assert.Greater(t, len(c.Web.Log().Pages()), 20)
	})
}
