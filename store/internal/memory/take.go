package memory

import (
	"strings"
	"time"

	"github.com/go-polite/polite/store"
)

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
	ask.Gap, ask.Slack, ask.Lead = max(ask.Gap, 0), max(ask.Slack, 0), max(ask.Lead, 0)
	l := t.lane(name, before, now)
	t.handOn(name, l)
	grant = l.take(ask, now.Add(max(ask.NotBefore, left)), now)
	t.handOn(name, l)
	t.recount(name, l)
	t.shrink(now)
	return grant, true
}

// lane returns the lane of a name. A new one begins after the start before.
func (t *Turns) lane(name string, before Start, now time.Time) *lane {
	if found := t.lanes[name]; found != nil {
		return found
	}
	if t.lanes == nil {
		t.lanes = make(map[string]*lane)
	}
	sweep(t.lanes, func(l *lane) bool { return l.idle(now) }, func(name string, l *lane) { t.dropLane(name, l, now) })
	if before.At.Before(t.floor) {
		before = Start{At: t.floor}
	}
	added := &lane{starts: []Start{before}, age: t.next()}
	t.lanes[strings.Clone(name)] = added
	return added
}

// Done ends what token has.
func (t *Turns) Done(name, token string, unused bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l := t.lanes[name]; l != nil {
		l.done(token, unused)
		t.handOn(name, l)
	}
}

// handOn keeps the free slots of a lane for those who wait in its queue, and tells them. While some wait on, it
// looks again when the next slot may be free.
func (t *Turns) handOn(name string, l *lane) {
	if len(l.queue) == 0 {
		return
	}
	now := time.Now()
	called, again := l.handOn(t.breaks[name].Until, now)
	for _, token := range called {
		t.call(name, token)
	}
	switch {
	case again.IsZero():
	case l.alarm == nil:
		l.alarm = time.AfterFunc(again.Sub(now), func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.handOn(name, l)
		})
	default:
		l.alarm.Reset(again.Sub(now))
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
