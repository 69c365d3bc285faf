package pace

import (
	"math"
	"time"
)

// A queue is the places of the requests that wait, in order. It knows without counting
// how long the last one waits after the first.
type queue struct {
	first, last *Place
	length      int
	total       time.Duration // of all steps by the terms; it may overflow
	seconds     float64       // about total; it does not overflow
	hurried     int32         // places with a deadline
	limited     int32         // places that keep to what the site bears
	stale       bool          // gaps may have become longer
}

// add puts w at the end.
func (q *queue) add(w *Place) { q.insert(w, q.last) }

// addBack puts w, whose turn had a number and was sent back, before all that began later or
// not at all.
func (q *queue) addBack(w *Place, number uint64) {
	var before *Place
	for next := q.first; next != nil && next.back != 0 && next.back < number; next = next.after {
		before = next
	}
	w.back = number
	q.insert(w, before)
}

// addAhead puts w before all that came in order. Who has reserved something must not lose it.
func (q *queue) addAhead(w *Place) {
	var before *Place
	for next := q.first; next != nil && (next.back != 0 || next.window.reserved() || !next.retry.IsZero()); next = next.after {
		before = next
	}
	w.back = math.MaxUint64
	q.insert(w, before)
}

// insert puts w behind the place before. If before is nil, w becomes the first.
func (q *queue) insert(w, before *Place) {
	after := q.first
	if before != nil {
		after = before.after
	}
	w.before, w.after = before, after
	if before == nil {
		q.first = w
	} else {
		before.after = w
	}
	if after == nil {
		q.last = w
	} else {
		after.before = w
	}
	q.count(w, 1)
	q.measure(w)
	q.measure(after)
}

func (q *queue) remove(w *Place) {
	before, after := w.before, w.after
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
	w.before, w.after, w.left = nil, nil, true
	q.count(w, -1)
	q.step(w, 0)
	q.measure(after)
}

// update gives w other terms.
func (q *queue) update(w *Place, terms Terms) {
	q.count(w, -1)
	w.terms = terms
	q.count(w, 1)
	q.measure(w)
	q.measure(w.after)
	q.stale = true // the first will look who is late now
}

// count counts w by so many.
func (q *queue) count(w *Place, by int32) {
	q.length += int(by)
	if !w.deadline.IsZero() {
		q.hurried += by
	}
	if w.terms.Limit {
		q.limited += by
	}
}

// step sets the step of w.
func (q *queue) step(w *Place, step time.Duration) {
	q.total += step - w.step
	q.seconds += (step - w.step).Seconds()
	w.step = step
}

// wait returns how long after the first turn another turn comes. learned is the gap that the
// site needs now, and last is the step from the last place to that turn.
func (q *queue) wait(learned, last time.Duration) time.Duration {
	steps := max(q.limited-1, 0)
	seconds := max(q.seconds, float64(steps)*learned.Seconds()) + last.Seconds()
	if seconds > longestWait.Seconds() {
		return longestWait
	}
	return max(q.total, time.Duration(steps)*learned) + last
}

// longestWait is the longest wait that the queue tells.
const longestWait = 100 * 365 * 24 * time.Hour

// measure sets the step of w from the terms of w and of the place before it. w may be nil.
func (q *queue) measure(w *Place) {
	if w == nil {
		return
	}
	step := time.Duration(0)
	if w.before != nil {
		step = max(w.before.terms.Gap, w.terms.Gap)
	}
	q.step(w, step)
}

// behind returns how long after the first in the queue a turn by terms comes behind the last.
func (l *lane) behind(terms Terms) time.Duration {
	return l.queue.wait(l.bears.gap(), max(l.queue.last.gap(), l.gapOf(terms)))
}

// refuseLate ends the waiting of every place whose turn would now come too late.
func (l *lane) refuseLate(now time.Time) {
	l.queue.stale = false
	var refused []*Place
	var last time.Time // the turn before w's
	for w := l.queue.first; w != nil && (l.queue.hurried > 0 || l.isDown(now)); {
		turn, after := last.Add(max(w.step, w.gap())), w.after
		if w.before == nil {
			turn = l.ready(w.gap(), now)
		}
		if w.late(turn, now) {
			l.queue.remove(w)
			refused = append(refused, w)
		} else {
			last = turn
		}
		w = after
	}
	for _, w := range refused { // now it is known who still waits
		w.err = w.refusal(now)
		w.notify()
	}
	l.wake()
}

// tells reports whether to tell someone that a turn comes later than limit from now.
// Until this turn it does so only once.
func (l *lane) tells(turn time.Time, limit time.Duration) bool {
	now := time.Now()
	if l.told.After(now) || turn.Sub(now) <= limit {
		return false
	}
	l.told = turn
	return true
}
