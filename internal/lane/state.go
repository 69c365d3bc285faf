package lane

import (
	"iter"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/limit"
)

// A Cause says why the first request of a line waits, or why a request cannot wait: see LateError.
type Cause uint8

const (
	NoCause  Cause = iota // none waits, or nothing keeps it any more
	InBreak               // until State.Break
	Trial                 // one request has gone first after a break, and is not answered
	Bodies                // all slots are taken, and the body of the oldest answer is open
	Slots                 // all slots are taken, and the oldest request is not answered
	Ceiling               // as many requests as Terms.Ceiling are not answered
	Window                // the site bears no more requests at the same time
	Gap                   // the gap since the last one
	Reserved              // its start is reserved elsewhere, and has not come
	Above                 // the lane above

	// Of a LateError, besides InBreak.
	Deadline // its deadline or MaxWait would come before its turn, or has come
	Down     // the site is down, and the request has no limit
	Full     // MaxQueue requests wait
	TooLong  // the site asks for a longer delay than is kept
	Failed   // the turns that processes share have failed: see LateError.Err
	Changed  // the rules have changed, and the request cannot be sent again
)

// A State is what a lane has, and what keeps it.
type State struct {
	Waiting int           // requests in the line
	Sent    int           // requests that have connected and are not answered
	Open    int           // answers whose slots are taken until their bodies are done
	Cause   Cause         // why the first in the line waits
	Since   time.Time     // when the oldest request that Cause is about began; zero if Cause is about no request
	Next    time.Time     // when the first in the line can go; zero if this is now, or depends on an answer
	Break   time.Time     // until when no turn begins; zero if there is no break
	Asked   bool          // the site has asked for the break
	Gap     time.Duration // between two
	Limit   limit.State   // what the site bears
}

// States returns the lanes that are kept, in no order. It holds no lock while it yields, and one part
// of the map at a time before. So a state is of the moment in which it is yielded.
func (ls *Lanes[K]) States() iter.Seq2[K, State] {
	return func(yield func(K, State) bool) {
		var keys []K
		for i := range ls.parts {
			keys = keys[:0]
			ls.parts[i].each(func(key K, _ *lane) bool {
				keys = append(keys, key)
				return true
			})
			for _, key := range keys {
				if s, ok := ls.State(key); ok && !yield(key, s) {
					return
				}
			}
		}
	}
}

// State returns the state of the lane of key. It returns false if none is kept.
func (ls *Lanes[K]) State(key K) (s State, ok bool) {
	l := ls.lane(key, ls.hash(key), false)
	if l == nil {
		return s, false
	}
	defer l.mu.Unlock()
	return l.state(time.Now()), true
}

// Keeps returns the state of the lane of key for a request by terms that is to wait, and has no ticket. It also
// reports whether the request needs a start that is reserved.
func (ls *Lanes[K]) Keeps(key K, terms Terms) (s State, reserves bool) {
	l := ls.lane(key, ls.hash(key), true)
	defer l.mu.Unlock()
	now := time.Now()
	s = l.state(now)
	if s.Waiting++; l.line.first == nil {
		t := &Ticket{lane: l, terms: terms}
		s.Gap = t.gap()
		l.hold(t, now, &s)
	}
	return s, l.reserves(terms)
}

func (l *lane) state(now time.Time) State {
	s := State{Waiting: l.line.length, Sent: l.limit.Under(), Open: l.openBodies(), Gap: max(l.begun.gap, l.limit.gap()), Limit: l.limit.state(now)}
	if end, asked := l.limit.BreakEnd(); end > l.limit.at(now) {
		s.Break, s.Asked = l.limit.breakEndsAt(), asked
	}
	if first := l.line.first; first != nil {
		s.Gap = first.gap()
		l.hold(first, now, &s)
	}
	return s
}

// hold fills in what keeps t, the first in the line.
func (l *lane) hold(t *Ticket, now time.Time, s *State) {
	next := l.ready(t.gap(), now)
	trial, began := l.limit.waits(now)
	switch {
	case l.limit.breakEndsAt().After(now):
		s.Cause, s.Next = InBreak, next
	case trial.After(now) || l.wire.holdsLine(now):
		s.Cause, s.Next, s.Since = Trial, trial, began
	case !l.free(t.terms):
		s.Cause, s.Since = l.full(t.terms)
		if s.Cause == Ceiling {
			s.Sent, _ = l.bound(t.terms) // also one without a ticket
		}
	case !l.room(t.terms):
		s.Cause, s.Next, s.Since = Window, l.limit.opens(now), oldest(l.unanswered)
	case next.After(now):
		s.Cause, s.Next = Gap, next
	case l.reserves(t.terms):
		s.Cause, s.Next = Reserved, clock.Later(t.start.From, t.turn)
	case t.terms.Joins:
		s.Cause = Above
	}
}

