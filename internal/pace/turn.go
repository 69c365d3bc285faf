package pace

import (
	"context"
	"errors"
	"slices"
	"time"
)

// A Turn is a turn that is under way. A nil Turn waits for nobody, and nobody waits for
// it.
type Turn struct {
	lane     *lane
	ownGap   time.Duration // the gap to the turn before
	gap      time.Duration // the gap to the turn after: with jitter
	adapts   bool          // the gap follows how long answers take
	begun    time.Time
	slot     bool // it has a slot until it is done
	probe    int  // the number of its recovery; 0 if it is of none
	answered bool
	between  bool          // it is between the gates
	written  time.Time     // zero if that is not known
	overdue  time.Duration // how long after its window it was written
	failure  error         // why it was not written
	movable  bool
	lose     func(error) // ends the request
	lost     error       // why its slot is lost
	sentBack bool
	release  func()
	window   Window
	reserve  func(context.Context) (Window, error) // reserves another
	finish   func(unused bool)
}

// An Answer says what came of a turn.
type Answer int

const (
	None Answer = iota // it says nothing of the server
	Good
	Bad // the server has too much to do
)

// Spaced reports whether the turn has to keep its distance from others once its
// connection is ready.
func (t *Turn) Spaced() bool { return t != nil && (t.gap > 0 || t.probe > 0) }

// Limited reports whether someone may wait for the turn to end.
func (t *Turn) Limited() bool { return t != nil && t.slot }

// Bind tells whether Connected may send the turn back if a break begins: it may if the
// request can be sent again. Lose calls lose, and Done calls release.
func (t *Turn) Bind(movable bool, lose func(error), release func()) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	t.movable, t.lose, t.release = movable, lose, release
	if t.lost != nil {
		t.lose(t.lost)
	}
}

// Lose ends the request of a turn that has lost its slot.
func (t *Turn) Lose(why error) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	if t.lost = why; t.lose != nil {
		t.lose(why)
	}
}

// Reserved tells how to reserve another window if the connection is ready too late for
// this one. Done calls finish. unused says that the request was not written.
func (t *Turn) Reserved(reserve func(context.Context) (Window, error), finish func(unused bool)) {
	t.reserve, t.finish = reserve, finish
}

// Leased reports whether the turn has a slot that it can lose.
func (t *Turn) Leased() bool { return t != nil && t.slot && t.finish != nil }

// SentBack reports whether Connected has sent the turn back. The request then waits for
// another turn.
func (t *Turn) SentBack() bool {
	if t == nil {
		return false
	}
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.sentBack
}

// Failure returns the error that Connected has returned last. If the request was written,
// it is nil.
func (t *Turn) Failure() error {
	if t == nil {
		return nil
	}
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.failure
}

// ErrBreak says that a break has begun while a request connected.
var ErrBreak = errors.New("the site has asked for a break")

// Connected is called when the connection of the request is ready. It waits at the
// second gate until the request may be written. An error says why the request must not
// be written: the cause if ctx ends before, or ErrBreak. If the request is sent again,
// Connected may be called again.
func (t *Turn) Connected(ctx context.Context) error {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	t.arrive()
	at := l.second.add()
	defer l.second.remove(at)
	quick := time.Since(t.begun) < t.gap/10
	for waited := false; ; waited = true {
		now := time.Now()
		if t.movable && l.breakEnd.After(now) {
			t.sentBack, t.failure = true, ErrBreak
			return ErrBreak
		}
		if ready := later(l.second.ready(t, l.breakEnd), t.window.From); l.second.first() != at || ready.After(now) {
			if err := l.pause(ctx, at, ready.Sub(now)); err != nil {
				t.failure = err
				return err
			}
			continue
		}
		if t.window.over(now) {
			if err := t.reserveAgain(ctx); err != nil {
				t.failure = err
				return err
			}
			continue
		}
		l.second.pass(t, now)
		t.failure = nil
		if waited && quick { // the next one should wait at the first gate
			l.last = later(l.last, now)
		}
		return nil
	}
}

