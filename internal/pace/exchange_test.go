package pace_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/pace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// begin begins a turn whose start comes after a time. With no slots, it has no limit.
func begin(t *testing.T, p *pace.Pacer[int], start time.Duration, slots int) *pace.Turn {
	place, err := p.Join(t.Context(), 1, pace.Terms{Gap: time.Second, Slots: slots, MaxQueue: 9, Reserved: true})
	require.NoError(t, err)
	from := time.Now().Add(start)
	for {
		step, err := place.Wait(t.Context(), nil, 0)
		require.NoError(t, err)
		if step == pace.Reserve {
			place.Reserve(pace.Window{From: from, Until: from.Add(10 * time.Millisecond)})
		} else if turn, ok := place.Start(); ok {
			turn.Book(&pace.Booking{
				Gap: time.Second,
				Again: func(context.Context, time.Duration, time.Time) (pace.Window, error) {
					now := time.Now().Add(time.Minute)
					return pace.Window{From: now, Until: now.Add(10 * time.Millisecond)}, nil
				},
				Hold: func(*pace.Turn) {},
				End:  func(bool) {},
			})
			return turn
		}
	}
}

// A turn that has missed its start takes that of one that still connects, and waits for it.
func TestExchange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer()
		p.Connected(1, 4*time.Second) // so turns begin long before their starts
		began := time.Now()
		var passed sync.Map
		var all sync.WaitGroup
		for i, connects := range []time.Duration{9 * time.Second, 11 * time.Second, 5 * time.Second} {
			turn := begin(t, p, time.Until(began.Add(time.Duration(6+i)*time.Second)), 0)
			all.Go(func() {
				defer turn.Done()
				time.Sleep(time.Until(began.Add(connects)))
				assert.NoError(t, turn.Connected(t.Context(), false))
				passed.Store(i, time.Since(began))
			})
		}
		all.Wait()
		first, _ := passed.Load(2)
		assert.Equal(t, 6*time.Second, first, "the first connection takes the first start")
		second, _ := passed.Load(0)
		third, _ := passed.Load(1)
		assert.GreaterOrEqual(t, second, 60*time.Second, "no start is left: another is reserved")
		assert.GreaterOrEqual(t, third, 60*time.Second)
	})
}

// A turn in the gate whose start has passed does not pass before the start that it takes.
func TestExchangeAtTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer()
		p.Connected(1, 4*time.Second)
		began := time.Now()
		var passed []time.Duration
		var mu sync.Mutex
		var all sync.WaitGroup
		// The first passes late, so that the second misses its start behind it, and takes that of the third.
		for i, connects := range []time.Duration{6 * time.Second, 6 * time.Second, 20 * time.Second} {
			turn := begin(t, p, time.Until(began.Add([]time.Duration{6, 6, 9}[i]*time.Second)), 0)
			all.Go(func() {
				defer turn.Done()
				time.Sleep(time.Until(began.Add(connects)))
				assert.NoError(t, turn.Connected(t.Context(), false))
				mu.Lock()
				defer mu.Unlock()
				passed = append(passed, time.Since(began))
			})
		}
		all.Wait()
		require.Len(t, passed, 3)
		assert.Equal(t, []time.Duration{6 * time.Second, 9 * time.Second}, passed[:2])
		assert.GreaterOrEqual(t, passed[2], time.Minute)
	})
}

// A start that was reserved by another limit is not exchanged: if it is missed, it is reserved again
// by that limit, and other requests of the process may have all the slots, and wait for this
// connection.
func TestNoExchangeWithAnotherLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer()
		p.Connected(1, 4*time.Second)
		began := time.Now()
		first, second := begin(t, p, 6*time.Second, 3), begin(t, p, 7*time.Second, 2)
		defer first.Done()
		defer second.Done()
		time.Sleep(time.Until(began.Add(6500 * time.Millisecond))) // the first has missed its start
		require.NoError(t, first.Connected(t.Context(), false))
		assert.GreaterOrEqual(t, time.Since(began), time.Minute)
	})
}
