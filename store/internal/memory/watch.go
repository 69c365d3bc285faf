package memory

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
)

// Replaced lets each Watch tell that the entry of a key was replaced by another.
func (t *Turns) Replaced(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for w := range t.watchers {
		if w.missed = w.missed || len(w.keys) >= mostKeys; !w.missed {
			w.keys[key] = struct{}{}
		}
		w.wake()
	}
}

const (
	beat     = time.Second / 2 // between two zero changes
	mostKeys = 16 << 10        // that wait to be told
)

// errMissed ends a Watch whose f is too slow.
var errMissed = errors.New("too many changes came before they could be told")

// Watch tells of breaks, and of entries that are replaced, until ctx ends.
func (t *Turns) Watch(ctx context.Context, f func(store.Change)) error {
	w := t.watch()
	defer t.unwatch(w)
	defer every(beat, w.wake)()
	for {
		missed := t.tell(w, f)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if missed {
			return errMissed
		}
		f(store.Change{})
		select {
		case <-w.some:
		case <-ctx.Done():
		}
	}
}

// every calls f again and again, in a goroutine of its own, until stop is called.
func every(wait time.Duration, f func()) (stop func()) {
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock()
	stopped := false
	var alarm *time.Timer
	alarm = time.AfterFunc(wait, func() {
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			alarm.Reset(wait)
			f()
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		alarm.Stop()
	}
}

// watch returns a watcher of the breaks under way, of those that begin, and of lessons.
func (t *Turns) watch() *watcher {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := newWatcher()
	for name := range t.breaks {
		w.lanes[name] = struct{}{}
	}
	for name := range t.lessons {
		w.lanes[name] = struct{}{}
	}
	if t.watchers == nil {
		t.watchers = make(map[*watcher]struct{})
	}
	t.watchers[w] = struct{}{}
	return w
}

func (t *Turns) unwatch(w *watcher) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.watchers, w)
}

// tell calls f for what w has collected. It reports whether w has missed something.
func (t *Turns) tell(w *watcher, f func(store.Change)) (missed bool) {
	t.mu.Lock()
	lanes, keys, calls := w.empty()
	missed = w.missed
	t.mu.Unlock()
	for token, name := range calls {
		f(store.Change{Lane: name, Token: token})
	}
	for name := range lanes {
		b, _ := t.BreakOf(name)
		left, lesson := max(time.Until(b.Until), 0), t.lessonOf(name)
		if left > 0 || lesson != "" {
			f(store.Change{Lane: name, Break: left, Lesson: lesson})
		}
	}
	for key := range keys {
		f(store.Change{Key: key})
	}
	return missed
}
