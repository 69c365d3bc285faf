package memory

import (
	"maps"
	"slices"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/store"
)

// A Start is one that a token has reserved.
type Start struct {
	At         time.Time
	Gap, Slack time.Duration
	token      string
}

const (
	// remember is how long a lane is remembered after its last start, so that a longer gap
	// counts from there, too.
	remember = 10 * time.Minute

	// mostStarts is how many starts of a lane are remembered. If the token of an older one
	// takes again, it gets another.
	mostStarts = 64
)

// over returns when s can be used no more.
func (s Start) over() time.Time { return s.At.Add(s.Slack) }

// next returns the soonest start after s for an ask with a gap.
func (s Start) next(gap time.Duration) time.Time { return s.over().Add(max(s.Gap, gap)) }

// Binds reports whether s may delay another start.
func (s Start) Binds(now time.Time) bool { return now.Before(s.next(remember)) }

// A lane has its newest starts in their order, and its slots. The first start stays: what was
// before it is not known.
type lane struct {
	starts []Start
	slots  map[string]time.Time // when their leases end, by token
	queue  []waiter             // for slots, in order
	alarm  *time.Timer          // for the first in the queue; nil if there never was one
	age    int64                // smaller for one that came before
	bytes  int64                // that it takes
}

// A waiter is a token in the queue.
type waiter struct {
	token string
	gap   time.Duration
	slots int
	until time.Time // it has left if it has not taken again
}

func (l *lane) newest() Start { return l.starts[len(l.starts)-1] }

// take reserves a start that is not before from, and takes a slot if one is needed. If
// not both can be had, it does neither.
func (l *lane) take(ask store.Ask, from, now time.Time) store.Grant {
	start, reserve := from, false
	if ask.Gap > 0 {
		start, reserve = l.start(ask, from)
	}
	if ask.Queue && ask.Slots > 0 {
		return l.takeBoth(ask, start, reserve, now)
	}
	wait, gap := start.Sub(now), l.longest()
	near := ask.Slots > 0 && wait-ask.Slack <= ask.Lead
	switch {
	case ask.MaxWait > 0 && wait > ask.MaxWait:
		return store.Grant{Wait: wait, Late: true, Gap: gap}
	case near && l.others(ask.Token, now) >= ask.Slots:
		return store.Grant{Wait: wait, Busy: true, Gap: gap}
	}
	if reserve {
		l.reserve(Start{At: start, Gap: ask.Gap, Slack: ask.Slack, token: ask.Token}, now)
	}
	if near {
		l.slot(ask.Token, now.Add(ask.Lease))
	}
	return store.Grant{Wait: wait, Slot: near, Gap: gap}
}

// slot lets token have a slot until a time.
func (l *lane) slot(token string, until time.Time) {
	if l.slots == nil {
		l.slots = make(map[string]time.Time)
	}
	l.slots[token] = until
}

// takeBoth takes a start and a slot, or lets the token wait in the queue. Call handOn before it: then a token
// that waits first cannot have its slot yet.
func (l *lane) takeBoth(ask store.Ask, start time.Time, reserve bool, now time.Time) store.Grant {
	others := l.others(ask.Token, now)
	_, has := l.slots[ask.Token]
	grant := store.Grant{Wait: start.Sub(now), Gap: l.longest()}
	far := grant.Wait > store.QueueAhead
	place := slices.IndexFunc(l.queue, func(w waiter) bool { return w.token == ask.Token })
	if before := max(place, 0); !has {
		if place < 0 {
			before = len(l.queue)
		}
		grant.Wait += time.Duration(before) * max(ask.Gap, grant.Gap)
	}
	switch {
	case ask.MaxWait > 0 && grant.Wait > ask.MaxWait:
		l.leave(ask.Token)
		grant.Late = true
	case !has && (far || len(l.queue) > 0 || others >= ask.Slots):
		w := waiter{ask.Token, ask.Gap, ask.Slots, now.Add(max(store.QueueKeep, 2*grant.Wait))}
		if place < 0 {
			l.queue = append(l.queue, w)
		} else {
			l.queue[place] = w
		}
		if grant.Queued, grant.Busy = true, !far; grant.Busy {
			grant.Lease = l.firstEnd(now).Sub(now)
		}
	default:
		if own := l.find(ask.Token); ask.Startless && ask.Gap > 0 && grant.Wait < ask.Lead {
			grant.Startless, reserve = true, false
			if own > 0 {
				l.starts = slices.Delete(l.starts, own, own+1)
			}
		}
		if reserve {
			l.reserve(Start{At: start, Gap: ask.Gap, Slack: ask.Slack, token: ask.Token}, now)
		}
		l.slot(ask.Token, now.Add(ask.Lease))
		grant.Slot = true
	}
	return grant
}

