package polite

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A watch hears of the breaks that Turns keeps, while requests come. While it hears, a
// request without a gap need not ask Turns.
type watch struct {
	turns Turns // nil: there is nothing to hear
	tell  func(Change)
	wake  func() // tells all who wait that their reservations may be lost
	born  time.Time

	heard atomic.Int64 // when all breaks were told last, since born; 0: never
	used  atomic.Int64 // when a request came last, to a second
	lost  atomic.Int64 // how often it was not sure any more
	mu    sync.Mutex
	end   context.CancelFunc // of the Watch that is under way; nil if there is none
	next  int64              // when to call Watch again at the earliest
}

const (
	heardFor   = 3 * time.Second
	unusedFor  = 10 * time.Second
	watchAgain = time.Second
)

// hears reports whether all breaks are known. If not, it begins to listen.
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
	w.begin(now)
	return false
}

func (w *watch) begin(now int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.end != nil || now < w.next {
		return
	}
	var ctx context.Context
	ctx, w.end = context.WithCancel(context.Background())
	go w.listen(ctx)
}

// listen listens until nobody uses w any more, or until Watch returns.
func (w *watch) listen(ctx context.Context) {
	defer func() {
		recover() // a Watch that panics does not hear
		if w.heard.Swap(0) != 0 {
			w.lost.Add(1)
			w.wake()
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.end()
		w.end, w.next = nil, int64(time.Since(w.born)+watchAgain)
	}()
	w.turns.Watch(ctx, func(c Change) {
		now := int64(time.Since(w.born)) + 1
		if c == (Change{}) {
			w.heard.Store(now)
		} else {
			w.tell(c)
		}
		if now-w.used.Load() > int64(unusedFor) {
			w.stop()
		}
	})
}

// stop ends the listening until another request comes.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.end != nil {
		w.end()
	}
}
