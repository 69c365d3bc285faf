package memory

import (
	"maps"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
)

// Turns are lanes, their breaks, and those who watch the breaks. The zero Turns is ready
// for use. It is safe for concurrent use. Do not copy it.
//
// Its methods do what those of [store.Turns] say, and forget lanes that delay nobody.
type Turns struct {
	mu       sync.Mutex
	floor    time.Time // starts that are not known were no later
	lanes    map[string]*lane
	breaks   map[string]Break
	watchers map[*watcher]struct{}
	closed   bool
}

// A Break is a break of a lane.
type Break struct {
	Until  time.Time
	Length time.Duration // from its beginning
}

// Floor says that starts which Turns does not know may have been until a moment.
func (t *Turns) Floor(at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.floor = at
}

// Has reports whether a lane is known.
func (t *Turns) Has(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lanes[name] != nil
}

// Count returns how many lanes, breaks and Watches there are.
func (t *Turns) Count() (lanes, breaks, watches int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.lanes), len(t.breaks), len(t.watchers)
}

// Take reserves the next start of a lane, and takes a slot. If the lane is not known, its
// last start was before. After Close, Take returns false.
func (t *Turns) Take(name string, ask store.Ask, before Start) (grant store.Grant, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	left := max(t.breaks[name].Until.Sub(now), 0)
	if ask.Gap <= 0 && ask.Slots <= 0 {
		return store.Grant{Wait: left}, true
	}
	if t.closed {
		return store.Grant{}, false
	}
	ask.Gap, ask.Slack = max(ask.Gap, 0), max(ask.Slack, 0)
	return t.lane(name, before, now).take(ask, now.Add(max(ask.NotBefore, left)), now), true
}

// lane returns the lane of a name. A new one begins after the start before.
func (t *Turns) lane(name string, before Start, now time.Time) *lane {
	if found := t.lanes[name]; found != nil {
		return found
	}
	if t.lanes == nil {
		t.lanes = make(map[string]*lane)
	}
	sweep(t.lanes, func(l *lane) bool { return l.idle(now) })
	if before.At.Before(t.floor) {
		before = Start{At: t.floor}
	}
	added := &lane{starts: []Start{before}, slots: make(map[string]time.Time)}
	t.lanes[name] = added
	return added
}

// Done ends what token has.
func (t *Turns) Done(name, token string, unused bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l := t.lanes[name]; l != nil {
		l.done(token, unused)
	}
}

// Renew lets slots be taken for longer. It returns the tokens whose slots are lost.
func (t *Turns) Renew(lease time.Duration, turns map[string]string) (lost []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for token, name := range turns {
		if l := t.lanes[name]; l == nil || !l.renew(token, lease, now) {
			lost = append(lost, token)
		}
	}
	return lost
}

// Clear forgets all starts and breaks. Slots stay taken. All lanes begin after now.
func (t *Turns) Clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.floor = time.Now()
	for name, l := range t.lanes {
		if l.starts = []Start{{At: t.floor}}; len(l.slots) == 0 {
			delete(t.lanes, name)
		}
	}
	clear(t.breaks)
}

// Close returns the newest start of each lane, and the breaks. After it, nothing is
// reserved.
func (t *Turns) Close() (newest map[string]Start, breaks map[string]Break) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	newest = make(map[string]Start, len(t.lanes))
	for name, l := range t.lanes {
		newest[name] = l.newest()
	}
	return newest, maps.Clone(t.breaks)
}
