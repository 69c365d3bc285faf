package memory

import (
	"strings"
	"time"
)

// Break begins a break, unless it ends no later than the one under way. It reports
// whether it has.
func (t *Turns) Break(name string, b Break) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	before, ok := t.breaks[name]
	if ok && !b.Until.After(before.Until) {
		return false
	}
	now := time.Now()
	if ok && before.Until.After(now) {
		b.Since, b.age = before.Since, before.age
	} else {
		b.age = t.next()
	}
	if b.Since.IsZero() {
		b.Since = now
	}
	t.keepBreak(name, b)
	t.tellLane(name)
	t.shrink(now)
	return true
}

func (t *Turns) keepBreak(name string, b Break) {
	if t.breaks == nil {
		t.breaks = make(map[string]Break)
	}
	if _, ok := t.breaks[name]; !ok {
		name = strings.Clone(name)
		t.bytes += breakBytes + int64(len(name))
	}
	t.breaks[name] = b
}

// BreakOf returns the last break of a lane.
func (t *Turns) BreakOf(name string) (b Break, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b, ok = t.breaks[name]
	return b, ok
}

// Kept reports whether a lane has a break, as far as t knows.
func (t *Turns) Kept(name string) bool {
	_, ok := t.BreakOf(name)
	return ok
}

// DropOver looks at n breaks, and forgets those that are over.
func (t *Turns) DropOver(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for name, b := range t.breaks {
		if !b.Until.After(now) {
			t.dropBreak(name)
		}
		if n--; n == 0 {
			break
		}
	}
}
