package lane_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// After a break, a turn that waits at the gate goes before those in the queue, who may need its
// connection.
func TestConnectionGoesFirstAfterABreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, terms := newPacer(), lane.Terms{Gap: time.Second, MaxQueue: 9}
		take := func() *lane.Ticket {
			turn, err := p.Take(t.Context(), 1, terms)
			require.NoError(t, err)
			return turn
		}
		before, connected := take(), take()
		time.Sleep(9 * time.Second)
		require.NoError(t, before.Connected(t.Context(), false))
		before.Done()
		end := time.Now().Add(500 * time.Millisecond) // sooner than the gap at the gate
		p.Break(1, end)

		var between lane.State
		time.AfterFunc(time.Until(end)+time.Millisecond, func() { between, _ = p.State(1) })
		var queued time.Time
		go func() {
			turn := take()
			queued = time.Now()
			turn.Done()
		}()
		assert.NoError(t, connected.Connected(t.Context(), false))
		passed := time.Now()
		time.Sleep(3 * time.Second)
		synctest.Wait()
		assert.Equal(t, end.Add(500*time.Millisecond), passed)
		assert.Equal(t, lane.Trial, between.Cause)
		assert.Zero(t, between.Since, "no trial has begun yet")
		assert.Zero(t, queued, "it follows the answer to the one that has gone first")
		connected.Answered(lane.Answer{Kind: limit.Good, Answered: true})
		connected.Done()
		synctest.Wait()
		assert.Equal(t, time.Now(), queued)
	})
}
