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
	"github.com/go-polite/polite/store"
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

// While turns fail, all are told to come back soon, however often they ask.
func TestCallersThatRetryAtOnceAreNotPutOffForLong(t *testing.T) {
	for name, pace := range map[string]func(*polite.Transport){"gap": paced(time.Second, 0), "slots": paced(0, 2)} {
		synctest.Test(t, func(t *testing.T) {
			c := conduct.NewCrew(t)
			m := c.Join(pace)
			assert.NoError(t, m.Ask(t.Context()))
			m.Leave()
			for range 500 {
				late, ok := errors.AsType[*polite.DelayError](m.Ask(t.Context()))
				if assert.True(t, ok, name) {
					assert.LessOrEqual(t, time.Until(late.Turn), 31*time.Second, name)
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
}

// While turns fail, a refused request leaves no call: there is nobody to give anything back to. What is
// owed when the store comes back is given then.
func TestRefusedRequestsLeaveNoCalls(t *testing.T) {
	for name, pace := range map[string]func(*polite.Transport){"gap": paced(time.Second, 0), "gap and slots": paced(time.Second, 2), "slots": paced(0, 2)} {
		for _, fault := range []struct {
			name       string
			begin, end func(*conduct.Member)
		}{
			{"the store is away", func(m *conduct.Member) { m.Leave() }, func(m *conduct.Member) { m.ComeBack() }},
			{"the store is full", func(m *conduct.Member) { m.FailNext("take", 100); m.FailNext("done", 1000) }, func(m *conduct.Member) { m.FailNext("take", 0); m.FailNext("done", 0) }},
		} {
			t.Run(name+", "+fault.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := conduct.NewCrew(t)
					var failed, given atomic.Int64
					m := c.Join(pace, func(tr *polite.Transport) {
						tr.Trace.Called = func(call store.Call) {
							switch {
							case call.Name != "done":
							case call.Err != nil:
								failed.Add(1)
							default:
								given.Add(1)
							}
						}
					})
					assert.NoError(t, m.Ask(t.Context()))
					time.Sleep(2 * time.Second)
					given.Store(0)
					fault.begin(m)
					for range 10 {
						assert.Error(t, m.Ask(t.Context()))
						time.Sleep(2 * time.Second)
					}
					assert.Zero(t, failed.Load(), "calls that give back while turns fail")
					fault.end(m)
					time.Sleep(2 * time.Second)
					assert.NoError(t, m.Ask(t.Context()))
					time.Sleep(2 * time.Second)
					assert.LessOrEqual(t, given.Load(), int64(6), "calls that give back what the requests of the last ten seconds may have")
				})
			})
		}
	}
}
