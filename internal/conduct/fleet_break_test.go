package conduct_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const aBreak = 20 * time.Second

// breaking is a fleet at a site that asks for a break after ten seconds. The page that is
// told so is that of the first process.
type breaking struct {
	*crew
	began time.Time // the break
}

// newBreaking lets five processes crawl for ten seconds, and then begins a break.
func newBreaking(t *testing.T, edits ...func(*polite.Transport)) (b *breaking, stop func()) {
	b = &breaking{crew: newCrew(t)}
	b.joins(5, edits...)
	ctx, cancel := context.WithCancel(t.Context())
	for _, m := range b.members {
		m.crawl(ctx, 3, "example.com")
	}
	return b, func() { cancel(); b.under.Wait() }
}

// busy makes the site ask the first process for a break, and waits for it.
func (b *breaking) busy() {
	b.web.Page("example.com", "/busy", origintest.Status(http.StatusTooManyRequests, "Retry-After", fmt.Sprint(aBreak.Seconds())))
	require.NoError(b, visit(b.Context(), client(b.members[0].tr), "http://example.com/busy"))
	for _, a := range b.web.Log() {
		if a.URI == "/busy" {
			b.began = a.Time
		}
	}
}

// inBreak returns what arrives in the break, but for its first while.
func (b *breaking) inBreak(but time.Duration) (early []string) {
	for _, a := range b.web.Log() {
		if at := a.Time.Sub(b.began); at > but && at < aBreak {
			early = append(early, fmt.Sprintf("%s after %v", a.URI, at))
		}
	}
	return few(early)
}

// slowDown makes answers take so long that a crowd without a gap is no storm.
func slowDown(c *crew) {
	for i := range 8 {
		c.web.Page("example.com", fmt.Sprint("/", i), origintest.Delay(200*time.Millisecond, origintest.Text("a page\n")))
	}
}

func pacesOfBreaks() map[string]func(*polite.Transport) {
	return map[string]func(*polite.Transport){
		"no gap":          paced(0, 0),
		"a gap":           paced(500*time.Millisecond, 0),
		"slots":           paced(0, 2),
		"a gap and slots": paced(500*time.Millisecond, 2),
	}
}

// A break stops a whole fleet within a message's time.
func TestFleetStopsForABreak(t *testing.T) {
	for name, pace := range pacesOfBreaks() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, stop := newBreaking(t, pace)
				slowDown(b.crew)
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
			"one call fails":   func(b *breaking) { b.members[0].failNext("break", 1) },
			"three calls fail": func(b *breaking) { b.members[0].failNext("break", 3) },
			"no store for 500ms": func(b *breaking) {
				b.members[0].leave()
				time.AfterFunc(500*time.Millisecond, b.members[0].comeBack)
			},
		} {
			t.Run(name+", "+trouble, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b, stop := newBreaking(t, pace)
					slowDown(b.crew)
					b.web.Page("example.com", "/busy", origintest.Delay(time.Second, origintest.Status(http.StatusTooManyRequests, "Retry-After", "20")))
					time.Sleep(10 * time.Second)
					b.under.Go(func() { visit(t.Context(), client(b.members[0].tr), "http://example.com/busy") })
					for len(arrivalsOf(b.web, "/busy")) == 0 {
						time.Sleep(10 * time.Millisecond)
					}
					begins(b)
					b.began = arrivalsOf(b.web, "/busy")[0].Add(time.Second)
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
		for _, way := range []string{"restart", "flush", "restart, one was away"} {
			t.Run(name+", "+way, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b, stop := newBreaking(t, pace)
					slowDown(b.crew)
					time.Sleep(10 * time.Second)
					b.busy()
					if way == "restart, one was away" { // it does not hear of the break
						b.members[4].leave()
					}
					time.Sleep(2 * time.Second)
					if way == "flush" {
						b.flush(200 * time.Millisecond)
					} else {
						b.loseData(200 * time.Millisecond)
					}
					time.Sleep(2 * time.Second)
					b.members[4].comeBack()
					ctx, cancel := context.WithCancel(t.Context())
					b.join(pace).crawl(ctx, 3, "example.com") // knows of nothing
					time.Sleep(aBreak - 4200*time.Millisecond)
					cancel()
					stop()
					assert.Empty(t, b.inBreak(message), "in the break")
				})
			})
		}
	}
}