// Wrote is called when the request is written. This may be some time after Connected, if
// the process stood still. Wrote returns how long after its window this is.
func (t *Turn) Wrote() (late time.Duration) {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if t.written.IsZero() || t.failure != nil {
		return 0
	}
	if l.second.last.Equal(t.written) {
		l.second.last = now
	}
	t.written = now
	if !t.window.reserved() {
		return 0
	}
	t.overdue = max(now.Sub(t.window.Until), 0)
	return t.overdue
}

// Overdue returns what Wrote has returned last.
func (t *Turn) Overdue() time.Duration {
	if t == nil {
		return 0
	}
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.overdue
}

// reserveAgain reserves another window, without the lock.
func (t *Turn) reserveAgain(ctx context.Context) error {
	window, err := func() (Window, error) {
		t.lane.mu.Unlock()
		defer t.lane.mu.Lock()
		return t.reserve(ctx)
	}()
	t.window = window
	return err
}

// arrive notes that t is no longer between the gates.
func (t *Turn) arrive() {
	if t.between {
		t.between = false
		t.lane.between--
	}
}

// pause waits at the second gate, without the lock.
func (l *lane) pause(ctx context.Context, at alarm, wait time.Duration) error {
	first := l.second.first() == at
	l.mu.Unlock()
	defer l.mu.Lock()
	var ready <-chan time.Time
	if first {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		ready = timer.C
	}
	select {
	case <-ready:
	case <-at:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// Answered tells what came of the turn. It may be called again, without effect.
func (t *Turn) Answered(answer Answer) {
	if t == nil {
		return
	}
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	t.answer(answer)
}

func (t *Turn) answer(answer Answer) {
	if t.answered {
		return
	}
	t.answered = true
	if t.adapts {
		t.lane.asking--
	}
	t.arrive()
	l, now := t.lane, time.Now()
	if t.failure != nil {
		answer = None // the server has not seen it
	}
	if answer != None && t.adapts {
		l.learn(now.Sub(later(t.begun, t.written)), answer == Bad)
	}
	if setback := l.after.end(t.probe, t.begun, now, answer); setback > 0 {
		l.breakUntil(now.Add(setback))
	}
	l.wake()
}

// Done ends the turn. It may be called again, without effect, and at the same
// time.
func (t *Turn) Done() {
	if t == nil {
		return
	}
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	t.answer(None)
	if t.release != nil {
		t.release()
	}
	if t.finish != nil {
		t.finish(t.failure != nil)
		t.finish = nil
	}
	if t.slot {
		t.slot = false
		l.taken--
		l.stayed(time.Since(t.begun))
		l.wake()
	}
}

// A gate lets turns pass in order of arrival. It keeps the gap between the times at
// which they really pass.
type gate struct {
	waiting []alarm
	last    time.Time     // when one passed
	gap     time.Duration // from last to the next that passes
}

// An alarm wakes a turn that waits at a gate.
type alarm chan struct{}

func (g *gate) first() alarm { return g.waiting[0] }

func (g *gate) add() alarm {
	at := make(alarm, 1)
	g.waiting = append(g.waiting, at)
	return at
}

func (g *gate) remove(at alarm) {
	i := slices.Index(g.waiting, at)
	g.waiting = slices.Delete(g.waiting, i, i+1)
	g.notify()
}

// notify tells the first turn that it is the first, or that something has changed.
func (g *gate) notify() {
	if len(g.waiting) > 0 {
		select {
		case g.first() <- struct{}{}:
		default:
		}
	}
}

// notifyAll tells all turns that something has changed.
func (g *gate) notifyAll() {
	for _, at := range g.waiting {
		select {
		case at <- struct{}{}:
		default:
		}
	}
}

// ready returns when t may pass if it is the first.
func (g *gate) ready(t *Turn, breakEnd time.Time) time.Time {
	if gap := max(g.gap, t.ownGap); gap > 0 && !g.last.IsZero() {
		return later(breakEnd, g.last.Add(gap))
	}
	return breakEnd
}

func (g *gate) pass(t *Turn, now time.Time) {
	g.last, g.gap, t.written = now, t.gap, now
}
