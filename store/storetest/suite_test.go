package storetest_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/store/storetest"
)

// A setClock is a clock that goes on with the time of day, and can be set forward.
type setClock struct{ ahead atomic.Int64 }

func (c *setClock) now() time.Time       { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *setClock) pass(d time.Duration) { c.ahead.Add(int64(d)) }

// With a clock that is set, time goes on also beside what Pass lets pass.
func TestWithAClockThatIsSet(t *testing.T) {
	testWithAClockThatIsSet(t, true)
}

// Without a bubble the tests wait for real time: the crowds alone take 10 seconds.
func TestWithoutABubble(t *testing.T) {
	long.Only(t)
	t.Parallel()
	testWithAClockThatIsSet(t, false)
}

func testWithAClockThatIsSet(t *testing.T, bubble bool) {
	var clock setClock
	t.Run("store", func(t *testing.T) {
		storetest.TestStore(t, storetest.Engine[*flawedStore]{
			Open: func(*testing.T) *flawedStore {
				s := newFlawedStore("none")
				s.clock = clock.now
				return s
			},
			Reopen: func(_ *testing.T, s *flawedStore) *flawedStore { return s.reopen() },
			Pass:   clock.pass,
			Unit:   time.Second,
			Bubble: bubble,
		})
	})
	t.Run("turns", func(t *testing.T) {
		storetest.TestTurns(t, storetest.Engine[*flawedTurns]{
			Open: func(*testing.T) *flawedTurns {
				s := newFlawedTurns("none")
				s.clock, s.store.clock, s.beat = clock.now, clock.now, 10*time.Millisecond
				return s
			},
			Reopen: func(_ *testing.T, s *flawedTurns) *flawedTurns { return s.reopen() },
			Pass:   clock.pass,
			Unit:   time.Second,
			Bubble: bubble,
		})
	})
}
