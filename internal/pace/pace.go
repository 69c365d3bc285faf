// Package pace says who may go when. Turns are by key, in order of arrival, with a gap
// between the starts and a limit on how many are under way.
//
// A turn has two gates. At the first, requests wait in a queue. A request that leaves
// it goes to the transport, which may have to connect first. The second is where the
// connection is ready. There the request keeps the gap to the one that was written
// last.
package pace

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/sieve"
)

// Terms say how a request takes its turn. With the zero Terms, the request does not
// wait for others. It waits only for a Break.
type Terms struct {
	Gap      time.Duration // from the start of one turn to the start of the next
	Jitter   float64       // up to this part of a gap is added to it
	Slots    int           // turns under way at the same time; 0 is any number
	MaxWait  time.Duration // 0 is until the context ends
	MaxQueue int           // how many may wait
	Adapt    Adapt
	Reserved bool // a turn with a gap or a slot begins only within a Window that is reserved elsewhere
}

// A Window is when a turn may begin. The zero Window is none.
type Window struct {
	From, Until time.Time
	Void        func() bool // reports whether the window is lost
}

// reserved reports whether w is a window.
func (w Window) reserved() bool { return !w.Until.IsZero() }

// over reports whether a turn that begins at now would be too late for w.
func (w Window) over(now time.Time) bool {
	return w.reserved() && (now.After(w.Until) || w.Void != nil && w.Void())
}

// Adapt makes the gap a multiple of the time that recent answers took.
type Adapt struct {
	Factor   float64 // 0: the gap does not change
	Min, Max time.Duration
}

// Free reports whether terms ask for nothing. Then a turn waits only if there is a lane
// already.
func (terms *Terms) Free() bool {
	return terms.Gap == 0 && terms.Slots == 0 && terms.Adapt.Factor == 0
}

// A LateError says that a turn would come too late.
type LateError struct {
	Turn time.Time // when to come back: behind the requests that wait, and behind promised turns
	Why  string
	Err  error // why nobody knows when the turn comes; nil if it is known

	Unknown bool // the rules are not known yet
}

func (e *LateError) Error() string {
	return fmt.Sprintf("the turn would come at %s: %s", e.Turn.Format(time.RFC3339Nano), e.Why)
}

// A Pacer gives turns. It is safe for concurrent use. Lanes do not slow each other
// down: each has its own lock, and the map of lanes is in parts.
type Pacer[K comparable] struct {
	own  func(K) K // copies what is to be kept
	seed maphash.Seed
	size atomic.Int64 // of lanes, for a look without a lock
	next atomic.Int64 // when to sweep the next part, in units of sweepEvery
	hand atomic.Int64 // that part
	most int          // lanes in a part
	all  []part[K]
	born time.Time
}

// A part has some of the lanes. Any lane may be in any part.
type part[K comparable] struct {
	mu    sync.RWMutex
	lanes map[K]*lane
	sweep int // the number of lanes at which to look for those to forget
}

const (
	maxParts   = 64
	partLanes  = 32                     // at least, if there is more than one part
	sweepEvery = 100 * time.Millisecond // a part at a time

	// FewestLanes is how many lanes there is room for in any case.
	FewestLanes = 256

	// LaneBytes is about the memory that a lane takes, without the text of its key.
	LaneBytes = 520
)

// New returns a Pacer that remembers about as many keys as most, but no fewer than
// 256. Keys that nobody uses give way to others, first the keys whose gap and break are
// over. It keeps what own returns of a key.
func New[K comparable](most int, own func(K) K) *Pacer[K] {
	most = max(most, FewestLanes)
	parts := min(most/partLanes, maxParts)
	return &Pacer[K]{own: own, seed: maphash.MakeSeed(), most: most / parts, all: make([]part[K], parts), born: time.Now()}
}

// Keys returns the number of keys that are remembered.
func (p *Pacer[K]) Keys() int { return int(p.size.Load()) }

// Begin begins a turn of key and reports whether it can. If not, Join the queue. The
// turn is nil if nobody needs to wait for it.
func (p *Pacer[K]) Begin(key K, terms Terms) (*Turn, bool) {
	p.tidy()
	if terms.Free() && p.size.Load() == 0 {
		return nil, true
	}
	l := p.lane(key, !terms.Free())
	if l == nil {
		return nil, true
	}
	defer l.mu.Unlock()
	now := time.Now()
	if l.queue.length > 0 || l.reserves(terms) || !l.open(terms, now) {
		return nil, false
	}
	return l.begin(terms, now), true
}

// Join takes the last place in the queue of key. It returns a LateError if the turn
// would come after the end of ctx or of terms.MaxWait, or if MaxQueue others wait
// already.
func (p *Pacer[K]) Join(ctx context.Context, key K, terms Terms) (*Place, error) {
	l := p.lane(key, true)
	defer l.mu.Unlock()
	now := time.Now()
	w := newPlace(ctx, l, terms, now)
	if w.late(l.turn(terms, now)) {
		return nil, w.refusal(now)
	}
	if l.queue.length >= terms.MaxQueue {
		return nil, l.refuse(terms, leastWait, now, fmt.Sprintf("%d requests are waiting already", l.queue.length))
	}
	l.queue.add(w)
	return w, nil
}

// Rejoin takes a place for a turn that was sent back, before all that were not. It
// returns a LateError if the turn would come too late.
func (p *Pacer[K]) Rejoin(ctx context.Context, key K, terms Terms) (*Place, error) {
	l := p.lane(key, true)
	defer l.mu.Unlock()
	now := time.Now()
	w := newPlace(ctx, l, terms, now)
	if w.late(l.ready(w.ownGap, now)) {
		return nil, w.refusal(now)
	}
	l.queue.addBack(w)
	return w, nil
}

