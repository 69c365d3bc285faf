package pace

import (
	"context"
	"time"
)

// A Turn is a turn that is under way. Nil is one that nobody waits for, and that
// waits for nobody.
type Turn struct {
	lane     *lane
	space    time.Duration // the gap to the turn before
	gap      time.Duration // the gap to the turn after: space and jitter
	adapts   bool          // the gap follows how long answers take
	begun    time.Time
	slot     bool // it has one until it is done
	probes   bool // it is of a recovery, until it is answered
	answered bool
	between  bool      // it is between the gates
	written  time.Time // zero if that is not known
	wake     chan struct{}
}

// An Answer says what came of a turn.
type Answer int

const (
	None Answer = iota // nothing that says something of the server
	Good
	Bad // it has too much to do
)

// Spaced reports whether the turn has to keep its distance to others when its
// connection is ready.
func (t *Turn) Spaced() bool { return t != nil && (t.gap > 0 || t.probes) }

// Limited reports whether someone may wait for the turn to end.
func (t *Turn) Limited() bool { return t != nil && t.slot }

// Connected waits at the second gate until the request may be written: its
// connection is ready. It returns the cause if ctx ends before; then it must not be
// written. It may be called again, when the request is sent again.
func (t *Turn) Connected(ctx context.Context) error {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	t.arrive()
	l.second.add(t)
	defer l.second.remove(t)
	quick := time.Since(t.begun) < t.gap/10
	for waited := false; ; waited = true {
		now := time.Now()
		if at := l.second.ready(t, l.hold); l.second.first() != t || at.After(now) {
			if err := t.pause(ctx, at.Sub(now)); err != nil {
				return err
			}
			continue
		}
		l.second.pass(t, now)
		if waited && quick { // who comes next had better wait at the first gate
			l.last = later(l.last, now)
		}
		return nil
	}
}

// arrive notes that t is no longer between the gates.
func (t *Turn) arrive() {
	if t.between {
		t.between = false
		t.lane.between--
	}
}

// pause waits at the second gate, without the lock.
func (t *Turn) pause(ctx context.Context, wait time.Duration) error {
	first := t.lane.second.first() == t
	t.lane.mu.Unlock()
	defer t.lane.mu.Lock()
	var alarm <-chan time.Time
	if first {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-alarm:
	case <-t.wake:
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
	t.arrive()
	l, now := t.lane, time.Now()
	if answer != None && t.adapts {
		l.learn(now.Sub(later(t.begun, t.written)), answer == Bad)
	}
	if t.probes {
		if setback := l.after.end(t.begun, now, answer); setback > 0 {
			l.holdUntil(now.Add(setback))
		}
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
	if t.slot {
		t.slot = false
		l.taken--
		l.held += (time.Since(t.begun) - l.held) / 4
		l.wake()
	}
}

// A gate lets turns pass in order of arrival, with the gap between the times at
// which they really do.
type gate struct {
	waiting []*Turn
	last    time.Time     // when one passed
	gap     time.Duration // that it asked for
}

func (g *gate) length() int { return len(g.waiting) }

func (g *gate) first() *Turn { return g.waiting[0] }

func (g *gate) add(t *Turn) {
	t.wake = make(chan struct{}, 1)
	g.waiting = append(g.waiting, t)
}

func (g *gate) remove(t *Turn) {
	for i := range g.waiting {
		if g.waiting[i] == t {
			g.waiting = append(g.waiting[:i], g.waiting[i+1:]...)
			break
		}
	}
	g.notify()
}

// notify tells the first that it is, or that it may have to wait for longer.
func (g *gate) notify() {
	if len(g.waiting) > 0 {
		select {
		case g.first().wake <- struct{}{}:
		default:
		}
	}
}

// ready returns when t may pass if it is the first.
func (g *gate) ready(t *Turn, hold time.Time) time.Time {
	if gap := max(g.gap, t.space); gap > 0 && !g.last.IsZero() {
		return later(hold, g.last.Add(gap))
	}
	return hold
}

func (g *gate) pass(t *Turn, now time.Time) {
	g.last, g.gap, t.written = now, t.gap, now
}
