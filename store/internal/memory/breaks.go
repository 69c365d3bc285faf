package memory

import "time"

// Break begins a break, unless it ends no later than the one under way. It reports
// whether it has.
func (t *Turns) Break(name string, b Break) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if before, ok := t.breaks[name]; ok && !b.Until.After(before.Until) {
		return false
	}
	if t.breaks == nil {
		t.breaks = make(map[string]Break)
	}
	t.breaks[name] = b
	for w := range t.watchers {
		w.lanes[name] = struct{}{}
		w.wake()
	}
	return true
}

// BreakOf returns the last break of a lane.
func (t *Turns) BreakOf(name string) (b Break, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b, ok = t.breaks[name]
	return b, ok
}

// Over looks at n breaks. It returns those that are over.
func (t *Turns) Over(n int) map[string]Break {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, now := make(map[string]Break), time.Now()
	for name, b := range t.breaks {
		if !b.Until.After(now) {
			found[name] = b
		}
		if n--; n == 0 {
			break
		}
	}
	return found
}

// Forget forgets some breaks, unless longer ones have begun in their lanes.
func (t *Turns) Forget(some map[string]Break) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, b := range some {
		if t.breaks[name] == b {
			delete(t.breaks, name)
		}
	}
}
