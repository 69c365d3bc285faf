package storetest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A bench is where one test is made.
type bench struct {
	*testing.T
	skip    func(time.Duration) // nil: the test sleeps
	unit    time.Duration
	bubble  bool
	began   time.Time
	passed  atomic.Int64 // what the test has let pass
	skipped atomic.Int64 // what of it may not have passed in this process
	tokens  sync.Map     // all that claims have had

	restarted bool // since then the engine goes by the time of day, which may be wrong by a tick
}

// tick is how far the engine's clock may be wrong.
func (b *bench) tick() time.Duration { return b.unit / 10 }

// pass lets d pass by the engine's clock.
func (b *bench) pass(d time.Duration) {
	if b.skip == nil {
		time.Sleep(d)
	} else {
		b.skip(d)
		b.skipped.Add(int64(d)) // the engine's clock may have gone on meanwhile
	}
	b.passed.Add(int64(d))
}

// outlast lets d and a tick pass: more than d by any engine's clock.
func (b *bench) outlast(d time.Duration) { b.pass(d + b.tick()) }

// A moment is a time by the engine's clock. The tests do not see this clock, but they
// know bounds. The time between two moments is no more than from the first's from to the
// second's to. It is no less than the difference of their passed, which counts only what
// the tests have let pass.
type moment struct{ from, to, passed time.Duration }

// moment returns the moment now.
func (b *bench) moment() moment {
	now := time.Since(b.began) + time.Duration(b.skipped.Load())
	return moment{now, now, time.Duration(b.passed.Load())}
}

// crowd is how many are many.
const crowd = 32

// together runs n functions at the same time, and waits for them.
func together(n int, f func(i int)) {
	var ready, done sync.WaitGroup
	ready.Add(n)
	for i := range n {
		done.Go(func() {
			ready.Done()
			ready.Wait()
			f(i)
		})
	}
	done.Wait()
}

// pick returns a client for the goroutine i.
func pick[C any](i int, clients ...C) C { return clients[i%len(clients)] }
