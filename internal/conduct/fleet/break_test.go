package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const aBreak = 20 * time.Second

// breaking is a fleet at a site that asks for a break after ten seconds. The page that is
// told so is that of the first process.
type breaking struct {
	*conduct.Crew
	began time.Time // the break
}

// newBreaking lets five processes crawl for ten seconds, and then begins a break.
func newBreaking(t *testing.T, edits ...func(*polite.Transport)) (b *breaking, stop func()) {
	b = &breaking{Crew: conduct.NewCrew(t)}
	b.Joins(5, edits...)
	ctx, cancel := context.WithCancel(t.Context())
	for _, m := range b.Members {
		m.Crawl(ctx, 3, "example.com")
	}
	return b, func() { cancel(); b.Under.Wait() }
}

// busy makes the site ask the first process for a break, and waits for it.
func (b *breaking) busy() {
	b.Web.Page("example.com", "/busy", origintest.Status(http.StatusTooManyRequests, "Retry-After", fmt.Sprint(aBreak.Seconds())))
	require.NoError(b, conduct.Visit(b.Context(), conduct.Client(b.Members[0].Tr), "http://example.com/busy"))
	for _, a := range b.Web.Log() {
		if a.URI == "/busy" {
			b.began = a.Time
		}
	}
}

// inBreak returns what arrives in the break, but for its first while.
func (b *breaking) inBreak(but time.Duration) (early []string) {
	for _, a := range b.Web.Log() {
		if at := a.Time.Sub(b.began); at > but && at < aBreak {
			early = append(early, fmt.Sprintf("%s after %v", a.URI, at))
		}
	}
	return conduct.Few(early)
}

// slowAnswer is so long that a crowd without a gap is no storm.
const slowAnswer = 200 * time.Millisecond

// slowDown makes each answer a slow one.
func slowDown(c *conduct.Crew) {
	for i := range 8 {
		c.Web.Page("example.com", fmt.Sprint("/", i), origintest.Delay(slowAnswer, origintest.Text("a page\n")))
	}
}

// pacesOfBreaks are all paces, or in a short run those with nothing to reserve and with all of it.
func pacesOfBreaks() map[string]func(*polite.Transport) {
	paces := map[string]func(*polite.Transport){"no gap": paced(0, 0), "a gap and slots": paced(500*time.Millisecond, 2)}
	if !testing.Short() {
		paces["a gap"], paces["slots"] = paced(500*time.Millisecond, 0), paced(0, 2)
	}
	return paces
}

// A break stops a whole fleet within a message's time.
func TestFleetStopsForABreak(t *testing.T) {
	for name, pace := range pacesOfBreaks() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, stop := newBreaking(t, pace)
				slowDown(b.Crew)
				time.Sleep(10 * time.Second)
				b.busy()
				time.Sleep(aBreak)
				stop()
				assert.Empty(t, b.inBreak(message), "in the break")
			})
		})
	}
}

// A break is told again if telling it has failed.
func TestFleetIsToldOfABreakAgain(t *testing.T) {
	for name, pace := range pacesOfBreaks() {
		for trouble, begins := range map[string]func(*breaking){
			"one call fails":   func(b *breaking) { b.Members[0].FailNext("break", 1) },
			"three calls fail": func(b *breaking) { b.Members[0].FailNext("break", 3) },
			"no store for 500ms": func(b *breaking) {
				b.Members[0].Leave()
				time.AfterFunc(500*time.Millisecond, b.Members[0].ComeBack)
			},
		} {
			t.Run(name+", "+trouble, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b, stop := newBreaking(t, pace)
					slowDown(b.Crew)
					b.Web.Page("example.com", "/busy", origintest.Delay(time.Second, origintest.Status(http.StatusTooManyRequests, "Retry-After", "20")))
					time.Sleep(10 * time.Second)
					b.Under.Go(func() { conduct.Visit(t.Context(), conduct.Client(b.Members[0].Tr), "http://example.com/busy") })
					for len(arrivalsOf(b.Web, "/busy")) == 0 {
						time.Sleep(10 * time.Millisecond)
					}
					begins(b)
					b.began = arrivalsOf(b.Web, "/busy")[0].Add(time.Second)
					time.Sleep(aBreak)
					stop()
					assert.Empty(t, b.inBreak(3*time.Second), "in the break, but for its first 3 s")
				})
			})
		}
	}
}

func arrivalsOf(web *origintest.Server, uri string) (at []time.Time) {
	for _, a := range web.Log() {
		if a.URI == uri {
			at = append(at, a.Time)
		}
	}
	return at
}

// A break outlives the data of the store: those who know of it tell it again.
func TestFleetKeepsABreakThatTheStoreLost(t *testing.T) {
	for name, pace := range pacesOfBreaks() {
		for _, way := range long.Last("restart", "flush", "restart, one was away") {
			t.Run(name+", "+way, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b, stop := newBreaking(t, pace)
					slowDown(b.Crew)
					time.Sleep(10 * time.Second)
					b.busy()
					if way == "restart, one was away" { // it does not hear of the break
						b.Members[4].Leave()
					}
					time.Sleep(2 * time.Second)
					if way == "flush" {
						b.Flush(200 * time.Millisecond)
					} else {
						b.LoseData(200 * time.Millisecond)
					}
					time.Sleep(2 * time.Second)
					b.Members[4].ComeBack()
					ctx, cancel := context.WithCancel(t.Context())
					b.Join(pace).Crawl(ctx, 3, "example.com") // knows of nothing
					time.Sleep(aBreak - 4200*time.Millisecond)
					cancel()
					stop()
					assert.Empty(t, b.inBreak(message), "in the break")
				})
			})
		}
	}
}

