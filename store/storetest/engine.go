package storetest

import (
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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

// plus returns the moment d later.
func (m moment) plus(d time.Duration) moment { return moment{m.from + d, m.to + d, m.passed + d} }

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

// oddNames returns names that an engine may take for something else, or for each other.
func oddNames() []string {
	long := strings.Repeat("k", 4<<10)
	return []string{
		"", " ", "  ", "\x00", "\x00\x00", "\n", "a\n", "a\r\n", "a", "A", "aa", "a\x00", "a\x00a", "a ", " a",
		"{}x}", "{}", "{a}", "{a}b", "{a}c", "}{", "a:b", "a/b", "../a", "a%00", "%s", "*", "?", "[a]", "'", `"`, `\`, "a;b", "0", "-1",
		"é", "e\u0301", "\u2028", "\xff", "\xff\xfe", "\xc3", "nil", "http://example.org:80", "http://example.org:8",
		long, long + "k", long + "a", "a" + long,
	}
}

// oddEntries returns entries that an engine may change.
func oddEntries() [][]byte {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return [][]byte{
		{}, {0}, []byte("\n"), []byte("nil"), []byte("%s {} \r\n"), all,
		slices.Repeat(all, 1<<12), // 1 MiB
	}
}

// oddNumbers returns numbers that nobody should send.
func oddNumbers() []time.Duration {
	return []time.Duration{math.MinInt64, -long, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64}
}
