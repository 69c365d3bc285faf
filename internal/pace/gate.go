package pace

import (
	"context"
	"errors"
	"slices"
	"time"
)

// A gate is at the wire, where the connections of requests are ready. It lets turns pass
// by what is known then. It keeps the gap between the times at which they really pass.
type gate struct {
	waiting []*Turn       // in the order in which they came
	last    time.Time     // when one passed
	gap     time.Duration // from last to the next that passes
}

// A stage is how far the request of a turn has come.
type stage int

const (
	connects stage = iota // Base has it, and has no connection yet
	arrived               // its connection is ready
	passed                // the gate has let it pass, but others may be written before
	wire                  // it is written, or is about to be
)

var (
	// ErrBreak says that a break has begun before a request was written.
	ErrBreak = errors.New("the site has asked for a break")

	// ErrRules says that the rules have changed before a request was written.
	ErrRules = errors.New("the rules of the site have changed")
)

// Connected is called when the connection of the request is ready. It waits until the
// request may be written. An error says why the request must not be written: the cause if
// ctx ends before, ErrBreak, ErrRules, or a LateError. streams says that the connection has
// other requests, too, so that this one may have to wait before it is written. If net/http
// sends the request again, it calls Connected again. A Base may try twice at the same time, and
// call it also after the turn is done: then the gaps and breaks count, and no window.
func (t *Turn) Connected(ctx context.Context, streams bool) error {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.back {
		return t.failure
	}
	t.arrive(time.Now())
	defer l.gate.remove(t)
	deadline := t.deadline(ctx)
	quick := time.Since(t.begun) < t.gap/10
	for waited, passed := false, false; ; waited = true {
		now, above := time.Now(), passed
		passed = false // it may have to wait once more
		ready, err := t.ready(ctx, now, deadline)
		switch {
		case err != nil:
		case !t.hasRoom():
			err = t.pause(ctx, longestWait)
		case t.missed(now):
			err = t.startLater(ctx)
		case ready.After(now) || !l.gate.isFirst(t, now):
			err = t.pause(ctx, ready.Sub(now))
		case t.changed():
			err = t.reject(ErrRules)
		case t.booking != nil && t.booking.Gap < t.ownGap: // others know of the shorter gap alone
			err = t.bookAgain(ctx, time.Time{})
		case l.gate.ready(t).After(now): // the rules ask for a longer gap
		case t.above != nil && !above:
			passed, err = t.passAbove(ctx, streams)
		default:
			t.pass(now, streams, waited && quick)
			return nil
		}
		if err != nil {
			t.failure = err
			return err
		}
	}
}

// missed reports whether it is too late for the start of t. The write takes time, too.
func (t *Turn) missed(now time.Time) bool { return t.window.over(now.Add(margin)) }

// margin is the end of a window in which the gate lets no turn pass.
const margin = 2 * time.Millisecond

// arrive notes that the connection is ready.
func (t *Turn) arrive(now time.Time) {
	if t.stage == connects && t.booking != nil {
		took := now.Sub(t.begun)
		t.lane.connected(took)
		t.lane.leads.learn(took)
	}
	if t.wired { // net/http sends it again
		t.wired = false
		t.lane.wired--
		t.lane.gate.notify()
	}
	t.stage, t.failure, t.due = arrived, nil, later(now, t.window.From)
	t.settle()
	t.above.hasConnection()
}

// settle exchanges starts with those who wait at the gate, until all who came before t start
// before it.
func (t *Turn) settle() {
	if t.booking == nil || t.tied {
		return
	}
	for _, u := range t.lane.gate.waiting { // those who came first take the earliest starts
		if u.number < t.number && u.isLike(t) && t.window.From.Before(u.window.From) {
			t.swap(u)
		}
	}
	for _, u := range slices.Backward(t.lane.gate.waiting) {
		if u.number > t.number && u.isLike(t) && u.window.From.Before(t.window.From) {
			t.swap(u)
		}
	}
}

// swap exchanges the starts of t and u, and what is reserved for them.
func (t *Turn) swap(u *Turn) {
	t.window, u.window = u.window, t.window
	t.booking, u.booking = u.booking, t.booking
	t.booking.Hold(t)
	u.booking.Hold(u)
}

