package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// leaves lets workers ask for pages of the process, and give up each after some random time.
func leaves(ctx context.Context, m *conduct.Member, c *conduct.Crew, workers int, least, most time.Duration) {
	for worker := range workers {
		random := rand.New(rand.NewPCG(uint64(worker), 11))
		c.Under.Go(func() {
			for ctx.Err() == nil {
				asking, cancel := context.WithCancel(ctx) // without a deadline, by which it would be refused at once
				timer := time.AfterFunc(least+time.Duration(random.Int64N(int64(most-least))), cancel)
				conduct.Visit(asking, conduct.Client(m.Tr), "http://example.com"+m.Page())
				timer.Stop()
				cancel()
			}
		})
	}
}

// Requests that are given up while they wait, or while they connect, take no turns from others: the
// start that they have reserved is that of the next request of their process.
func TestFleetWhoseCallersLeave(t *testing.T) {
	const gap, lasts = 200 * time.Millisecond, 60 * time.Second
	for _, test := range []struct {
		leaving, workers, slots int
		away                    time.Duration // the store
		pages                   int           // of 300, at least
	}{
		{0, 0, 0, 1, 290},
		{1, 5, 0, 1, 260},
		{2, 5, 0, 1, 255},
		{2, 1, 0, 1, 270},
		{2, 16, 0, 1, 240},
		{1, 5, 2, 1, 255},
		{1, 5, 0, 40, 215},
	} {
		t.Run(fmt.Sprintf("%d with %d workers, slots %d, %v away", test.leaving, test.workers, test.slots, test.away*time.Millisecond), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := conduct.NewCrew(t)
				c.Way = conduct.Always(test.away * time.Millisecond)
				c.Dials.Change(conduct.Upto(0, 20*time.Millisecond))
				for i := range 3 {
					c.Web.Page("example.com", fmt.Sprint("/", i), origintest.Text("a page\n"))
				}
				c.Joins(1+test.leaving, paced(gap, test.slots))
				ctx, cancel := context.WithCancel(t.Context())
				c.Members[0].Crawl(ctx, 4, "example.com")
				for _, m := range c.Members[1:] {
					leaves(ctx, m, c, test.workers, 100*time.Millisecond, 300*time.Millisecond)
				}
				time.Sleep(lasts)
				cancel()
				c.Under.Wait()
				pages := c.Pages(0, lasts)
				assert.Empty(t, conduct.TooClose(pages, gap))
				t.Logf("%d pages", len(pages))
				assert.GreaterOrEqual(t, len(pages), test.pages)
			})
		})
	}
}
