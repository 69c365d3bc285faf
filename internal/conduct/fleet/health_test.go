package fleet

import (
	"context"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
)

// While turns cannot be reserved, Health says so, with the cause. It is told once when they begin to fail,
// and once when they work again, however many requests are refused.
func TestHealthTellsThatTurnsFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		var told []store.HealthEvent
		m := c.Join(paced(time.Second, 0), func(tr *polite.Transport) {
			tr.Trace.Health = func(e store.HealthEvent) { told = append(told, e) }
		})
		asks := func(n int, fails bool) {
			for range n {
				assert.Equal(t, fails, m.Ask(t.Context()) != nil)
				time.Sleep(2 * time.Second)
			}
		}
		asks(2, false)
		assert.NoError(t, m.Tr.Cache.Health().Failing)

		began := time.Now()
		m.FailNext("take", 5) // the server is out of memory, and all else goes on
		asks(5, true)
		health := m.Tr.Cache.Health()
		assert.Error(t, health.Failing)
		assert.WithinDuration(t, began, health.FailingSince, time.Second)
		assert.False(t, health.Deaf)

		asks(2, false)
		health = m.Tr.Cache.Health()
		assert.NoError(t, health.Failing)
		assert.Zero(t, health.FailingSince)
		told = slices.DeleteFunc(told, func(e store.HealthEvent) bool {
			return e.Kind != store.HealthTurnsFail && e.Kind != store.HealthTurnsWork
		})
		if assert.Len(t, told, 2) {
			assert.Equal(t, store.HealthTurnsFail, told[0].Kind)
			assert.Error(t, told[0].Err)
			assert.Equal(t, store.HealthEvent{Kind: store.HealthTurnsWork}, told[1])
		}
	})
}

// wrapped is Turns in a struct, as a program may have it that watches what passes.
type wrapped struct{ store.Turns }

func (w wrapped) Unwrap() store.Turns { return w.Turns }

// What Turns can do beside taking turns is found also if somebody has wrapped them: processes hear how
// others are configured, and what they have learned.
func TestFleetOfWrappedTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		c.Web.Page("example.com", "/0", origintest.Status(http.StatusTooManyRequests))
		inner := new(taught)
		for _, gap := range []time.Duration{time.Second, 2 * time.Second} {
			c.Join(paced(gap, 0), func(tr *polite.Transport) {
				turns := tr.Cache.Store.(store.Turns)
				if gap == time.Second {
					inner.Turns = turns
					turns = inner
				}
				tr.Cache.Turns = wrapped{wrapped{turns}}
			})
		}
		for range 10 {
			for _, m := range c.Members {
				m.Ask(t.Context())
			}
			time.Sleep(time.Second)
		}
		assert.NotEmpty(t, c.Members[1].Tr.Cache.Health().Differences)
		assert.Positive(t, inner.lessons.Load())
	})
}

// taught counts the lessons that it is told.
type taught struct {
	store.Turns
	lessons atomic.Int64
}

func (t *taught) Unwrap() store.Turns { return t.Turns }

func (t *taught) Teach(ctx context.Context, lane string, wait time.Duration, lesson string, keep time.Duration) error {
	t.lessons.Add(1)
	return t.Turns.(store.Teacher).Teach(ctx, lane, wait, lesson, keep)
}

// A server that answers after seconds: Health tells it once for each time in which calls are slow.
func TestHealthTellsThatCallsAreSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		var way atomic.Int64
		c.Way = func() time.Duration { return time.Duration(way.Load()) }
		var causes []string
		m := c.Join(paced(time.Second, 0), func(tr *polite.Transport) {
			tr.Trace.Health = func(e store.HealthEvent) {
				if e.Kind == store.HealthSlow {
					causes = append(causes, e.Err.Error())
				}
			}
		})
		for _, takes := range []time.Duration{time.Millisecond, 2 * time.Second, time.Millisecond, time.Second} {
			way.Store(int64(takes))
			for range 3 {
				assert.NoError(t, m.Ask(t.Context()))
				time.Sleep(10 * time.Second)
			}
		}
		assert.Equal(t, []string{"a call of Turns took 2s", "a call of Turns took 1s"}, causes)
	})
}