// loseData restarts the store with nothing in it: connections end before the data is gone.
func (c *crew) loseData(down time.Duration) {
	for _, m := range c.members {
		m.leave()
	}
	time.Sleep(down)
	c.store.lose()
	for _, m := range c.members {
		m.comeBack()
	}
}

// flush empties the store, which processes notice after a while.
func (c *crew) flush(noticed time.Duration) {
	c.store.lose()
	time.Sleep(noticed)
	for _, m := range c.members {
		m.leave()
		m.comeBack()
	}
}

// After a break one request of the fleet goes first, and the others follow its answer.
func TestOneOfTheFleetGoesFirstAfterABreak(t *testing.T) {
	for name, pace := range pacesOfBreaks() {
		for _, takes := range []time.Duration{1500 * time.Millisecond, 15 * time.Second} {
			for _, dials := range []time.Duration{0, 300 * time.Millisecond} {
				t.Run(fmt.Sprintf("%s, answer after %v, dials %v", name, takes, dials), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { firstOfFleet(t, pace, takes, dials) })
				})
			}
		}
	}
}

func firstOfFleet(t *testing.T, pace func(*polite.Transport), takes, dials time.Duration) {
	b, stop := newBreaking(t, pace, fresh)
	slowDown(b.crew)
	b.dials.change(upto(0, dials))
	time.Sleep(5 * time.Second)
	b.busy()
	time.Sleep(time.Second) // until what was under way has ended
	for i := range b.members {
		b.web.Page("example.com", fmt.Sprint("/", i), origintest.Delay(takes, origintest.Text("a page\n")))
	}
	time.Sleep(aBreak + 2*takes + 5*time.Second)
	stop()
	var after origintest.Log
	for _, a := range b.web.Log().Pages() {
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

// newFleetOfTwo returns two processes at a site that always answers 503, with that Retry-After.
func newFleetOfTwo(t *testing.T, retryAfter string) *crew {
	c := newCrew(t)
	for _, page := range []string{"/0", "/1"} {
		c.web.Page("example.com", page, func(w http.ResponseWriter, _ *http.Request) {
			if retryAfter != "" {
				w.Header().Set("Retry-After", retryAfter)
			}
			w.WriteHeader(http.StatusServiceUnavailable)
		})
	}
	c.joins(2)
	return c
}

// ask asks for the page of the process, once.
func (m *member) ask(ctx context.Context) error {
	return visit(ctx, client(m.tr), "http://example.com"+m.page())
}

// Whoever has not asked to wait for a site that is down learns of it at once, also from another
// process.
func TestNobodyInAFleetWaitsForADeadSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFleetOfTwo(t, "")
		for !errors.Is(c.members[0].ask(t.Context()), polite.ErrDelayed) {
		}
		tried, began := len(c.web.Log().Pages()), time.Now()
		assert.ErrorIs(t, c.members[1].ask(t.Context()), polite.ErrDelayed)
		assert.LessOrEqual(t, time.Since(began), time.Second)
		assert.Len(t, c.web.Log().Pages(), tried)
	})
}

// For a break that the site has asked for all processes wait, however long it is.
func TestFleetWaitsForABreakThatTheSiteAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFleetOfTwo(t, "7200")
		require.NoError(t, c.members[0].ask(t.Context()))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Hour, cancel)
		assert.ErrorIs(t, c.members[1].ask(ctx), context.Canceled)
		assert.Len(t, c.web.Log().Pages(), 1)
	})
}