// isLike reports whether t may have the start of u, and u that of t.
func (t *Turn) isLike(u *Turn) bool {
	return t.booking != nil && !t.tied && t.failure == nil && t.ownGap == u.ownGap && t.slots == u.slots && t.probe == u.probe
}

// deadline returns until when t may wait at the gate, or the zero time.
func (t *Turn) deadline(ctx context.Context) time.Time {
	deadline, _ := ctx.Deadline()
	if t.maxWait > 0 {
		return soonest(deadline, t.due.Add(t.maxWait))
	}
	return deadline
}

// ready returns when t may pass if it is the first at the gate. The error is the cause if ctx
// has ended, ErrBreak, or a LateError if that is after the deadline.
func (t *Turn) ready(ctx context.Context, now, deadline time.Time) (time.Time, error) {
	l := t.lane
	if ctx.Err() != nil { // net/http may write the request all the same
		return now, context.Cause(ctx)
	}
	if t.binding.Replayable && l.breakEnd.After(now) {
		return now, t.reject(ErrBreak)
	}
	ready := later(l.gate.ready(t), later(l.breakEnd, t.window.From))
	if !deadline.IsZero() && ready.After(deadline) {
		return now, &LateError{Turn: ready, Why: canWait(deadline.Sub(now))}
	}
	if l.after.includes(t.probe, t.begun) {
		ready = later(ready, l.after.ready())
	}
	return ready, nil
}

// hasRoom reports whether no more requests of the lane than its own limit allows would be
// under way if t passed. Others may have had a higher limit, and have passed it.
func (t *Turn) hasRoom() bool { return !t.slot || t.lane.wired < t.slots }

// changed reports whether the request has to be judged again. If the rules ask for a
// longer gap alone, t keeps it.
func (t *Turn) changed() bool {
	if t.binding.Changed == nil {
		return false
	}
	changed, gap := t.binding.Changed()
	t.ownGap, t.gap = max(t.ownGap, gap), max(t.gap, gap)
	return changed
}

// reject says why the gate does not let t pass. The request is sent back if it can be sent
// again.
func (t *Turn) reject(why error) error {
	t.back, t.failure = t.binding.Replayable, why
	return why
}

// pass lets t pass the gate. slow says that the next should rather wait in the queue.
func (t *Turn) pass(now time.Time, streams, slow bool) {
	l := t.lane
	if l.after.includes(t.probe, t.begun) && !t.answered {
		t.probe = l.after.begin(now, l.breakEnd)
	}
	if t.probes() {
		l.after.last = now // patience begins when it is written
		l.wake()
	}
	l.gate.pass(t, now)
	if t.stage = wire; streams {
		t.stage = passed
	}
	if slow {
		l.last = later(l.last, now)
	}
}

func (t *Turn) writing() {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	if t.stage != passed {
		return
	}
	if t.stage = wire; t.failure != nil { // stop came too late
		t.back, t.failure = false, ErrWritten
	}
}

func (t *Turn) wrote() (late time.Duration) {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if t.written.IsZero() || t.failure != nil {
		return 0
	}
	if l.gate.last.Equal(t.written) {
		l.gate.last = now
	}
	t.written = now
	if !t.window.reserved() {
		return 0
	}
	t.overdue = max(now.Sub(t.window.Until), 0)
	return t.overdue
}

// stop ends the request of t if a break has begun before it was written. If the request
// cannot be sent again, it is only ended where it would not come to the gate any more.
func (t *Turn) stop() {
	b := &t.binding
	switch {
	case t.stage == wire || t.failure != nil || !b.Stoppable:
	case b.Replayable:
		b.Lose(t.reject(ErrBreak))
	case t.stage == passed:
		t.failure = t.inBreak()
		b.Lose(t.failure)
	}
}

func (t *Turn) inBreak() error { return &LateError{Turn: t.lane.breakEnd, Why: ErrBreak.Error()} }

// startLater lets t, which has missed its start, have another.
func (t *Turn) startLater(ctx context.Context) error {
	if t.tied {
		return t.bookBoth(ctx)
	}
	return t.bookAgain(ctx, time.Time{})
}

