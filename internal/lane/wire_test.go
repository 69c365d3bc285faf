package lane_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// begin begins a turn whose start comes after a time. With no slots, it has no limit.
func begin(t *testing.T, p *lane.Lanes[int], start time.Duration, slots int) *lane.Ticket {
	ticket, err := p.Join(t.Context(), 1, lane.Terms{Gap: time.Second, Slots: slots, MaxQueue: 9, Reserved: true})
	require.NoError(t, err)
	from := time.Now().Add(start)
	for {
		step, err := ticket.Wait(t.Context(), nil, 0)
		require.NoError(t, err)
		if step == lane.Reserve {
			ticket.Reserve(lane.Start{From: from, Until: from.Add(10 * time.Millisecond)})
		} else if ticket.Connect(nil) {
			ticket.Keep(&lane.Reservation{
				Gap: time.Second,
				Again: func(context.Context, time.Duration, time.Time) (lane.Start, error) {
					now := time.Now().Add(time.Minute)
					return lane.Start{From: now, Until: now.Add(10 * time.Millisecond)}, nil
				},
				End: func(bool, bool) {},
			})
			return ticket
		}
	}
}

// A turn whose connection is ready in the last moments of its window takes another start, since
// the write takes time, too.
func TestLastMomentsOfAWindow(t *testing.T) {
	for _, test := range []struct {
		ready  time.Duration // after the start; the window has 10 ms
		passes time.Duration // after that
	}{{7 * time.Millisecond, 0}, {9 * time.Millisecond, time.Minute}} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now().Add(6 * time.Second)
			turn := begin(t, newPacer(), time.Until(start), 0)
			defer turn.Done()
			time.Sleep(time.Until(start.Add(test.ready)))
			ready := time.Now()
			require.NoError(t, turn.Connected(t.Context(), false))
			assert.Equal(t, test.passes, time.Since(ready), test.ready)
		})
	}
}

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
