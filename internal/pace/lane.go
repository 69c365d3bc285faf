package pace

import (
	"math/rand/v2"
	"sync"
	"time"
)

// A lane is what is known of a key, and who waits for it.
type lane struct {
	mu        sync.Mutex
	forgotten bool // it is in no map any more

	last  time.Time     // the start of the last turn, at the first gate
	gap   time.Duration // that it asked for
	hold  time.Time     // until when no turn begins
	taken int           // slots
	queue queue         // at the first gate
	told  time.Time     // until when no one need be told again of a long wait

	between int // turns between the gates
	second  gate
	after   recovery

	usual time.Duration // the time that answers take
	held  time.Duration // the time that slots are taken
	slow  float64       // how many times slower than that to go, from 1
}

func newLane() *lane { return &lane{slow: 1} }

// rememberFor is how long it is remembered how fast a server is, and that it has
// asked for a break.
const rememberFor = time.Minute

// needed returns until when l has to be remembered, and whether someone uses it.
func (l *lane) needed() (until time.Time, used bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	until = l.last.Add(l.gap)
	if l.usual > 0 {
		until = later(until, l.last.Add(rememberFor))
	}
	if l.after.window > 0 {
		until = later(until, l.hold.Add(rememberFor))
	}
	return until, l.taken > 0 || l.queue.length > 0 || l.between > 0 || l.second.length() > 0 || l.after.under > 0
}

// retire forgets l if it is not needed after limit, and reports whether it has.
func (l *lane) retire(limit time.Time) bool {
	until, used := l.needed()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !used && !until.After(limit) {
		l.forgotten = true
	}
	return l.forgotten
}

// space returns the gap that r asks for.
func (l *lane) space(r Rule) time.Duration {
	if r.Adapt.Factor == 0 {
		return r.Gap
	}
	adapted := r.Adapt.Factor * l.slow * float64(l.usual)
	return max(r.Gap, r.Adapt.Min, time.Duration(min(adapted, float64(r.Adapt.Max))))
}

// open reports whether the next turn can be one by r, and begin now.
func (l *lane) open(r Rule, now time.Time) bool {
	return l.slot(r) && !l.ready(l.space(r), now).After(now)
}

// slot reports whether one more may be under way.
func (l *lane) slot(r Rule) bool {
	return (r.Slots == 0 || l.taken < r.Slots) && !l.after.full()
}

// ready returns when the next turn can begin, as far as gaps and holds go.
func (l *lane) ready(space time.Duration, now time.Time) time.Time {
	ready := now
	if l.hold.After(ready) {
		ready = l.hold
	}
	if gap := max(l.gap, space); gap > 0 && !l.last.IsZero() {
		ready = later(ready, l.last.Add(gap))
	}
	return ready
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// turn returns when a turn by r could begin after all that are waiting.
func (l *lane) turn(r Rule, now time.Time) time.Time {
	space := l.space(r)
	if l.queue.first == nil {
		return l.ready(space, now)
	}
	l.measure()
	return l.ready(l.queue.first.space, now).Add(l.queue.total + max(l.queue.last.space, space))
}

// estimate returns when to come back if turn is when a turn by r could begin: it
// does not say how long the slots are taken.
func (l *lane) estimate(turn time.Time, r Rule, now time.Time) time.Time {
	if r.Slots > 0 {
		turn = later(turn, now.Add(l.held*time.Duration(l.queue.length/r.Slots+1)))
	}
	return later(turn, now.Add(leastWait))
}

// leastWait is the least that someone is told to wait if nobody knows for how
// long.
const leastWait = time.Second

// begin starts a turn.
func (l *lane) begin(r Rule, now time.Time) *Turn {
	space := l.space(r)
	l.last, l.gap = now, space
	if r.Jitter > 0 {
		l.gap += time.Duration(rand.Float64() * r.Jitter * float64(space))
	}
	t := &Turn{
		lane: l, begun: now, space: space, gap: l.gap, adapts: r.Adapt.Factor != 0,
		slot: r.Slots > 0, probes: l.after.begin(now, l.hold),
	}
	if t.slot {
		l.taken++
	}
	if t.between = t.Spaced(); t.between {
		l.between++
	}
	return t
}

// holdUntil lets no turn begin before until.
func (l *lane) holdUntil(until time.Time) {
	if !until.After(l.hold) {
		return
	}
	now := time.Now()
	l.hold = until
	l.after.restart(now)
	l.refuseLate(now)
}

// learn tells how long an answer took, and whether the server has too much to do.
func (l *lane) learn(took time.Duration, busy bool) {
	if l.usual == 0 {
		l.usual = took
	}
	l.usual += (took - l.usual) / 4
	if busy {
		l.slow = min(2*max(l.slow, 1), 1024)
	} else {
		l.slow = max(0.9*l.slow, 1)
	}
	if l.queue.first != nil && l.queue.first.rule.Adapt.Factor > 0 {
		l.queue.stale = true
		l.wake()
	}
}

// wake tells the first in the queue that something has changed.
func (l *lane) wake() {
	if l.queue.first != nil {
		l.queue.first.notify()
	}
}
