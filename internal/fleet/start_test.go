package fleet

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The slack follows what calls take. One slow call at most doubles what is usual, also if it stops
// many others at the same time, and quick ones bring it back.
func TestSlack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(slack)
		call := func(took time.Duration) {
			began := time.Now()
			time.Sleep(took)
			s.learn(began, took)
		}
		assert.Equal(t, plainSlack, s.now(0))
		call(2 * time.Second) // it connects
		assert.Equal(t, plainSlack, s.call(), "the first call alone says little")
		call(10 * time.Millisecond)
		assert.Equal(t, 17*time.Millisecond, s.now(0), "half as much again, and a little more")

		time.Sleep(time.Second)
		began := time.Now()
		time.Sleep(time.Second)
		for range 8 { // they stood still together
			s.learn(began, time.Second)
		}
		assert.Equal(t, 20*time.Millisecond, s.call())
		call(10 * time.Millisecond)
		assert.Equal(t, 17500*time.Microsecond, s.call(), "a quick one counts for a quarter")
		for range 20 {
			call(10 * time.Millisecond)
		}
		assert.InDelta(t, 10, s.call().Milliseconds(), 1)
		for range 20 { // a network that has become slow
			call(time.Second)
		}
		assert.Equal(t, time.Second, s.call())
	})
}

// If the first call was slow, one that reserves nothing says how long a call takes before a start is reserved.
func TestAsksHowLongACallTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript()
		r := newReservation(s, lane.StartRequest{Gap: second})
		r.slack.unsure = second
		for _, calls := range []int{2, 1} {
			_, _, err := r.reserve(t.Context())
			require.NoError(t, err)
			assert.Len(t, s.called(), calls)
		}
	})
}

// A start that is missed although its connection was ready widens the slack a little, for a while.
func TestSlackOfMissedStarts(t *testing.T) {
	s := new(slack)
	for range 100 {
		s.missed()
	}
	assert.Equal(t, (1+mostLate)*plainSlack, s.now(0))
	for range 100 {
		s.learn(time.Now(), 0)
	}
	assert.InDelta(t, plainSlack.Microseconds(), s.now(0).Microseconds(), 10)
}

// The slack is a small part of the gap, however short the gap is, and covers a call.
func TestSlackGrowsWithTheGap(t *testing.T) {
	for _, test := range []struct{ gap, call, slack time.Duration }{
		{10 * time.Millisecond, 0, 400 * time.Microsecond},
		{10 * time.Millisecond, 200 * time.Microsecond, 700 * time.Microsecond},
		{250 * time.Millisecond, time.Millisecond, 5 * time.Millisecond},
		{250 * time.Millisecond, 10 * time.Millisecond, 17 * time.Millisecond},
		{leastGap, time.Millisecond, 5 * time.Millisecond},
		{time.Second, time.Millisecond, 5 * time.Millisecond},
		{30 * time.Second, time.Millisecond, 75 * time.Millisecond},
		{time.Hour, time.Millisecond, 200 * time.Millisecond},
		{time.Hour, time.Second, 1502 * time.Millisecond},
	} {
		s := &slack{usual: test.call}
		assert.Equal(t, test.slack, s.now(test.gap), "gap %v, calls of %v", test.gap, test.call)
		s.missed()
		assert.Equal(t, test.slack+leastOf(test.gap), s.now(test.gap), "gap %v, calls of %v, a start was missed", test.gap, test.call)
	}
	for first, asks := range map[time.Duration]bool{plainSlack: false, plainSlack + 1: true} {
		var s slack
		s.learn(time.Now(), first)
		assert.Equal(t, [2]bool{asks, false}, [2]bool{s.asks(), s.asks()}, first)
	}
}

// Who waits for the right to go first is called when it comes, and leaves the queue if it needs the right no more.
func TestRightToGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(1<<20, new(memstore.Store))
		defer time.Sleep(time.Minute) // on the bubble's clock: until nobody listens to the store
		defer l.StopWatching()
		come := func() *reservation {
			r := l.reservation(OfUser("a lane"), func(context.Context, string, time.Time, error) {})
			r.queues, r.request.First = &l.queues, true
			return r
		}
		asks := func(r *reservation) (wait time.Duration) {
			wait, err := r.goFirst(t.Context())
			require.NoError(t, err)
			return wait
		}
		holder, next, gone, last := come(), come(), come(), come()
		assert.Zero(t, asks(holder))
		l.watch.hears()
		time.Sleep(time.Second) // on the bubble's clock: now it does
		for _, r := range []*reservation{next, gone, last} {
			assert.NotZero(t, asks(r))
		}
		heard := func() { time.Sleep(store.QueueHold / 2) } // on the bubble's clock
		holder.first.end()
		heard()
		assert.Len(t, next.turnComes, 1, "called")
		assert.Zero(t, asks(next))

		gone.request.First = false
		assert.Zero(t, asks(gone))
		assert.Nil(t, gone.turnComes)
		next.first.end()
		heard()
		assert.Len(t, last.turnComes, 1, "the one before it has left")
	})
}
