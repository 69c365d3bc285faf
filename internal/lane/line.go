package lane

import (
	"time"
)

// A line has the tickets that wait, in order. It knows, without going through them, how long after the
// first ticket the last one waits.
type line struct {
	first, last *Ticket
	length      int
	total       time.Duration // of all steps by the terms; it may overflow
	seconds     float64       // about total; it does not overflow
	hurried     int32         // tickets with a deadline
	limited     int32         // tickets that keep to what the site bears
	stale       bool          // gaps may have become longer
}

// addBack puts t, which was sent back and keeps its number, before all tickets that connected later or
// never.
func (q *line) addBack(t *Ticket) {
	var before *Ticket
	for next := q.first; next != nil && next.number != 0 && next.number < t.number; next = next.after {
		before = next
	}
	q.insert(t, before)
}

// addAhead puts t before all tickets that came in order, but not before a ticket that has reserved
// something.
func (q *line) addAhead(t *Ticket) {
	var before *Ticket
	for next := q.first; next != nil && next.staysBefore(); next = next.after {
		before = next
	}
	t.ahead = true
	q.insert(t, before)
}

// staysBefore reports whether t stays before a ticket that goes ahead.
func (t *Ticket) staysBefore() bool {
	return t.number != 0 || t.ahead || t.start.reserved() || !t.retry.IsZero()
}

// insert puts t behind the ticket before. If before is nil, t becomes the first.
func (q *line) insert(t, before *Ticket) {
	after := q.first
	if before != nil {
		after = before.after
	}
	t.before, t.after = before, after
	if before == nil {
		q.first = t
	} else {
		before.after = t
	}
	if after == nil {
		q.last = t
	} else {
		after.before = t
	}
	q.count(t, 1)
	q.measure(t)
	q.measure(after)
}

func (q *line) remove(t *Ticket) {
	before, after := t.before, t.after
	if before == nil {
		q.first = after
	} else {
		before.after = after
	}
	if after == nil {
		q.last = before
	} else {
		after.before = before
	}
	t.before, t.after, t.stage = nil, nil, gone
	q.count(t, -1)
	q.step(t, 0)
	q.measure(after)
}

// update gives t other terms.
func (q *line) update(t *Ticket, terms Terms) {
	q.count(t, -1)
	t.terms = terms
	q.count(t, 1)
	q.measure(t)
	q.measure(t.after)
	q.stale = true // the first will look who is late now
}

// count counts t by so many.
func (q *line) count(t *Ticket, by int32) {
	q.length += int(by)
	if !t.deadline.IsZero() {
		q.hurried += by
	}
	if t.terms.Limit {
		q.limited += by
	}
}

// step sets the step of t.
func (q *line) step(t *Ticket, step time.Duration) {
	q.total += step - t.step
	q.seconds += (step - t.step).Seconds()
	t.step = step
}

// wait returns how long after the first turn another turn comes. learned is the gap that the
// site needs now, and last is the step from the last ticket to that turn.
func (q *line) wait(learned, last time.Duration) time.Duration {
	steps := max(q.limited-1, 0)
	seconds := max(q.seconds, float64(steps)*learned.Seconds()) + last.Seconds()
	if seconds > longestWait.Seconds() {
		return longestWait
	}
	return max(q.total, time.Duration(steps)*learned) + last
}

// longestWait is the longest wait that the line tells.
const longestWait = 100 * 365 * 24 * time.Hour

// measure sets the step of t from the terms of t and of the ticket before it. t may be nil.
func (q *line) measure(t *Ticket) {
	if t == nil {
		return
	}
	step := time.Duration(0)
	if t.before != nil {
		step = max(t.before.terms.Gap, t.terms.Gap)
	}
	q.step(t, step)
}

// behind returns how long after the first in the line a turn by terms comes behind the last.
func (l *lane) behind(terms Terms) time.Duration {
	return l.line.wait(l.limit.gap(), max(l.line.last.gap(), l.gapOf(terms)))
}

// refuseLate ends the waiting of every ticket whose turn would now come too late.
func (l *lane) refuseLate(now time.Time) {
	l.line.stale = false
	var refused []*Ticket
	var last time.Time // the turn before t's
	for t := l.line.first; t != nil && (l.line.hurried > 0 || l.isDown(now)); {
		turn, after := last.Add(max(t.step, t.gap())), t.after
		if t.before == nil {
			turn = l.ready(t.gap(), now)
		}
		if t.late(turn, now) {
			l.line.remove(t)
			refused = append(refused, t)
		} else {
			last = turn
		}
		t = after
	}
	for _, t := range refused { // now it is known who still waits
		t.failure = t.lateError(now)
		t.notify()
	}
	l.wake()
}

// promises are the turns that refused requests of a lane are to come back for. Each gets a
// turn behind the others, so that not all come back at the same time. A promise keeps no
// turn free. It is over when its time has come.
type promises struct {
	last time.Time     // the last turn that was promised
	step time.Duration // the longest from one of them to the next
	due  time.Time     // the time at which somebody should have come, if nobody has come since
}

const (
	// mostPromises is how many turns are promised behind each other. So abandoned refusals
	// delay others by up to 10,000 turns.
	mostPromises = 10_000

	// mostBroken is how many promised turns in a row may be missed. Then all promises are
	// dropped.
	mostBroken = 10

	longestStep = 3 * 24 * time.Hour // so that all steps together are no overflow
)

// tell returns the turn to promise to a request. Without promises its turn would be turn, and with them it is
// later by longest at most. step is the time from one turn to the next.
func (p *promises) tell(turn time.Time, step time.Duration, now time.Time, longest time.Duration) time.Time {
	p.noteArrival(now)
	next := p.last.Add(step)
	if p.last.Before(now) || turn.After(next) {
		next, p.due, p.step = turn, turn, 0
	}
	p.step = max(p.step, min(step, longestStep))
	if most := turn.Add(min(mostPromises*p.step, longest)); most.Before(next) {
		next = most
	}
	p.last = next
	return next
}

// noteArrival notes that a request of the lane has come. If no request had come for long, noteArrival drops the
// promises: the refused requests have gone elsewhere.
func (p *promises) noteArrival(now time.Time) {
	if p == nil || now.Before(p.due) {
		return
	}
	if p.until().Before(now) {
		p.last = time.Time{}
	}
	p.due = now
}

// until returns when the promises are forgotten if nobody comes. It is zero if there are
// none.
func (p *promises) until() time.Time {
	if p == nil {
		return time.Time{}
	}
	if until := p.due.Add(mostBroken * p.step); until.Before(p.last) {
		return until
	}
	return p.last
}
