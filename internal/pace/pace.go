// Package pace says who may go when: turns by key, in order of arrival, with a
// gap between the starts and a limit on how many are under way.
package pace

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Rule says how a request takes its turn. The zero Rule is that it need not
// wait for others, but for a Hold.
type Rule struct {
	Gap      time.Duration // from the start of one turn to that of the next
	Jitter   float64       // up to this part of a gap is added to it
	Slots    int           // turns under way at the same time; 0 is any number
	MaxWait  time.Duration // 0 is for as long as the context lasts
	MaxQueue int           // how many may wait
	Adapt    Adapt
}

// Adapt makes the gap a multiple of the time that recent answers took.
type Adapt struct {
	Factor   float64 // 0 is not to adapt
	Min, Max time.Duration
}

// Free reports whether r asks for nothing, so that only a lane that is there
// already can make a turn wait.
func (r *Rule) Free() bool {
	return r.Gap == 0 && r.Slots == 0 && r.Adapt.Factor == 0
}

// A LateError says that a turn would come too late.
type LateError struct {
	Turn time.Time // the earliest it could have come
	Why  string
}

func (e *LateError) Error() string {
	return fmt.Sprintf("the turn would come at %s: %s", e.Turn.Format(time.RFC3339Nano), e.Why)
}

// A Pacer gives turns. The zero Pacer is ready for use, and safe for concurrent
// use. Keys that no one waits for are forgotten.
type Pacer[K comparable] struct {
	size atomic.Int64 // of lanes, for a look without the lock

	mu    sync.RWMutex
	lanes map[K]*lane
	sweep int // the number of lanes at which to look for those to forget
}

// A lane is what is known of a key.
type lane struct {
	last  time.Time     // the start of the last turn
	gap   time.Duration // that it asked for
	hold  time.Time     // until when no turn begins
	taken int           // turns under way
	queue []*waiter     // in order of arrival

	usual time.Duration // the time that answers take
	slow  float64       // how many times slower than that to go, from 1
}

// A waiter is in the queue of a lane.
type waiter struct {
	rule     Rule
	limit    time.Time     // of the rule's longest wait; zero if there is none
	deadline time.Time     // that, or the context's if it is earlier
	wake     chan struct{} // something has changed
	err      error         // why the turn will not come
}

func newWaiter(ctx context.Context, r Rule, now time.Time) *waiter {
	w := &waiter{rule: r, wake: make(chan struct{}, 1)}
	w.deadline, _ = ctx.Deadline()
	if r.MaxWait > 0 {
		w.limit = now.Add(r.MaxWait)
		if w.deadline.IsZero() || w.limit.Before(w.deadline) {
			w.deadline = w.limit
		}
	}
	return w
}

// late returns the error for w if its turn would come too late.
func (w *waiter) late(turn, now time.Time) error {
	if w.deadline.IsZero() || !turn.After(w.deadline) {
		return nil
	}
	return &LateError{turn, fmt.Sprintf("the request can only wait for %v", w.deadline.Sub(now))}
}

// A Turn is a turn that is under way. The zero Turn is none.
type Turn struct {
	done   func()
	waited bool
}

// Done ends the turn. It may be called again, without effect, and at the same
// time.
func (t Turn) Done() {
	if t.done != nil {
		t.done()
	}
}

// Limited reports whether someone may wait for the turn to end.
func (t Turn) Limited() bool { return t.done != nil }

// Waited reports whether the turn did not come at once.
func (t Turn) Waited() bool { return t.waited }

// Take waits for a turn. It returns a LateError at once if the turn would come
// after ctx or the rule's longest wait have ended, and ctx's error when that
// ends.
func (p *Pacer[K]) Take(ctx context.Context, key K, r Rule) (Turn, error) {
	if r.Free() && !p.has(key) {
		return Turn{}, nil
	}
	if ctx.Err() != nil {
		return Turn{}, context.Cause(ctx)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lanes[key]
	if l == nil {
		if r.Free() {
			return Turn{}, nil
		}
		l = p.open(key)
	}
	now := time.Now()
	if len(l.queue) == 0 && l.slot(r) && !l.ready(r).After(now) {
		return p.begin(l, r, now), nil
	}
	w := newWaiter(ctx, r, now)
	turn := l.turn(r, now)
	if err := w.late(turn, now); err != nil {
		return Turn{}, err
	}
	if len(l.queue) >= r.MaxQueue {
		return Turn{}, &LateError{turn, fmt.Sprintf("%d requests are waiting already", len(l.queue))}
	}
	l.queue = append(l.queue, w)
	return p.wait(ctx, l, w)
}

// has reports whether there is a lane for key.
func (p *Pacer[K]) has(key K) bool {
	if p.size.Load() == 0 {
		return false
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.lanes[key] != nil
}

// wait waits until w, which is in the queue of l, has its turn. It is called,
// and returns, with p.mu locked.
func (p *Pacer[K]) wait(ctx context.Context, l *lane, w *waiter) (Turn, error) {
	for {
		now := time.Now()
		if w.err != nil {
			return Turn{}, w.err // it has left the queue
		}
		var alarm <-chan time.Time
		var timer *time.Timer
		if first := l.queue[0] == w; first && l.slot(w.rule) {
			ready := l.ready(w.rule)
			if !ready.After(now) {
				l.leave(w)
				turn := p.begin(l, w.rule, now)
				turn.waited = true
				return turn, nil
			}
			if err := w.late(ready, now); err != nil {
				l.leave(w)
				return Turn{}, err
			}
			timer = time.NewTimer(ready.Sub(now))
		} else if !w.limit.IsZero() {
			if !w.limit.After(now) {
				l.leave(w)
				// Nobody knows when; but not before as long again.
				return Turn{}, &LateError{now.Add(w.rule.MaxWait), "all turns are taken"}
			}
			timer = time.NewTimer(w.limit.Sub(now))
		}
		if timer != nil {
			alarm = timer.C
		}
		p.mu.Unlock()
		select {
		case <-w.wake:
		case <-alarm:
		case <-ctx.Done():
		}
		if timer != nil {
			timer.Stop()
		}
		p.mu.Lock()
		if ctx.Err() != nil && w.err == nil {
			l.leave(w)
			return Turn{}, context.Cause(ctx)
		}
	}
}

// begin starts a turn.
func (p *Pacer[K]) begin(l *lane, r Rule, now time.Time) Turn {
	l.last, l.gap = now, l.space(r)
	if r.Jitter > 0 {
		l.gap += time.Duration(rand.Float64() * r.Jitter * float64(l.gap))
	}
	if r.Slots == 0 {
		return Turn{}
	}
	l.taken++
	return Turn{done: sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		l.taken--
		l.notify()
	})}
}

