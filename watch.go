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
	born  time.Time

	heard atomic.Int64 // when all breaks were told last, since born; 0: never
	used  atomic.Int64 // when a request came last, to a second
	mu    sync.Mutex
	under bool  // Watch is under way
	next  int64 // when to call Watch again at the earliest
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
	if w.under || now < w.next {
		return
	}
	w.under = true
	go w.listen()
}

// listen listens until no requests have come for a while, or until Watch returns.
func (w *watch) listen() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.under, w.next = false, int64(time.Since(w.born)+watchAgain)
		w.heard.Store(0)
	}()
	w.turns.Watch(ctx, func(c Change) {
		now := int64(time.Since(w.born)) + 1
		if c == (Change{}) {
			w.heard.Store(now)
		} else {
			w.tell(c)
		}
		if now-w.used.Load() > int64(unusedFor) {
			cancel()
		}
	})
}