// firstEnd returns when the first lease ends, and soon if there is none.
func (l *lane) firstEnd(now time.Time) time.Time {
	if len(l.slots) == 0 {
		return now.Add(store.QueueAhead)
	}
	return slices.MinFunc(slices.Collect(maps.Values(l.slots)), time.Time.Compare)
}

// handOn keeps free slots for the first in the queue whose starts are near. It returns their tokens, and when
// to look again if some still wait; zero if none do.
func (l *lane) handOn(breakEnds, now time.Time) (called []string, again time.Time) {
	l.expire(now)
	for len(l.queue) > 0 {
		first := l.queue[0]
		near := clock.Later(breakEnds, l.newest().next(first.gap)).Add(-store.QueueAhead)
		switch {
		case !first.until.After(now):
		case near.After(now):
			return called, near
		case len(l.slots) >= first.slots:
			return called, l.firstEnd(now)
		default:
			l.slot(first.token, now.Add(store.QueueHold))
			called = append(called, first.token)
		}
		l.queue = l.queue[1:]
	}
	return called, again
}

// leave lets token leave the queue.
func (l *lane) leave(token string) {
	l.queue = slices.DeleteFunc(l.queue, func(w waiter) bool { return w.token == token })
}

// start returns the soonest start for ask that is not before from, and whether it must
// be reserved: the token may have it already. It may come before those of others.
func (l *lane) start(ask store.Ask, from time.Time) (at time.Time, reserve bool) {
	own := l.find(ask.Token)
	if s := l.starts[own]; own > 0 && s.Gap == ask.Gap && s.Slack == ask.Slack && !s.At.Before(from) {
		return s.At, false
	}
	at = from
	for i, s := range l.starts {
		switch next := s.next(ask.Gap); {
		case i > 0 && i == own: // it is given up
		case i > 0 && !at.Add(ask.Slack).Add(max(s.Gap, ask.Gap)).After(s.At):
			return at, true
		case next.After(at):
			at = next
		}
	}
	return at, true
}

// longest returns the longest gap of the starts.
func (l *lane) longest() (gap time.Duration) {
	for _, s := range l.starts {
		gap = max(gap, s.Gap)
	}
	return gap
}

// find returns the index of the start of token, or 0.
func (l *lane) find(token string) int {
	return 1 + slices.IndexFunc(l.starts[1:], func(s Start) bool { return s.token == token })
}

// reserve adds a start, and drops the one that its token has. It forgets those that
// nobody needs. The token of the last one that is over may still give it back.
func (l *lane) reserve(s Start, now time.Time) {
	if i := l.find(s.token); i > 0 {
		l.starts = slices.Delete(l.starts, i, i+1)
	}
	i := len(l.starts)
	for s.At.Before(l.starts[i-1].At) { // the first start is before all others
		i--
	}
	l.starts = slices.Insert(l.starts, i, s)
	for len(l.starts) > mostStarts || len(l.starts) > 2 && l.starts[2].over().Before(now) {
		l.starts = slices.Delete(l.starts, 0, 1)
	}
}

// done frees the slot of token, and gives its start back if it is unused.
func (l *lane) done(token string, unused bool) {
	delete(l.slots, token)
	l.leave(token)
	if i := l.find(token); unused && i > 0 {
		l.starts = slices.Delete(l.starts, i, i+1)
	}
}

// others returns how many slots other tokens have.
func (l *lane) others(token string, now time.Time) int {
	l.expire(now)
	if _, own := l.slots[token]; own {
		return len(l.slots) - 1
	}
	return len(l.slots)
}

// expire frees the slots whose leases have ended.
func (l *lane) expire(now time.Time) {
	maps.DeleteFunc(l.slots, func(_ string, end time.Time) bool { return !end.After(now) })
}

// renew lets the slot of token be taken for lease from now. It reports whether the slot
// was taken.
func (l *lane) renew(token string, lease time.Duration, now time.Time) bool {
	taken := l.slots[token].After(now)
	if taken {
		l.slots[token] = now.Add(lease)
	}
	return taken
}

// idle reports whether the lane delays nobody.
func (l *lane) idle(now time.Time) bool {
	l.expire(now)
	return !l.newest().Binds(now) && len(l.slots) == 0 && len(l.queue) == 0
}