// After a break one request of the fleet goes first, and the others follow its answer.
func TestOneOfTheFleetGoesFirstAfterABreak(t *testing.T) {
	for name, pace := range pacesOfBreaks() {
		for _, takes := range long.Last(1500*time.Millisecond, 15*time.Second) {
			for _, dials := range long.Last(0, 300*time.Millisecond) {
				t.Run(fmt.Sprintf("%s, answer after %v, dials %v", name, takes, dials), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { firstOfFleet(t, pace, takes, dials) })
				})
			}
		}
	}
}

func firstOfFleet(t *testing.T, pace func(*polite.Transport), takes, dials time.Duration) {
	b, stop := newBreaking(t, pace, conduct.Fresh)
	slowDown(b.Crew)
	b.Dials.Change(conduct.Upto(0, dials))
	time.Sleep(5 * time.Second)
	b.busy()
	time.Sleep(time.Second) // until what was under way has ended
	for i := range b.Members {
		b.Web.Page("example.com", fmt.Sprint("/", i), origintest.Delay(takes, origintest.Text("a page\n")))
	}
	time.Sleep(aBreak + 2*takes + 5*time.Second)
	stop()
	var after origintest.Log
	for _, a := range b.Web.Log().Pages() {
		if !a.Time.Before(b.began.Add(aBreak)) {
			after = append(after, a)
		}
	}
	require.Greater(t, len(after), 1)
	t.Logf("the first after %v", after[0].Time.Sub(b.began))
	assert.Less(t, after[0].Time.Sub(b.began), aBreak+2*time.Second, "the first")
	early := 0
	for _, a := range after[1:] {
		if a.Time.Sub(after[0].Time) < takes {
			early++
		}
	}
	assert.Zero(t, early, "others that were sent before the first was answered")
	assert.GreaterOrEqual(t, len(after), 3, "and others follow")
}

// A request that connected before a break is not beside the one that goes first, even if its body cannot
// be read again and it cannot go back to the line.
func TestFleetHasOneFirstBesideWhatConnected(t *testing.T) {
	for _, connects := range []time.Duration{5 * time.Second, aBreak + 5*time.Second} { // in the break, and after it
		synctest.Test(t, func(t *testing.T) {
			c := conduct.NewCrew(t)
			c.Joins(2, conduct.Fresh)
			slowDown(c)
			c.Web.Page("example.com", "/busy", origintest.Status(http.StatusTooManyRequests, "Retry-After", fmt.Sprint(aBreak.Seconds())))
			for _, m := range c.Members {
				require.NoError(t, m.Ask(t.Context()))
			}
			c.Dials.Change(conduct.Always(connects))
			var under sync.WaitGroup
			for range 3 {
				under.Go(func() {
					post, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://example.com/1", io.NopCloser(strings.NewReader("a form")))
					assert.NoError(t, err)
					resp, err := c.Members[1].Tr.RoundTrip(post)
					if err == nil {
						resp.Body.Close()
					}
					if errors.Is(err, polite.ErrDelayed) {
						late, _ := errors.AsType[*polite.DelayError](err)
						assert.Equal(t, polite.CauseBreak, late.Cause)
						assert.LessOrEqual(t, late.Wait, aBreak)
					}
				})
			}
			synctest.Wait()
			c.Dials.Change(conduct.Always(0))
			require.NoError(t, conduct.Visit(t.Context(), conduct.Client(c.Members[0].Tr), "http://example.com/busy"))
			began := time.Now()
			require.NoError(t, c.Members[0].Ask(t.Context()))
			under.Wait()
			var first time.Time // whichever it is
			for _, a := range c.Web.Log().Pages() {
				switch {
				case !a.Time.After(began):
				case first.IsZero():
					first = a.Time
				default:
					assert.GreaterOrEqual(t, a.Time.Sub(first), slowAnswer, "beside the first: %s after %v", a.Method, a.Time.Sub(began))
				}
			}
			assert.False(t, first.IsZero())
		})
	}
}

// Whoever has not asked to wait for a site that is down learns of it at once, also from another
// process.
func TestNobodyInAFleetWaitsForADeadSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		for _, page := range []string{"/0", "/1"} {
			c.Web.Page("example.com", page, origintest.Status(http.StatusServiceUnavailable))
		}
		c.Joins(2)
		for !errors.Is(c.Members[0].Ask(t.Context()), polite.ErrDelayed) {
		}
		tried, began := len(c.Web.Log().Pages()), time.Now()
		assert.ErrorIs(t, c.Members[1].Ask(t.Context()), polite.ErrDelayed)
		assert.LessOrEqual(t, time.Since(began), time.Second)
		assert.Len(t, c.Web.Log().Pages(), tried)
	})
}

// A fleet of one slot goes on after a break: the request that goes first waits for the slot as the others do.
func TestFleetOfOneSlotGoesOnAfterABreak(t *testing.T) {
	for _, gap := range []time.Duration{0, 250 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			b, stop := newBreaking(t, paced(gap, 1))
			slowDown(b.Crew)
			time.Sleep(10 * time.Second)
			b.busy()
			time.Sleep(aBreak + 20*time.Second)
			stop()
			ended := b.began.Add(aBreak).Sub(b.Crew.Began)
			assert.NotEmpty(t, b.Pages(ended, ended+500*time.Millisecond), "gap %v: the first page", gap)
			assert.Greater(t, len(b.Pages(ended, ended+20*time.Second)), 40, "gap %v: pages in 20 s", gap)
		})
	}
}