// full returns why no more requests by terms may be under way.
func (l *lane) full(terms Terms) (Cause, time.Time) {
	sent, open := oldest(l.unanswered), oldest(l.bodies)
	switch {
	case terms.Slots == 0:
		return Ceiling, sent
	case sent.IsZero() || !open.IsZero() && open.Before(sent):
		return Bodies, open
	default:
		return Slots, sent
	}
}

// oldest returns when the first of a list of tickets began. It is zero if there is none.
func oldest(t *Ticket) (began time.Time) {
	for ; t != nil; t = t.older {
		began = t.begun
	}
	return began
}

func (l *lane) openBodies() (n int) {
	for t := l.bodies; t != nil; t = t.older {
		n++
	}
	return n
}

// TellAfter lets Wait return Tell when t has waited for so long, in its own lane and above. Until then, Wait
// also returns Quiet.
func (t *Ticket) TellAfter(wait time.Duration) { t.tell = time.Now().Add(wait) }

// tells returns when to tell that the request has waited for long. It is zero if nobody is to be told.
func (t *Ticket) tells() time.Time {
	if t.below != nil {
		return t.below.tell
	}
	return t.tell
}

// Long returns the state of the lane of t, after Wait has returned Tell for t or for the ticket above.
// It reports whether to tell of it. If nothing keeps the lane in this moment, Wait returns Tell again soon.
func (t *Ticket) Long() (s State, tell bool) {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if s, tell = l.long(); s.Cause == NoCause {
		t.tell = time.Now().Add(soon)
	} else {
		t.tell = time.Time{}
	}
	return s, tell
}

// Long returns the state of the lane of key, in which a request waits for long. It reports whether to
// tell of it.
func (ls *Lanes[K]) Long(key K) (s State, tell bool) {
	l := ls.lane(key, ls.hash(key), true)
	defer l.mu.Unlock()
	return l.long()
}

const (
	// QuietTime is how long no request under way has had an answer when Wait returns Quiet.
	QuietTime = 5 * time.Second

	// quietAgain is how long a lane does not return Quiet again.
	quietAgain = time.Minute
)

// quietAt returns when t learns that it waits because no request under way has an answer. It is zero if t
// is not the first, may go, or does not tell.
func (l *lane) quietAt(t *Ticket) time.Time {
	if t != l.line.first || t.tells().IsZero() || l.unanswered == nil || l.slot(t.terms) {
		return time.Time{}
	}
	return clock.Later(l.unanswered.begun.Add(QuietTime), l.limit.born.Add(l.quietUntil))
}

// AwaitsAnswer reports whether the first in the line waits for an answer to a request under way.
func (s *State) AwaitsAnswer() bool {
	return s.Cause == Slots || s.Cause == Ceiling || s.Cause == Window
}

// AwaitsRequest reports whether the first in the line may go once a request under way is answered, or its body
// done.
func (s *State) AwaitsRequest() bool {
	return s.AwaitsAnswer() || s.Cause == Trial || s.Cause == Bodies
}

// logAgain is how long a lane does not tell again that requests wait for long for the same cause.
const logAgain = time.Hour

// long returns the state of l, in which a request waits for long. If many do, one of them tells of each
// cause.
func (l *lane) long() (s State, tell bool) {
	now := time.Now()
	s = l.state(now)
	return s, l.logs(s.Cause, now)
}

// Logs reports whether to tell that a request without a ticket waits for long in the lane of key, because of
// cause.
func (ls *Lanes[K]) Logs(key K, cause Cause) bool {
	l := ls.lane(key, ls.hash(key), true)
	defer l.mu.Unlock()
	return l.logs(cause, time.Now())
}

// logs reports whether to tell of cause, and notes that it is told.
func (l *lane) logs(cause Cause, now time.Time) (tell bool) {
	if at := l.limit.at(now); l.logged == 0 || at-l.loggedAt > logAgain {
		l.logged, l.loggedAt = 0, at
	}
	bit := uint16(1) << cause
	tell = cause != NoCause && l.logged&bit == 0
	l.logged |= bit
	return tell
}
