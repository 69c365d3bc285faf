package boltstore

import (
	"sync"
	"time"
)

// A turn is a start that is reserved. All times are since the store was opened.
type turn struct {
	token string
	mine  bool // of a token: it can be given back
	start time.Duration
	gap   time.Duration
	slack time.Duration
}

// after returns the soonest start after t of one who asks for a gap.
func (t turn) after(gap time.Duration) time.Duration {
	return t.start + t.slack + max(t.gap, gap)
}

// binds tells whether t can still delay another start. A lane is remembered for ten
// minutes, so that one who asks for a longer gap than t's finds it.
func (t turn) binds(now time.Duration) bool {
	return now < t.after(remember)
}

const (
	remember = 10 * time.Minute
	turnsOf  = 3 // of a lane: the newest, the one before, and one that was before these
)

// A lane keeps its newest turns, the newest last. It never has none.
type lane struct{ turns []turn }

func (l *lane) newest() turn { return l.turns[len(l.turns)-1] }

// holds tells whether the newest turn is token's.
func (l *lane) holds(token string) bool { return l.newest().mine && l.newest().token == token }

// done gives back the newest turn, if it is token's.
func (l *lane) done(token string) {
	if l.holds(token) {
		l.turns = l.turns[:len(l.turns)-1]
	}
}

// start returns the soonest start for token.
func (l *lane) start(token string, gap time.Duration) time.Duration {
	before := l.newest()
	if l.holds(token) {
		before = l.turns[len(l.turns)-2]
	}
	return before.after(gap)
}

// reserve makes t the newest turn. The oldest one that is remembered cannot be given
// back: what was before it is forgotten.
func (l *lane) reserve(t turn) {
	l.done(t.token)
	if l.turns = append(l.turns, t); len(l.turns) > turnsOf {
		l.turns = append(l.turns[:0], l.turns[1:]...)
		l.turns[0].mine = false
	}
}

// lanes are those that took turns lately.
type lanes struct {
	mu    sync.Mutex
	all   map[string]*lane
	floor time.Duration // all starts that are not known were before it
	clean bool          // the file has the starts of the process before
}

// clear forgets all lanes.
func (l *lanes) clear(now time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.all)
	l.floor, l.clean = now, false
}

// unknown returns the turn that a lane begins with if nothing is known of it, and
// whether the file may know more.
func (l *lanes) unknown() (first turn, clean bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return turn{start: l.floor}, l.clean
}

// find returns the lane of a name. If it is new, it begins with the turn first.
func (l *lanes) find(name string, now time.Duration, first turn) *lane {
	if found, ok := l.all[name]; ok {
		return found
	}
	l.sweep(now)
	found := &lane{turns: []turn{first}}
	l.all[name] = found
	return found
}

// sweep forgets some lanes that delay nobody.
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
