package storetest

import (
	"slices"
	"time"

	"github.com/go-polite/polite/store"
)

// A lane is the starts, the slots and the break of one lane.
type lane struct {
	starts []reservation        // in order; the first one stays: it is over, or the zero one
	slots  map[string]time.Time // when their leases end, by token
	hold   time.Time            // when the break ends
}

func newLane() *lane {
	return &lane{starts: make([]reservation, 1), slots: make(map[string]time.Time)}
}

// A reservation is a start that a token has reserved.
type reservation struct {
	token      string
	at         time.Time
	gap, slack time.Duration
}

// over returns when the start can be used no more.
func (r reservation) over() time.Time { return r.at.Add(r.slack) }

// take reserves a start, and takes a slot if one is needed. If not both can be had, it
// does neither.
func (l *lane) take(ask store.Ask, now time.Time) store.Grant {
	if ask.Gap == 0 && ask.Slots <= 0 {
		return store.Grant{Wait: max(l.hold.Sub(now), 0)}
	}
	at, starts := latest(l.hold, now.Add(max(ask.NotBefore, 0))), l.starts
	if ask.Gap > 0 {
		at, starts = l.next(ask, at, now)
	}
	wait := at.Sub(now)
	near := ask.Slots > 0 && wait <= ask.Slack
	switch {
	case ask.MaxWait > 0 && wait > ask.MaxWait:
		return store.Grant{Wait: wait, Late: true}
	case near && l.others(ask.Token, now) >= ask.Slots:
		return store.Grant{Wait: wait, Busy: true}
	}
	l.starts = starts
	if near {
		l.slots[ask.Token] = now.Add(ask.Lease)
	}
	return store.Grant{Wait: wait, Slot: near}
}

// next returns the start that ask gets, no sooner than from, and all starts if it is
// reserved.
func (l *lane) next(ask store.Ask, from, now time.Time) (time.Time, []reservation) {
	starts := l.lately(now)
	if i := slices.IndexFunc(starts[1:], func(r reservation) bool { return r.token == ask.Token }) + 1; i > 0 {
		own := starts[i]
		if own.gap == ask.Gap && own.slack == ask.Slack && !own.at.Before(from) {
			return own.at, starts
		}
		starts = slices.Delete(starts, i, i+1)
	}
	last := starts[len(starts)-1]
	at := latest(from, last.over().Add(max(last.gap, ask.Gap)))
	return at, append(starts, reservation{ask.Token, at, ask.Gap, ask.Slack})
}

// lately returns a copy of the starts from the last but one that is over. The last one
// may still be given back, and then the one before counts.
func (l *lane) lately(now time.Time) []reservation {
	starts := l.starts
	for len(starts) > 2 && starts[2].over().Before(now) {
		starts = starts[1:]
	}
	return slices.Clone(starts)
}

// others returns how many slots are taken by other tokens.
func (l *lane) others(token string, now time.Time) (n int) {
	for other, end := range l.slots {
		switch {
		case !end.After(now):
			delete(l.slots, other)
		case other != token:
			n++
		}
	}
	return n
}

// done frees the slot of token, and gives its start back if it is unused and the newest.
func (l *lane) done(token string, unused bool) {
	delete(l.slots, token)
	if last := len(l.starts) - 1; unused && last > 0 && l.starts[last].token == token {
		l.starts = l.starts[:last]
	}
}

// renew lets the slot of token be taken for longer, and reports whether it was taken.
func (l *lane) renew(token string, lease time.Duration, now time.Time) bool {
	if !l.slots[token].After(now) {
		return false
	}
	l.slots[token] = now.Add(lease)
	return true
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