// bookAgain reserves another window that is of use from a time on, without the lock. Others
// may pass meanwhile.
func (t *Turn) bookAgain(ctx context.Context, from time.Time) error {
	t.lane.gate.remove(t)
	again, gap := t.booking.Again, t.ownGap
	t.booking.Gap = gap
	window, err := func() (Window, error) {
		t.lane.mu.Unlock()
		defer t.lane.mu.Lock()
		return again(ctx, gap, from)
	}()
	if t.booking != nil { // else it is done meanwhile
		t.window, t.due = window, later(t.due, window.From)
		t.settle()
	}
	return err
}

// pause waits at the gate, without the lock: for as long as wait if t is the first, and
// until something changes.
func (t *Turn) pause(ctx context.Context, wait time.Duration) error {
	l := t.lane
	l.gate.add(t)
	var ready <-chan time.Time
	if l.gate.isFirst(t, time.Now()) {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		ready = timer.C
	} else {
		l.gate.notify() // it may have become the first since its start has come
	}
	l.mu.Unlock()
	defer l.mu.Lock()
	select {
	case <-ready:
	case <-t.alarm:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// first returns the turn that passes next, of those that wait for their time alone. The others
// may hold what these wait for.
func (g *gate) first(now time.Time) (first *Turn) {
	for _, t := range g.waiting {
		if t.hasRoom() && (first == nil || t.before(first, now)) {
			first = t
		}
	}
	return first
}

// goesFirst reports whether a turn that waits with its connection is to go first after a
// break. Those in the queue may need this connection.
func (g *gate) goesFirst() bool {
	first := g.first(time.Now())
	return first != nil && first.lane.after.includes(first.probe, first.begun) && first.lane.after.ready().IsZero()
}

// isFirst reports whether t is the first, or would be.
func (g *gate) isFirst(t *Turn, now time.Time) bool {
	first := g.first(now)
	return first == nil || first == t || t.before(first, now)
}

// before reports whether t passes before other: if it goes first after a break, if its start comes
// earlier, or if both could start now and it came earlier.
func (t *Turn) before(other *Turn, now time.Time) bool {
	if probes := t.probes(); probes != other.probes() {
		return probes
	}
	from, others := later(now, t.window.From), later(now, other.window.From)
	if !from.Equal(others) {
		return from.Before(others)
	}
	return t.number < other.number
}

// probes reports whether the others follow the answer to t.
func (t *Turn) probes() bool { return t.probe != 0 && t.probe == t.lane.after.number }

// add lets t wait in its place, unless it does already.
func (g *gate) add(t *Turn) {
	if slices.Contains(g.waiting, t) {
		return
	}
	if t.alarm == nil {
		t.alarm = make(chan struct{}, 1)
	}
	at := len(g.waiting)
	for at > 0 && t.number < g.waiting[at-1].number {
		at--
	}
	g.waiting = slices.Insert(g.waiting, at, t)
}

func (g *gate) remove(t *Turn) {
	if i := slices.Index(g.waiting, t); i >= 0 {
		g.waiting = slices.Delete(g.waiting, i, i+1)
		t.notify() // if another try of it waits, too
		g.notify()
	}
}

// notify tells the first turn that it is the first, or that something has changed.
func (g *gate) notify() {
	if first := g.first(time.Now()); first != nil {
		first.notify()
	}
}

// notifyAll tells all turns that something has changed.
func (g *gate) notifyAll() {
	for _, t := range g.waiting {
		t.notify()
	}
}

func (t *Turn) notify() {
	select {
	case t.alarm <- struct{}{}:
	default:
	}
}

// ready returns when t may pass by the gaps.
func (g *gate) ready(t *Turn) (at time.Time) {
	if gap := max(g.gap, t.ownGap); gap > 0 && !g.last.IsZero() {
		at = g.last.Add(gap)
	}
	return at
}

func (g *gate) pass(t *Turn, now time.Time) {
	g.last, g.gap, t.written = now, t.gap, now
	if t.slot && !t.wired {
		t.wired = true
		t.lane.wired++
	}
}
