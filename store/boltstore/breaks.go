package boltstore

import (
	"sync"
	"time"
)

// A held is a break of a lane, from the moment that it begins.
type held struct {
	hold
	until time.Duration // since the store was opened
	kept  bool          // the disk has it
}

// breaks are those under way, and who watches.
type breaks struct {
	mu       sync.Mutex
	all      map[string]held
	watchers map[*watcher]struct{}
}

// begin begins a break, unless a longer one is under way. It returns whether the disk
// has the longer one.
func (b *breaks) begin(lane string, h held) (kept bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if longer, ok := b.all[lane]; ok && h.until <= longer.until {
		return longer.kept
	}
	b.all[lane] = h
	for w := range b.watchers {
		w.addLane(lane)
	}
	return h.kept
}

// left returns what is left of the break of a lane.
func (b *breaks) left(lane string, now time.Duration) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(b.all[lane].until-now, 0)
}

// of returns the breaks of lanes.
func (b *breaks) of(lanes map[string]struct{}) map[string]held {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := make(map[string]held)
	for lane := range lanes {
		if h, ok := b.all[lane]; ok {
			found[lane] = h
		}
	}
	return found
}

// keep notes that the disk has some breaks.
func (b *breaks) keep(some map[string]held) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for lane, h := range some {
		if b.all[lane] == h {
			h.kept = true
			b.all[lane] = h
		}
	}
}

// over returns those that are over, of some.
func (b *breaks) over(now time.Duration, some int) map[string]held {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := make(map[string]held)
	for lane, h := range b.all {
		if h.until <= now {
			found[lane] = h
		}
		if some--; some == 0 {
			break
		}
	}
	return found
}

// forget forgets some breaks.
func (b *breaks) forget(some map[string]held) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for lane, h := range some {
		if b.all[lane] == h {
			delete(b.all, lane)
		}
	}
}

// at returns the breaks as they are by a time of day, which may have been set since they
// began.
func (b *breaks) at(wall time.Time, now time.Duration) map[string]held {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := make(map[string]held)
	for lane, h := range b.all {
		if h.until > now {
			h.began = wall.Add(h.until - now - h.length)
			found[lane] = h
		}
	}
	return found
}

func (b *breaks) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.all)
}

// watch returns a watcher of the breaks under way, and of those that begin.
func (b *breaks) watch() *watcher {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := newWatcher()
	for lane := range b.all {
		w.addLane(lane)
	}
	b.watchers[w] = struct{}{}
	return w
}

func (b *breaks) unwatch(w *watcher) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.watchers, w)
}

// replaced tells those who watch that the record of a key was replaced by another.
func (b *breaks) replaced(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for w := range b.watchers {
		w.addRecord(key)
	}
}