// Promise returns when a request that is refused before it joins the queue should come
// back, if it could have its turn at turn.
func (p *Pacer[K]) Promise(key K, terms Terms, turn time.Time) time.Time {
	l := p.lane(key, true)
	defer l.mu.Unlock()
	return l.promise(turn, terms, time.Now())
}

// Take waits for a turn. Its terms do not change meanwhile.
func (p *Pacer[K]) Take(ctx context.Context, key K, terms Terms) (*Turn, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if turn, ok := p.Begin(key, terms); ok {
		return turn, nil
	}
	place, err := p.Join(ctx, key, terms)
	if err != nil {
		return nil, err
	}
	defer place.Leave()
	for {
		if _, err := place.Wait(ctx, nil, 0); err != nil {
			return nil, err
		}
		if turn, ok := place.Start(); ok {
			return turn, nil
		}
	}
}

// Break lets no turn of key begin before until. After this time one goes first, and the
// others follow its answer. Break reports whether a long wait begins, as Place.Long does.
func (p *Pacer[K]) Break(key K, until time.Time, limit time.Duration) (tell bool) {
	l := p.lane(key, true)
	defer l.mu.Unlock()
	l.breakUntil(until)
	return l.tells(until, limit)
}

// Wake lets the first in each queue look whether its window is void.
func (p *Pacer[K]) Wake() {
	for i := range p.all {
		p.all[i].wake()
	}
}

func (part *part[K]) wake() {
	part.mu.RLock()
	defer part.mu.RUnlock()
	for _, l := range part.lanes {
		l.mu.Lock()
		l.wake()
		l.mu.Unlock()
	}
}

// Next returns when a turn of key could begin, and the gap that it would keep.
func (p *Pacer[K]) Next(key K, terms Terms) (turn time.Time, gap time.Duration) {
	l := p.lane(key, false)
	if l == nil {
		l = newLane()
		l.mu.Lock()
	}
	defer l.mu.Unlock()
	return l.turn(terms, time.Now()), l.gapOf(terms)
}

// BreakEnd returns when the last break of key ends.
func (p *Pacer[K]) BreakEnd(key K) (until time.Time) {
	if p.size.Load() == 0 {
		return until
	}
	l := p.lane(key, false)
	if l == nil {
		return until
	}
	defer l.mu.Unlock()
	return l.breakEnd
}

// lane returns the lane of key, locked. If there is none, it adds one or returns
// nil.
func (p *Pacer[K]) lane(key K, add bool) *lane {
	part := &p.all[maphash.Comparable(p.seed, key)%uint64(len(p.all))]
	for {
		part.mu.RLock()
		l := part.lanes[key]
		part.mu.RUnlock()
		if l == nil {
			if !add {
				return nil
			}
			l = p.open(part, key)
		}
		l.mu.Lock()
		if !l.forgotten {
			return l
		}
		l.mu.Unlock() // another is there by now, or will be
	}
}

// open adds a lane to a part. Before a part doubles, it forgets the lanes that nobody
// needs.
func (p *Pacer[K]) open(part *part[K], key K) *lane {
	part.mu.Lock()
	defer part.mu.Unlock()
	if l := part.lanes[key]; l != nil {
		return l
	}
	if len(part.lanes) >= part.sweep {
		p.forget(part, time.Now())
	}
	l := newLane()
	if part.lanes == nil {
		part.lanes = make(map[K]*lane)
	}
	part.lanes[p.own(key)] = l
	p.size.Add(1)
	return l
}

// tidy forgets lanes that nobody needs, a part at a time. So their memory is given back
// even if no new lanes come.
func (p *Pacer[K]) tidy() {
	if p.size.Load() == 0 {
		return
	}
	next, now := p.next.Load(), int64(time.Since(p.born)/sweepEvery)
	if now < next || !p.next.CompareAndSwap(next, now+1) {
		return
	}
	part := &p.all[p.hand.Add(1)%int64(len(p.all))]
	part.mu.Lock()
	defer part.mu.Unlock()
	p.forget(part, time.Now())
}

// forget drops the lanes of a part that are no longer of use. If too many are left, it
// also drops lanes that nobody uses: first those whose gap or break ends soonest.
func (p *Pacer[K]) forget(part *part[K], now time.Time) {
	before := len(part.lanes)
	var unused []time.Time
	for key, l := range part.lanes {
		if binds, helps, used := l.needed(); used {
			continue
		} else if helps.After(now) || !l.retire() {
			unused = append(unused, binds)
		} else {
			delete(part.lanes, key)
		}
	}
	if len(part.lanes) >= p.most && len(unused) > 0 {
		slices.SortFunc(unused, time.Time.Compare)
		excess := len(part.lanes) - p.most*3/4
		part.forgetUntil(unused[min(excess, len(unused)-1)])
	}
	p.size.Add(int64(len(part.lanes) - before))
	n := len(part.lanes)
	part.sweep = max(min(2*n+4, p.most), n+n/8+1)           // also if more than the most are in use
	if len(part.lanes) < before/4 || len(part.lanes) == 0 { // a map does not shrink by itself
		part.lanes = sieve.Compact(part.lanes)
	}
}

// forgetUntil drops the lanes that nobody uses and that bind no one after limit.
func (part *part[K]) forgetUntil(limit time.Time) {
	for key, l := range part.lanes {
		if binds, _, used := l.needed(); !used && !binds.After(limit) && l.retire() {
			delete(part.lanes, key)
		}
	}
}
