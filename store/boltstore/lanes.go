package boltstore

import (
	"slices"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
)

// A turn is a start that is reserved. Its time counts from when the store was opened.
type turn struct {
	token string
	start time.Duration
	gap   time.Duration
	slack time.Duration
}

const (
	// remember is how long a lane is remembered after its last turn, so that one who
	// asks for a longer gap finds it.
	remember = 10 * time.Minute

	// mostTurns is how many turns of a lane are remembered. Whoever has one before these
	// gets another if he takes again.
	mostTurns = 64

	// far is a start that nobody waits for. It keeps sums from overflowing.
	far = 100 * 365 * 24 * time.Hour
)

// next returns the soonest start after t of one who asks for a gap.
func (t turn) next(gap time.Duration) time.Duration {
	return min(t.start+t.slack+max(t.gap, gap), far)
}

// over tells whether t can be used no more.
func (t turn) over(now time.Duration) bool { return t.start+t.slack < now }

// binds tells whether t may delay another start.
func (t turn) binds(now time.Duration) bool { return now < t.next(remember) }

// A lane has its newest turns, the newest last, and its slots. The first turn stays: what
// was before it is not known.
type lane struct {
	turns []turn
	slots slots
}

func (l *lane) newest() turn { return l.turns[len(l.turns)-1] }

// take reserves a start that is not before from, and takes a slot if one is needed. If
// not both can be had, it does neither.
func (l *lane) take(ask store.Ask, from, now time.Duration) store.Grant {
	start, reserve := from, false
	if ask.Gap > 0 {
		start, reserve = l.start(ask, from)
	}
	wait := start - now
	near := ask.Slots > 0 && wait <= ask.Slack
	switch {
	case ask.MaxWait > 0 && wait > ask.MaxWait:
		return store.Grant{Wait: wait, Late: true}
	case near && l.slots.others(ask.Token, now) >= ask.Slots:
		return store.Grant{Wait: wait, Busy: true}
	}
	if reserve {
		l.reserve(turn{token: ask.Token, start: start, gap: ask.Gap, slack: ask.Slack}, now)
	}
	if near {
		l.slots[ask.Token] = now + ask.Lease
	}
	return store.Grant{Wait: wait, Slot: near}
}

// start returns the soonest start for ask that is not before from, and whether it must
// be reserved: the token may have it already.
func (l *lane) start(ask store.Ask, from time.Duration) (start time.Duration, reserve bool) {
	before := l.newest()
	if i := l.find(ask.Token); i > 0 {
		own := l.turns[i]
		if own.gap == ask.Gap && own.slack == ask.Slack && own.start >= from {
			return own.start, false
		}
		if i == len(l.turns)-1 {
			before = l.turns[i-1]
		}
	}
	return max(from, before.next(ask.Gap)), true
}

// find returns the place of the turn of token, or 0.
func (l *lane) find(token string) int {
	return 1 + slices.IndexFunc(l.turns[1:], func(t turn) bool { return t.token == token })
}

// reserve adds a turn, in place of the one that its token has. It forgets those that
// nobody needs. The token of the last one that is over may still give it back.
func (l *lane) reserve(t turn, now time.Duration) {
	if i := l.find(t.token); i > 0 {
		l.turns = slices.Delete(l.turns, i, i+1)
	}
	l.turns = append(l.turns, t)
	for len(l.turns) > mostTurns || len(l.turns) > 2 && l.turns[2].over(now) {
		l.turns = slices.Delete(l.turns, 0, 1)
	}
}

// done frees the slot of token, and gives its turn back if it is unused and the newest.
func (l *lane) done(token string, unused bool) {
	delete(l.slots, token)
	if last := len(l.turns) - 1; unused && last > 0 && l.turns[last].token == token {
		l.turns = l.turns[:last]
	}
}

// idle tells whether the lane delays nobody.
func (l *lane) idle(now time.Duration) bool {
	l.slots.forget(now)
	return !l.newest().binds(now) && len(l.slots) == 0
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
	found := &lane{turns: []turn{first}, slots: make(slots)}
	l.all[name] = found
	return found
}

// sweep forgets some lanes that delay nobody, so that they do not pile up.
func (l *lanes) sweep(now time.Duration) {
	looks := 4
	for name, lane := range l.all {
		if lane.idle(now) {
			delete(l.all, name)
		}
		if looks--; looks == 0 {
			return
		}
	}
}

// clear forgets all turns. Slots stay taken.
func (l *lanes) clear(now time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.floor, l.clean = now, false
	for name, lane := range l.all {
		if lane.turns = []turn{{start: now}}; len(lane.slots) == 0 {
			delete(l.all, name)
		}
	}
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
