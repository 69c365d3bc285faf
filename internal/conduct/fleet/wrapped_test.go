package fleet

import (
	"context"
	"net/http"
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
