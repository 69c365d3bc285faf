package pace

import (
	"context"
	"fmt"
	"time"
)

// A Place is a place in the queue of a lane. It is used by one goroutine.
type Place struct {
	lane     *lane
	terms    Terms
	step     time.Duration // from the turn of the place before to the turn of this one, by their terms; 0 for the first
	limit    time.Time     // of the terms' longest wait; zero if there is none
	deadline time.Time     // the earlier of limit and the context's deadline
	wake     chan struct{} // something has changed
	err      error         // why the turn will not come
	left     bool
	back     uint64 // the number of its turn that was sent back; 0 if none was
	window   Window
	wished   time.Time // the earliest start that was of use
	retry    time.Time // when to reserve a window, at the earliest
	below    *Place    // of the same request, in the lane below; nil if there is none

	before, after *Place
}

func newPlace(ctx context.Context, l *lane, terms Terms, now time.Time) *Place {
	w := &Place{lane: l, terms: terms, wake: make(chan struct{}, 1)}
	w.deadline, _ = ctx.Deadline()
	if terms.MaxWait > 0 {
		w.limit = now.Add(terms.MaxWait)
		if w.deadline.IsZero() || w.limit.Before(w.deadline) {
			w.deadline = w.limit
		}
	}
	return w
}

// gap returns the gap before the turn of w, as it is now: who waits follows what is learned.
func (w *Place) gap() time.Duration { return w.lane.gapOf(w.terms) }

// within lets w wait no longer than until limit.
func (w *Place) within(limit time.Time) {
	w.limit = soonest(w.limit, limit)
	w.deadline = soonest(w.deadline, limit)
}

// late reports whether turn would be too late for w.
func (w *Place) late(turn, now time.Time) bool {
	return !w.deadline.IsZero() && turn.After(w.deadline) || w.givesUp(now)
}

// givesUp reports whether the site is down, and w has not asked to wait for so long.
func (w *Place) givesUp(now time.Time) bool {
	return w.deadline.IsZero() && w.terms.MaxWait == 0 && w.lane.isDown(now)
}

// canWait says why a turn comes too late for a request that has so much time left.
func canWait(left time.Duration) string {
	return fmt.Sprintf("the request can only wait for %v", max(left, 0))
}

