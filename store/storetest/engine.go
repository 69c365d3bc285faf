package storetest

import (
	"testing"
	"testing/synctest"
	"time"
)

// An Engine says how to test an E. Only Open is needed.
type Engine[E any] struct {
	// Open returns a new E that keeps nothing yet. Each test calls it once. To close
	// the E after the test, Open calls t.Cleanup.
	Open func(t *testing.T) E

	// Reopen closes e and opens what it has kept, as the next process does. If Reopen
	// is nil, the tests of restarts do not run. Turns must pass TestTurns
	// also with a Reopen that opens a copy of what e has kept so far, and does not close
	// e: as if its process was killed.
	Reopen func(t *testing.T, e E) E

	// Join returns another E that shares what e keeps, as a second process has it. If
	// Join is nil, the tests play both processes with one E.
	Join func(t *testing.T, e E) E

	// Pass lets d pass by the engine's clock, and does not wait. If Pass is nil, the
	// tests sleep.
	Pass func(d time.Duration)

	// Unit is how long the leases, gaps and breaks are that the tests let pass. Zero is 300 ms.
	// The engine's clock may be wrong by a tenth of it. The engine may be slow: the tests
	// use a minute for leases that must not end while they run.
	Unit time.Duration

	// Bubble runs each test in a bubble of testing/synctest, so the tests do not wait.
	// Set it for an engine in memory that goes by time.Now.
	// They call Open, Reopen and Join in the bubble. They then also test what must
	// happen within some time.
	Bubble bool
}

const (
	defaultUnit = 300 * time.Millisecond

	// long is the length of what must not pass during a test.
	long = time.Minute
)

// run runs one test, in a bubble if e says so.
func (e Engine[E]) run(t *testing.T, name string, test func(b *bench, one, two E)) {
	plain := func(t *testing.T) {
		one := e.Open(t)
		two := one
		if e.Join != nil {
			two = e.Join(t, one)
		}
		test(e.bench(t), one, two)
	}
	t.Run(name, func(t *testing.T) {
		if e.Bubble {
			synctest.Test(t, plain)
		} else {
			plain(t)
		}
	})
}

func (e Engine[E]) bench(t *testing.T) *bench {
	b := &bench{T: t, skip: e.Pass, unit: e.Unit, bubble: e.Bubble, began: time.Now()}
	if b.unit <= 0 {
		b.unit = defaultUnit
	}
	return b
}
