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
	total       time.Duration // of all steps; it may overflow
	seconds     float64       // about total; it does not overflow
	hurried     int           // places with a deadline
	stale       bool          // spaces may have changed
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
	q.length++
	if !w.deadline.IsZero() {
		q.hurried++
	}
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
	q.length--
	if !w.deadline.IsZero() {
		q.hurried--
	}
	q.step(w, 0)
	q.measure(after)
}

// step sets the step of w.
func (q *queue) step(w *Place, step time.Duration) {
	q.total += step - w.step
	q.seconds += (step - w.step).Seconds()
	w.step = step
}

// wait returns how long after the first turn another turn comes. last is the step from
// the last place to that turn.
func (q *queue) wait(last time.Duration) time.Duration {
	if q.seconds+last.Seconds() > longestWait.Seconds() {
		return longestWait
	}
	return q.total + last
}

// longestWait is the longest wait that the queue tells.
const longestWait = 100 * 365 * 24 * time.Hour

// measure sets the step of w from w and the place before it. w may be nil.
func (q *queue) measure(w *Place) {
	if w == nil {
		return
	}
	step := time.Duration(0)
	if w.before != nil {
		step = max(w.before.ownGap, w.ownGap)
	}
	q.step(w, step)
}

// measureFirst brings the first place up to date: what the site bears may have changed since it
// came.
func (l *lane) measureFirst() {
	if w := l.queue.first; w != nil && w.terms.Limit && !w.window.reserved() {
		w.ownGap = l.gapOf(w.terms)
		l.queue.measure(w.after)
	}
}

// measure brings the steps of the queue up to date.
func (l *lane) measure() {
	if !l.queue.stale {
		return
	}
	l.queue.stale = false
	for w := l.queue.first; w != nil; w = w.after {
		w.ownGap = l.gapOf(w.terms)
		l.queue.measure(w)
	}
}

// refuseLate ends the waiting of every place whose turn would now come too late.
func (l *lane) refuseLate(now time.Time) {
	l.measure()
	var refused []*Place
	var last time.Time // the turn before w's
	for w := l.queue.first; w != nil && (l.queue.hurried > 0 || l.isDown(now)); {
		turn, after := last.Add(w.step), w.after
		if w.before == nil {
			turn = l.ready(w.ownGap, now)
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