// refusal returns the error for w, which is not in the queue, if its turn would be too
// late.
func (w *Place) refusal(now time.Time) error {
	why := canWait(w.deadline.Sub(now))
	if w.givesUp(now) {
		why = "the site is down, and the request has no MaxWait and no deadline"
	}
	return w.lane.refuse(w.terms, 0, now, why)
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
	Below               // look at the place below
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
		if step, ok := w.pause(ctx, changed, soonest(at, w.limit, look), now); ok {
			return step, nil
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
	switch first := l.queue.first == w; {
	case first && l.slot(w.terms) && !l.gate.goesFirst():
		at = l.ready(w.gap(), now)
		if w.late(at, now) {
			w.leave()
			return at, Look, w.refusal(now)
		}
		at, step = w.first(now)
	case first && l.free(w.terms) && !l.room(w.terms):
		at = l.bears.opens(now) // if no answer comes before
	}
	if (at.IsZero() || at.After(now)) && !w.limit.IsZero() && !w.limit.After(now) {
		w.leave()
		return at, Look, l.refuse(w.terms, leastWait, now, "all turns are taken")
	}
	return at, step, nil
}

// LeastAhead is how long before a turn begins its window is reserved, at least.
const LeastAhead = 20 * time.Millisecond

// first returns what the first in the queue can do next, and when.
func (w *Place) first(now time.Time) (at time.Time, step Step) {
	start := w.lane.start(w.gap(), now)
	if !w.lane.reserves(w.terms) {
		return start, Begin
	}
	lead, _ := w.lane.ahead(w.terms)
	at = w.lane.after.from(w.lane.breakEnd, w.window.From.Add(-lead-w.window.Early))
	if w.window.reserved() && !w.window.over(later(now, at)) {
		if w.window.lapsed(later(now, at)) {
			return w.window.BeginBy, Reserve
		}
		return at, Begin
	}
	w.window = Window{}
	ahead := max(LeastAhead, w.gap()/4)
	if w.terms.Joins { // it cannot use a start before its turn above comes
		ahead = LeastAhead
	}
	return later(start.Add(-lead-ahead), w.retry), Reserve
}

// A Wish is what to reserve for a place.
type Wish struct {
	Gap   time.Duration
	Slots int
	Lead  time.Duration // how long before its start the place begins
	From  time.Time     // the earliest start that is of use
	Limit time.Time     // it must begin by then; zero if there is no limit
	Keep  bool          // what is reserved is still of use
	First bool          // it must go first after a break, of all that share the lane

	Longest time.Duration // the longest gap that is known in the lane
}

// Wish returns what to reserve for w.
func (w *Place) Wish() Wish {
	w.lane.mu.Lock()
	defer w.lane.mu.Unlock()
	now := time.Now()
	lead, usual := w.lane.ahead(w.terms)
	if !w.deadline.IsZero() { // a start that is missed is better than none
		usual = min(usual, max(w.deadline.Sub(now)/2, 0))
	}
	from := later(w.lane.start(w.gap(), now), now.Add(usual))
	w.wished = from
	return Wish{w.gap(), w.terms.Slots, lead, from, w.deadline, w.window.reserved(), w.lane.goesFirst(w.terms), w.lane.most}
}

// Reserve lets w begin within window.
func (w *Place) Reserve(window Window) {
	w.lane.mu.Lock()
	defer w.lane.mu.Unlock()
	w.window, w.lane.far = window, max(time.Until(window.From), w.lane.far*7/8)
	if gap := w.gap(); w.terms.Limit && gap > 0 && window.reserved() {
		w.lane.bears.meets(window.From.Sub(w.wished).Seconds() / gap.Seconds())
	}
}

// Hear notes a gap that others keep in the lane.
func (w *Place) Hear(gap time.Duration) {
	w.lane.mu.Lock()
	defer w.lane.mu.Unlock()
	w.lane.most = max(w.lane.most, gap)
}

// Retry says that nothing could be reserved for w, and when to try again.
func (w *Place) Retry(at time.Time) {
	w.lane.mu.Lock()
	defer w.lane.mu.Unlock()
	w.retry = at
	w.lane.far = max(time.Until(at), w.lane.far)
}

// Promise returns when to come back if w, the first in the queue, gives up because its turn
// would come at turn.
func (w *Place) Promise(turn time.Time) time.Time {
	l := w.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queue.first != l.queue.last {
		turn = turn.Add(l.behind(w.terms))
	}
	return l.promise(turn, w.terms, time.Now())
}

// pause waits, without the lock, for whatever comes first. If this lies outside the lane, it
// returns what to look at.
func (w *Place) pause(ctx context.Context, changed <-chan struct{}, until, now time.Time) (step Step, ok bool) {
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
		return Look, true
	case <-w.below.woken():
		return Below, true
	}
	return Look, false
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
	l.queue.update(w, terms)
	w.window, w.retry = Window{}, time.Time{}
	l.wake()
}

// Start begins the turn of w and reports whether it can. If so, w leaves the queue.
func (w *Place) Start() (*Turn, bool) { return w.StartBelow(nil) }

// StartBelow is Start for a request that has a place above, too. Both turns begin, or none. If
// above is nil, it is Start.
func (w *Place) StartBelow(above *Place) (*Turn, bool) {
	l := w.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.queue.first != w || !l.slot(w.terms) || l.gate.goesFirst() {
		return nil, false
	}
	if at, step := w.first(now); step != Begin || at.After(now) {
		return nil, false
	}
	higher, ok := above.startAbove()
	if !ok {
		return nil, false
	}
	w.leave()
	l.counter.enter()
	turn := l.begin(w.terms, now, true)
	turn.window = w.window
	turn.join(higher)
	l.last = later(now, w.window.From)
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
	turn = l.ready(l.queue.first.gap(), time.Now())
	if w == l.queue.last {
		turn = turn.Add(l.queue.wait(l.bears.gap(), 0))
	}
	return turn, l.tells(turn, limit)
}
