package boltstore

import (
	"sync"
	"time"
)

// A rest is a break under way.
type rest struct {
	pause
	until time.Duration // since the store was opened
	kept  bool          // the disk has it
}

// pauses are the breaks under way, in memory, and who watches them.
type pauses struct {
	mu       sync.Mutex
	all      map[string]rest
	watchers map[*watcher]struct{}
}

// left returns what is left of the break of a lane.
func (p *pauses) left(lane string, now time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.all[lane].until-now, 0)
}

// hold begins a break, unless a longer one is under way, and tells the watchers. It
// returns whether the disk has the longer one.
func (p *pauses) hold(lane string, r rest) (kept bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if old, ok := p.all[lane]; ok && r.until <= old.until {
		return old.kept
	}
	p.all[lane] = r
	for w := range p.watchers {
		w.add(lane)
	}
	return r.kept
}

// of returns the breaks of lanes.
func (p *pauses) of(lanes map[string]struct{}) map[string]rest {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := make(map[string]rest)
	for lane := range lanes {
		if r, ok := p.all[lane]; ok {
			found[lane] = r
		}
	}
	return found
}

// keep notes that the disk has breaks.
func (p *pauses) keep(breaks map[string]rest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for lane, r := range breaks {
		if p.all[lane] == r {
			r.kept = true
			p.all[lane] = r
		}
	}
}

// over returns some breaks that are over.
func (p *pauses) over(now time.Duration, looks int) map[string]rest {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := make(map[string]rest)
	for lane, r := range p.all {
		if r.until <= now {
			found[lane] = r
		}
		if looks--; looks == 0 {
			break
		}
	}
	return found
}

// at returns the breaks under way, as they are by a time of day that was set meanwhile.
func (p *pauses) at(wall time.Time, now time.Duration) map[string]rest {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := make(map[string]rest)
	for lane, r := range p.all {
		if r.until > now {
			r.began = wall.Add(r.until - now - r.length)
			found[lane] = r
		}
	}
	return found
}

// forget forgets breaks.
func (p *pauses) forget(breaks map[string]rest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for lane, r := range breaks {
		if p.all[lane] == r {
			delete(p.all, lane)
		}
	}
}

func (p *pauses) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.all)
}

// watch returns a watcher of all breaks under way, and of those that begin.
func (p *pauses) watch() *watcher {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := &watcher{lanes: make(map[string]struct{}), some: make(chan struct{}, 1)}
	for lane := range p.all {
		w.add(lane)
	}
	p.watchers[w] = struct{}{}
	return w
}

func (p *pauses) unwatch(w *watcher) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.watchers, w)
}

// A watcher collects the lanes whose breaks it has not been told yet.
type watcher struct {
	mu    sync.Mutex
	lanes map[string]struct{}
	some  chan struct{}
}

func (w *watcher) add(lane string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lanes[lane] = struct{}{}
	select {
	case w.some <- struct{}{}:
	default:
	}
}

// take returns what was collected, and begins anew.
func (w *watcher) take() map[string]struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.lanes
	w.lanes = make(map[string]struct{})
	return taken
}
