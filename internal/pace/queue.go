package pace

import (
	"context"
	"fmt"
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

// A Place is a place in the queue of a lane. It is used by one goroutine.
type Place struct {
	lane     *lane
	terms    Terms
	ownGap   time.Duration // the gap that terms ask for
	step     time.Duration // from the turn of the place before to the turn of this one; 0 for the first
	limit    time.Time     // of the terms' longest wait; zero if there is none
	deadline time.Time     // the earlier of limit and the context's deadline
	wake     chan struct{} // something has changed
	err      error         // why the turn will not come
	left     bool
	back     bool // it was sent back by the second gate
	window   Window
	retry    time.Time // when to reserve a window, at the earliest

	before, after *Place
}

func newPlace(ctx context.Context, l *lane, terms Terms, now time.Time) *Place {
	w := &Place{lane: l, terms: terms, ownGap: l.gapOf(terms), wake: make(chan struct{}, 1)}
	w.deadline, _ = ctx.Deadline()
	if terms.MaxWait > 0 {
		w.limit = now.Add(terms.MaxWait)
		if w.deadline.IsZero() || w.limit.Before(w.deadline) {
			w.deadline = w.limit
		}
	}
	return w
}

// add puts w at the end.
func (q *queue) add(w *Place) { q.insert(w, q.last) }

// addBack puts w before all that were not sent back.
func (q *queue) addBack(w *Place) {
	var before *Place
	for next := q.first; next != nil && next.back; next = next.after {
		before = next
	}
	w.back = true
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
	for w := l.queue.first; w != nil && l.queue.hurried > 0; {
		turn, after := last.Add(w.step), w.after
		if w.before == nil {
			turn = l.ready(w.ownGap, now)
		}
		if w.late(turn) {
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

// late reports whether turn would be too late for w.
func (w *Place) late(turn time.Time) bool {
	return !w.deadline.IsZero() && turn.After(w.deadline)
}

// refusal returns the error for w, which is not in the queue, if its turn would be too
// late.
func (w *Place) refusal(now time.Time) error {
	return w.lane.refuse(w.terms, 0, now, fmt.Sprintf("the request can only wait for %v", w.deadline.Sub(now)))
}

func (w *Place) notify() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// A Step is what to do next with a Place.
type Step int

const (
	Look    Step = iota // look at the rules again
	Reserve             // reserve a window
	Begin               // Start
)

// Wait waits until there is something to do. If changed is closed, or if due has passed,
// it is time to look at the rules again. If due is zero, only changed counts. The error
// is a LateError, or the cause of the end of ctx. After an error w has left the queue.
func (w *Place) Wait(ctx context.Context, changed <-chan struct{}, due time.Duration) (Step, error) {
	l := w.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	var look time.Time
	if due > 0 {
		look = time.Now().Add(due)
	}
	for {
		if ctx.Err() != nil && !w.left {
			w.leave()
			return Look, context.Cause(ctx)
		}
		now := time.Now()
		at, step, err := w.next(now)
		if err != nil {
			return Look, err
		}
		if !at.IsZero() && !at.After(now) {
			return step, nil
		}
		if !look.IsZero() && !look.After(now) {
			return Look, nil
		}
		if w.pause(ctx, changed, soonest(at, w.limit, look), now) {
			return Look, nil
		}
	}
}

// next returns what w can do next, and when. The zero time means that someone else must
// do something first.
func (w *Place) next(now time.Time) (at time.Time, step Step, err error) {
	l := w.lane
	if l.queue.first == w && l.queue.stale {
		l.refuseLate(now)
	}
	if w.err != nil {
		return at, Look, w.err // it has left the queue
	}
	if l.queue.first == w && l.slot(w.terms) {
		at = l.ready(w.ownGap, now)
		if w.late(at) {
			w.leave()
			return at, Look, w.refusal(now)
		}
		at, step = w.first(now)
	}
	if (at.IsZero() || at.After(now)) && !w.limit.IsZero() && !w.limit.After(now) {
		w.leave()
		return at, Look, l.refuse(w.terms, leastWait, now, "all turns are taken")
	}
	return at, step, nil
}

// reserveAhead is how long before its start a window is reserved.
const reserveAhead = time.Second

// first returns what the first in the queue can do next, and when.
func (w *Place) first(now time.Time) (at time.Time, step Step) {
	start := w.lane.start(w.ownGap, now)
	if !w.lane.reserves(w.terms) {
		return start, Begin
	}
	if at = later(start, w.window.From); w.window.reserved() && !w.window.over(at) {
		return at, Begin
	}
	w.window = Window{}
	return later(start.Add(-reserveAhead), w.retry), Reserve
}

// A Wish is what to reserve for a place.
type Wish struct {
	Gap   time.Duration
	Slots int
	From  time.Time // the place can begin then at the earliest
	Limit time.Time // it must begin by then; zero if there is no limit
}

// Wish returns what to reserve for w.
func (w *Place) Wish() Wish {
	w.lane.mu.Lock()
	defer w.lane.mu.Unlock()
	return Wish{w.ownGap, w.terms.Slots, w.lane.start(w.ownGap, time.Now()), w.deadline}
}

// Reserve lets w begin within window.
func (w *Place) Reserve(window Window) {
	w.lane.mu.Lock()
	defer w.lane.mu.Unlock()
	w.window = window
}

// Retry says that nothing could be reserved for w, and when to try again.
func (w *Place) Retry(at time.Time) {
	w.lane.mu.Lock()
	defer w.lane.mu.Unlock()
	w.retry = at
}

// Promise returns when to come back if w, the first in the queue, gives up because its turn
// would come at turn.
func (w *Place) Promise(turn time.Time) time.Time {
	l := w.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.measure(); l.queue.first != l.queue.last {
		turn = turn.Add(l.queue.wait(max(l.queue.last.ownGap, w.ownGap)))
	}
	return l.promise(turn, w.terms, time.Now())
}

// pause waits, without the lock, for whatever comes first. It reports whether this was
// changed.
func (w *Place) pause(ctx context.Context, changed <-chan struct{}, until, now time.Time) (isChanged bool) {
	w.lane.mu.Unlock()
	defer w.lane.mu.Lock()
	var alarm <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(until.Sub(now))
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-w.wake:
	case <-alarm:
	case <-ctx.Done():
	case <-changed:
		return true
	}
	return false
}

// soonest returns the earliest of times. Zero times do not count.
func soonest(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// Update lets w wait by other terms and keep its place. It does nothing after w has
// left.
func (w *Place) Update(terms Terms) {
	l := w.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.left || w.terms == terms {
		return
	}
	w.terms, w.ownGap, w.window, w.retry = terms, l.gapOf(terms), Window{}, time.Time{}
	l.queue.measure(w)
	l.queue.measure(w.after)
	l.queue.stale = true // the first will look who is late now
	l.wake()
}

// Start begins the turn of w and reports whether it can. If so, w leaves the queue.
func (w *Place) Start() (*Turn, bool) {
	l := w.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.queue.first != w || !l.slot(w.terms) {
		return nil, false
	}
	if at, step := w.first(now); step != Begin || at.After(now) {
		return nil, false
	}
	w.leave()
	turn := l.begin(w.terms, now)
	turn.window = w.window
	l.wake()
	return turn, true
}

// Leave gives up the place. It may be called again, and after Start.
func (w *Place) Leave() {
	w.lane.mu.Lock()
	defer w.lane.mu.Unlock()
	w.leave()
}

func (w *Place) leave() {
	if !w.left {
		w.lane.queue.remove(w)
		w.lane.wake()
	}
}

// Long returns when the turn of w is likely to come. It also reports whether someone
// should be reported: the turn is further away than limit, and no such wait in this queue
// was reported yet.
func (w *Place) Long(limit time.Duration) (turn time.Time, tell bool) {
	l := w.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.left {
		return turn, false
	}
	l.measure()
	turn = l.ready(l.queue.first.ownGap, time.Now())
	if w == l.queue.last {
		turn = turn.Add(l.queue.wait(0))
	}
	return turn, l.tells(turn, limit)
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
