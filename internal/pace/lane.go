package pace

import (
	"math/rand/v2"
	"sync"
	"time"
)

// A lane is what is known of a key, and the queue of those who wait for it.
type lane struct {
	mu        sync.Mutex
	forgotten bool // it is in no map any more

	last  time.Time     // the start of the last turn, at the first gate
	gap   time.Duration // from last to the next turn
	hold  time.Time     // until when no turn begins
	taken int           // slots
	queue queue         // at the first gate
	told  time.Time     // nobody is told again of a long wait before this time

	between int // turns between the gates
	second  gate
	after   recovery

	asking int           // turns whose answers are to be learnt from
	usual  time.Duration // the time that answers take
	held   time.Duration // the time that slots are taken
	slow   float64       // factor on the adapted gap, from 1: it grows while the server has too much to do
}

func newLane() *lane { return &lane{slow: 1} }

// rememberFor is how long a lane remembers how fast a server is, and that it has asked
// for a break.
const rememberFor = time.Minute

// needed returns until when l has a gap or a break to keep, and until when it helps to
// remember l. It also reports whether someone uses l now.
func (l *lane) needed() (binds, helps time.Time, used bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	binds = later(l.hold, later(l.last.Add(l.gap), l.second.last.Add(l.second.gap)))
	helps = binds
	if l.usual > 0 || l.gap > 0 { // which the site may make longer
		helps = later(helps, l.last.Add(rememberFor))
	}
	if l.after.window > 0 {
		helps = later(helps, l.hold.Add(rememberFor))
	}
	return binds, helps, l.taken > 0 || l.asking > 0 || l.queue.length > 0 || l.between > 0 || len(l.second.waiting) > 0 || l.after.under > 0
}

// retire forgets l if nobody uses it, and reports whether l is forgotten.
func (l *lane) retire() bool {
	_, _, used := l.needed()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forgotten = l.forgotten || !used
	return l.forgotten
}

// space returns the gap that terms ask for.
func (l *lane) space(terms Terms) time.Duration {
	if terms.Adapt.Factor == 0 || l.usual == 0 {
		return max(terms.Gap, terms.Adapt.Min)
	}
	adapted := terms.Adapt.Factor * l.slow * float64(l.usual)
	return max(terms.Gap, terms.Adapt.Min, time.Duration(min(adapted, float64(terms.Adapt.Max))))
}

// open reports whether a turn by terms can begin now.
func (l *lane) open(terms Terms, now time.Time) bool {
	return l.slot(terms) && !l.start(l.space(terms), now).After(now)
}

// reserves reports whether a turn by terms needs a window.
func (l *lane) reserves(terms Terms) bool {
	return terms.Reserved && (terms.Slots > 0 || l.space(terms) > 0)
}

// slot reports whether one more may be under way.
func (l *lane) slot(terms Terms) bool {
	return terms.Slots == 0 || l.taken < terms.Slots
}

// start returns when the next turn can begin if no answer comes before.
func (l *lane) start(space time.Duration, now time.Time) time.Time {
	return later(l.ready(space, now), l.after.ready())
}

// ready returns when the next turn can begin if only gaps and holds count.
func (l *lane) ready(space time.Duration, now time.Time) time.Time {
	ready := now
	ready = later(ready, l.hold)
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

// turn returns when a turn by terms could begin after all that wait.
func (l *lane) turn(terms Terms, now time.Time) time.Time {
	space := l.space(terms)
	if l.queue.first == nil {
		return l.ready(space, now)
	}
	l.measure()
	return l.ready(l.queue.first.space, now).Add(l.queue.wait(max(l.queue.last.space, space)))
}

// estimate returns when to come back if turn is when a turn by terms could begin. turn
// does not count how long the slots stay taken; estimate does.
func (l *lane) estimate(turn time.Time, terms Terms, now time.Time) time.Time {
	if terms.Slots > 0 {
		turn = later(turn, now.Add(l.held*time.Duration(l.queue.length/terms.Slots+1)))
	}
	return later(turn, now.Add(leastWait))
}

// leastWait is the shortest wait that estimate tells.
const leastWait = time.Second

// longestJitter is the most that chance makes a gap longer.
const longestJitter = 24 * time.Hour

// begin starts a turn.
func (l *lane) begin(terms Terms, now time.Time) *Turn {
	space := l.space(terms)
	l.last, l.gap = now, space
	if terms.Jitter > 0 {
		l.gap += time.Duration(min(rand.Float64()*terms.Jitter*float64(space), float64(longestJitter)))
	}
	t := &Turn{
		lane: l, begun: now, space: space, gap: l.gap, adapts: terms.Adapt.Factor != 0,
		slot: terms.Slots > 0, probe: l.after.begin(now, l.hold),
	}
	if t.slot {
		l.taken++
	}
	if t.adapts {
		l.asking++
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
	l.second.notifyAll()
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
	l.queue.stale = true
	l.wake()
}

// wake tells the first in the queue that something has changed.
func (l *lane) wake() {
	if l.queue.first != nil {
		l.queue.first.notify()
	}
}