// Hold lets no turn of key begin before until.
func (p *Pacer[K]) Hold(key K, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lanes[key]
	if l == nil {
		l = p.open(key)
	}
	if !until.After(l.hold) {
		return
	}
	l.hold = until
	l.refuseLate()
}

// Learn tells how long an answer took, and whether the server has too much to do.
func (p *Pacer[K]) Learn(key K, took time.Duration, overloaded bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lanes[key]
	if l == nil {
		return
	}
	if l.usual == 0 {
		l.usual = took
	}
	l.usual += (took - l.usual) / 4
	if overloaded {
		l.slow = min(2*max(l.slow, 1), 1024)
		l.refuseLate()
	} else {
		l.slow = max(0.9*l.slow, 1)
	}
}

// Next returns when a turn of key could begin, and the gap that it would keep.
func (p *Pacer[K]) Next(key K, r Rule) (turn time.Time, gap time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	l := p.lanes[key]
	if l == nil {
		l = new(lane)
	}
	return l.turn(r, now), l.space(r)
}

// Keys returns the number of keys that are remembered.
func (p *Pacer[K]) Keys() int { return int(p.size.Load()) }

// open adds a lane. From time to time it forgets those that no one needs.
func (p *Pacer[K]) open(key K) *lane {
	if len(p.lanes) >= p.sweep {
		now := time.Now()
		needed := make(map[K]*lane)
		for key, l := range p.lanes {
			if !l.idle(now) {
				needed[key] = l
			}
		}
		p.lanes, p.sweep = needed, 2*len(needed)+64
	}
	l := &lane{slow: 1}
	p.lanes[key] = l
	p.size.Store(int64(len(p.lanes)))
	return l
}

// idle reports whether l is as good as a new lane.
func (l *lane) idle(now time.Time) bool {
	return l.taken == 0 && len(l.queue) == 0 && !l.hold.After(now) && !l.last.Add(max(l.gap, rememberFor)).After(now)
}

// rememberFor is how long it is remembered how fast a server is.
const rememberFor = time.Minute

// space returns the gap that r asks for.
func (l *lane) space(r Rule) time.Duration {
	if r.Adapt.Factor == 0 {
		return r.Gap
	}
	adapted := r.Adapt.Factor * l.slow * float64(l.usual)
	return max(r.Gap, r.Adapt.Min, time.Duration(min(adapted, float64(r.Adapt.Max))))
}

func (l *lane) slot(r Rule) bool { return r.Slots == 0 || l.taken < r.Slots }

// ready returns when a turn by r can begin, as far as gaps and holds go.
func (l *lane) ready(r Rule) time.Time {
	s := l.schedule(time.Time{})
	return s.next(l.space(r))
}

// turn returns when a turn by r could begin after all that are waiting.
func (l *lane) turn(r Rule, now time.Time) time.Time {
	s := l.schedule(now)
	for _, w := range l.queue {
		s.next(l.space(w.rule))
	}
	return s.next(l.space(r))
}

// refuseLate ends the waiting of all whose turn would now come too late.
func (l *lane) refuseLate() {
	now := time.Now()
	s := l.schedule(now)
	kept := l.queue[:0]
	for _, w := range l.queue {
		after := s
		if w.err = w.late(after.next(l.space(w.rule)), now); w.err == nil {
			kept, s = append(kept, w), after
		} else {
			w.notify()
		}
	}
	clear(l.queue[len(kept):])
	l.queue = kept
	l.notify()
}

// A schedule tells one turn after the other when it can begin.
type schedule struct {
	earliest time.Time
	last     time.Time // the start of the turn before; zero if there was none
	gap      time.Duration
}

func (l *lane) schedule(now time.Time) schedule {
	s := schedule{earliest: l.hold, last: l.last, gap: l.gap}
	if s.earliest.Before(now) {
		s.earliest = now
	}
	return s
}

// next returns the start of the next turn, which keeps a gap of space to those
// before and after it.
func (s *schedule) next(space time.Duration) time.Time {
	turn := s.earliest
	if gap := max(s.gap, space); gap > 0 && !s.last.IsZero() {
		if spaced := s.last.Add(gap); spaced.After(turn) {
			turn = spaced
		}
	}
	s.earliest, s.last, s.gap = turn, turn, space
	return turn
}

// leave takes w out of the queue, and tells the next.
func (l *lane) leave(w *waiter) {
	if i := slices.Index(l.queue, w); i >= 0 {
		l.queue = slices.Delete(l.queue, i, i+1)
	}
	l.notify()
}

// notify tells the first in the queue that something has changed.
func (l *lane) notify() {
	if len(l.queue) > 0 {
		l.queue[0].notify()
	}
}

func (w *waiter) notify() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}
