package fleet

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/store"
)

// A watch listens to Turns while requests come: for breaks, and for change notices. While
// it hears, a request without a gap need not ask Turns.
type watch struct {
	turns  store.Turns // nil: there is nothing to hear
	health *health
	status func() store.Status // what others are told of this process
	tell   func(store.Change)
	busy   func() bool      // reports whether requests are under way
	wake   func()           // tells all who wait that their reservations may be lost, or that they hear no call
	miss   func()           // is called when change notices may have been missed; may be nil
	leave  func()           // is called when nobody uses it any more
	all    func(first bool) // is called each time when Watch tells that it has told all
	born   time.Time

	heard atomic.Int64 // when Watch last told that it hears all breaks, since born; 0: never
	used  atomic.Int64 // when a request came last, to a second
	lost  atomic.Int64 // how often Watch was no longer sure to hear all
	mu    sync.Mutex
	end   context.CancelFunc // ends the listening; nil if there is none
	deaf  *time.Timer        // wakes who waits to be called, when w hears no more; nil until it has heard
}

const (
	heardFor   = 3 * time.Second
	unusedFor  = 10 * time.Second
	watchAgain = time.Second
	soonAgain  = watchAgain / 10
)

// hears reports whether all breaks are known. If w does not listen yet, hears begins to listen.
func (w *watch) hears() bool {
	if w.turns == nil {
		return true
	}
	now := int64(time.Since(w.born)) + 1
	if now-w.used.Load() > int64(time.Second) {
		w.used.Store(now)
	}
	if heard := w.heard.Load(); heard != 0 && now-heard < int64(heardFor) {
		return true
	}
	w.begin()
	return false
}

func (w *watch) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.end != nil {
		return
	}
	var ctx context.Context
	ctx, w.end = context.WithCancel(context.Background())
	go w.listen(ctx)
}

// listen listens until nobody uses w any more, or until Turns is closed. If Watch returns, listen calls
// it again soon, and not only when the next request comes: otherwise a Watch that always returns would
// end each reservation at the moment of its use. If Watch had gone on for a while, listen calls it very
// soon: Turns may have lost a break that this process knows, and that processes which come now do not
// know.
func (w *watch) listen(ctx context.Context) {
	w.health.listens(true)
	defer func() { // also if Watch ends the goroutine
		w.health.listens(false)
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.deaf != nil {
			w.deaf.Stop()
		}
		w.end()
		w.end = nil
	}()
	var lost time.Time // when a Watch ended that had gone on for a while
	for ctx.Err() == nil {
		began := time.Now()
		heard, err := w.once(ctx)
		if errors.Is(err, store.ErrClosed) {
			return
		}
		if heard && time.Since(began) >= watchAgain/2 {
			lost = time.Now()
		}
		clock.Pause(ctx, min(max(time.Since(lost)/4, soonAgain), watchAgain))
		if w.unused(int64(time.Since(w.born))) {
			w.leave()
			w.stop()
		}
	}
}

// once calls Watch once. It reports whether Watch has heard all.
func (w *watch) once(ctx context.Context) (heard bool, err error) {
	began, err := time.Now(), errPanicked
	defer func() {
		recover() // a Watch that panics does not hear
		if heard = w.heard.Swap(0) != 0; heard {
			w.lose()
		}
		w.health.stops(began, err, ctx.Err() != nil)
	}()
	return false, w.watch(ctx, func(c store.Change) {
		now := int64(time.Since(w.born)) + 1
		if c == (store.Change{}) {
			w.hear(now)
		} else {
			w.tell(c)
		}
		if w.unused(now) {
			w.leave()
			w.stop()
		}
	})
}

// errSilent is why a process is deaf if Watch goes on and says nothing.
var errSilent = errors.New("polite: Cache.Turns has not said for 3 s that it hears all breaks")

// errPanicked is the error of a Watch that has panicked.
var errPanicked = errors.New("polite: Watch of Cache.Turns has panicked")

// watch calls Watch, or Report if Turns has it.
func (w *watch) watch(ctx context.Context, tell func(store.Change)) error {
	if reporter, ok := store.As[store.Reporter](w.turns); ok {
		return reporter.Report(ctx, w.status, tell)
	}
	return w.turns.Watch(ctx, tell)
}

// silent reports whether Watch has not said for a while that it hears, and since when.
func (w *watch) silent() (since time.Time, silent bool) {
	heard := w.born.Add(time.Duration(w.heard.Load()))
	return heard.Add(heardFor), time.Since(heard) >= heardFor
}

// unused reports whether no request has come for a while, and none is under way.
func (w *watch) unused(now int64) bool {
	return now-w.used.Load() > int64(unusedFor) && !w.busy()
}

// hear notes that Watch has told all.
func (w *watch) hear(now int64) {
	first := w.heard.Load() == 0
	if first && w.miss != nil {
		w.miss()
	}
	w.heard.Store(now)
	w.mu.Lock()
	if w.deaf == nil {
		w.deaf = time.AfterFunc(heardFor, w.wake)
	} else {
		w.deaf.Reset(heardFor)
	}
	w.mu.Unlock()
	w.health.hears()
	w.all(first)
}

// generation returns the number of the time in which nothing was lost, from 1.
func (w *watch) generation() int64 { return w.lost.Load() + 1 }

// lose notes that w is no longer sure to hear all.
func (w *watch) lose() {
	w.lost.Add(1)
	if w.miss != nil {
		w.miss()
	}
	w.wake()
}

// stop ends the listening until another request comes.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.end != nil {
		w.end()
	}
}
