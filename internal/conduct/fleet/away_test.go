package fleet

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// While the store is away, each process asks for robots.txt by itself, once, and no page is
// sent: turns fail, and their errors say so.
func TestFleetWithoutAStoreSendsNoPage(t *testing.T) {
	for name, pace := range pacesOfBreaks() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := conduct.NewCrew(t)
				c.Web.Robots("example.com", origintest.Text(conduct.Rules))
				c.Joins(5, pace)
				var refused, others atomic.Int64
				for _, m := range c.Members {
					m.Leave()
					m.Tr.Trace.Refused = func(_ *http.Request, err error) {
						if errors.Is(err, polite.ErrStore) {
							refused.Add(1)
						} else {
							others.Add(1)
						}
					}
				}
				c.CrawlAll(20*time.Second, 2)
				assert.Empty(t, c.Web.Log().Pages())
				assert.Len(t, c.Web.Log().Robots(), 5)
				assert.Greater(t, refused.Load(), int64(20), "refusals that say that the store has failed")
				assert.Zero(t, others.Load(), "other refusals")
			})
		})
	}
}

// When the store goes away, what was reserved is void: no page is sent by it. A lane that asks
// for nothing goes on for the 3 s in which its process may still hope to hear.
func TestFleetStopsWhenTheStoreGoesAway(t *testing.T) {
	for name, pace := range pacesOfBreaks() {
		for _, dials := range long.Last(0, 300*time.Millisecond, 2*time.Second) {
			t.Run(name+", dials "+dials.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := conduct.NewCrew(t)
					slowDown(c)
					c.Dials.Change(conduct.Upto(0, dials))
					c.Joins(4, pace, conduct.Fresh)
					ctx, stop := context.WithCancel(t.Context())
					for _, m := range c.Members {
						m.Crawl(ctx, 3, "example.com")
					}
					time.Sleep(10 * time.Second)
					for _, m := range c.Members {
						m.Leave()
					}
					gone := time.Since(c.Began)
					time.Sleep(20 * time.Second)
					from := gone
					if name == "no gap" {
						from += 3*time.Second + message
					}
					assert.Empty(t, conduct.Few(late(c.Pages(from, gone+20*time.Second), c.Began.Add(gone))), "pages so long after the store has gone")
					for _, m := range c.Members {
						m.ComeBack()
					}
					back := time.Since(c.Began)
					time.Sleep(10 * time.Second)
					stop()
					c.Under.Wait()
					assert.NotEmpty(t, c.Pages(back, back+5*time.Second), "pages within 5 s of its return")
				})
			})
		}
	}
}
