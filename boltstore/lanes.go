package boltstore

import (
	"sync"
	"time"
)

// A turn is a start that is reserved. Its time counts from when the store was opened.
type turn struct {
	token string
	mine  bool // of its token, which can give it back
	start time.Duration
	gap   time.Duration
	slack time.Duration
}

const (
	// remember is how long a lane is remembered after its last turn, so that one who
	// asks for a longer gap finds it.
	remember = 10 * time.Minute

	turnsOf = 3 // of a lane: the newest, the one before, and one before these

	// far is a start that nobody waits for. It keeps sums from overflowing.
	far = 100 * 365 * 24 * time.Hour
)

// next returns the soonest start after t of one who asks for a gap.
func (t turn) next(gap time.Duration) time.Duration {
	return min(t.start+t.slack+max(t.gap, gap), far)
}

// binds tells whether t may delay another start.
func (t turn) binds(now time.Duration) bool { return now < t.next(remember) }

// A lane has its newest turns, the newest last. The first one cannot be given back: what
// was before it is not known.
type lane struct{ turns []turn }

func (l *lane) newest() turn { return l.turns[len(l.turns)-1] }

func (l *lane) holds(token string) bool { return l.newest().mine && l.newest().token == token }

// giveBack gives back the newest turn, if it is token's.
func (l *lane) giveBack(token string) {
	if l.holds(token) {
		l.turns = l.turns[:len(l.turns)-1]
	}
}

// start returns the soonest start for token. The newest turn gives way, if it is token's.
func (l *lane) start(token string, gap time.Duration) time.Duration {
	before := l.newest()
	if l.holds(token) {
		before = l.turns[len(l.turns)-2]
	}
	return before.next(gap)
}

func (l *lane) reserve(t turn) {
	l.giveBack(t.token)
	if l.turns = append(l.turns, t); len(l.turns) > turnsOf {
		l.turns = append(l.turns[:0], l.turns[1:]...)
		l.turns[0].mine = false
	}
}

// lanes are those that took turns lately.
type lanes struct {
	mu     sync.Mutex
	all    map[string]*lane
	floor  time.Duration // starts that are not known were before it
	clean  bool          // the file has the starts that the process before knew
	closed bool
}

// unknown returns the turn that a lane begins with if nothing is known of it, and whether
// the file may know more.
func (l *lanes) unknown(name string) (first turn, look bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, known := l.all[name]
	return turn{start: l.floor}, l.clean && !known
}

// find returns the lane of a name. If there is none, it begins with the turn first. The
// caller holds the lock.
func (l *lanes) find(name string, now time.Duration, first turn) *lane {
	if found, ok := l.all[name]; ok {
		return found
	}
	l.sweep(now)
	found := &lane{turns: []turn{first}}
	l.all[name] = found
	return found
}

// sweep forgets some lanes that delay nobody, so that they do not pile up.
func (l *lanes) sweep(now time.Duration) {
	looks := 4
	for name, lane := range l.all {
		if !lane.newest().binds(now) {
			delete(l.all, name)
		}
		if looks--; looks == 0 {
			return
		}
	}
}

// clear forgets all lanes.
func (l *lanes) clear(now time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.all)
	l.floor, l.clean = now, false
}

// close returns the newest turn of each lane. After it, nothing is reserved.
func (l *lanes) close() (newest map[string]turn, clean bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	newest = make(map[string]turn, len(l.all))
	for name, lane := range l.all {
		newest[name] = lane.newest()
	}
	return newest, l.clean
}
