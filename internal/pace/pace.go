// Package pace says who may go when. Turns are by key, in order of arrival, with a gap
// between the starts and a limit on how many are under way.
//
// Requests wait in a queue. A request that leaves it goes to the transport, which may have
// to connect first. Where the connection is ready, there is a gate: the request is only
// written if what is known by then allows it, with the gap to the one that was written last.
//
//	pace.go      who comes, and who is told
//	terms.go     how a request takes its turn
//	lanes.go     the lanes of all keys, and which are forgotten
//	evicted.go   the keys that are forgotten although they have a break
//	shared.go    which breaks those know who share the lanes
//	company.go   how many requests are under way, also where there is no lane
//	lane.go      what the requests of a key keep
//	queue.go     those that wait, in order
//	place.go     one of them
//	above.go     requests with a turn in two lanes, one above the other
//	climb.go     their places in the lane above
//	promise.go   when those that are refused are to come back
//	turn.go      a request that has left the queue
//	lead.go      how long before its start it leaves the queue, to connect
//	gate.go      what decides when it is written
//	recovery.go  how many are under way after a break
//	answer.go    what came of a request
//	bears.go     what the site bears, as its answers tell
//	body.go      the body of an answer, which tells when the turn is over
package pace

import (
	"context"
	"fmt"
	"time"

	"github.com/go-polite/polite/internal/limit"
)

// A Pacer gives turns. It is safe for concurrent use. Lanes do not slow each other down: each
// has its own lock, and the map of lanes is in parts.
type Pacer[K comparable] struct{ lanes[K] }

// New returns a Pacer that remembers about as many keys as most, but no fewer than
// 256. Keys that nobody uses give way to others, first the keys whose gap and break are
// over, and then as package fair says.
func New[K comparable](most int, keys Keys[K]) *Pacer[K] {
	p := new(Pacer[K])
	p.init(most, keys)
	return p
}

// An Arrival is when a request comes. The zero Arrival is now, after a time that is not
// known.
type Arrival struct {
	At   time.Duration // since the Pacer began, about
	Idle time.Duration // how long no request of its key has come before
}

// Begin hands a request of key on, and reports whether it can. If not, Join the queue. A
// request that others may overtake before it is written passes the gate, and has a Turn.
func (p *Pacer[K]) Begin(key K, terms Terms, came Arrival) (Pass, bool) {
	hash := p.hash(key)
	counter := p.company.of(hash)
	alone := counter.enter() // and then it looks for a break: who begins one looks the other way round
	if came == (Arrival{}) {
		came.At = time.Since(p.born)
		came.Idle = counter.idle(hash, came.At)
	}
	hooked := !alone || came.Idle > keptFor
	keeps := !terms.Free() || hooked
	if !keeps && p.size.Load() == 0 {
		counter.note(hash, came.At)
		return Pass{counter: counter, hash: hash}, true
	}
	return p.begin(key, terms, hash, hooked)
}

// begin is Begin for a request that is counted, and may have a lane.
func (p *Pacer[K]) begin(key K, terms Terms, hash uint64, hooked bool) (Pass, bool) {
	counter, at, keeps := p.company.of(hash), time.Now(), !terms.Free() || hooked
	p.tidy(at)
	l := p.lane(key, hash, keeps)
	counter.note(hash, at.Sub(p.born)) // not before: a lane that is new goes by what was before
	if l == nil || !keeps && p.drop(key, hash, l, at) {
		return Pass{counter: counter, hash: hash}, true
	}
	defer l.mu.Unlock()
	l.bears.limit.Know(counter.known(hash))
	if l.queue.length > 0 || l.reserves(terms) || !l.open(terms, at) {
		counter.leave()
		return Pass{}, false
	}
	if l.gate.last.Add(l.gate.gap).After(at) { // the request before was written later than it began
		hooked, keeps = true, true
	}
	if !keeps && l.after.window == 0 && (!terms.Limit || l.bears.isWell(at)) {
		l.touch(at)
		return Pass{counter: counter, hash: hash}, true
	}
	return Pass{Turn: l.begin(terms, at, hooked)}, true
}

// Connected notes how long a request of key that takes no turn took to connect.
func (p *Pacer[K]) Connected(key K, took time.Duration) {
	p.leads.learn(took)
	l := p.lane(key, p.hash(key), true)
	defer l.mu.Unlock()
	l.connected(took)
}

// Answered learns from an answer to a request of key that took no turn, since it was alone.
func (p *Pacer[K]) Answered(key K, terms Terms, a Answer) Outcome {
	hash := p.hash(key)
	l := p.lane(key, hash, true)
	defer l.mu.Unlock()
	now := time.Now()
	l.last = later(l.last, now)
	if terms.Limit {
		l.bears.limit.Know(l.counter.known(hash))
		l.bears.begin(now)
	}
	return l.answered(now, now, terms.Limit, a)
}

// Recheck looks whether the rules have changed for the requests of key that are not written
// yet. Those that they forbid are sent back, or end.
func (p *Pacer[K]) Recheck(key K) {
	if p.size.Load() == 0 {
		return
	}
	if l := p.lane(key, p.hash(key), false); l != nil {
		defer l.mu.Unlock()
		l.recheck()
	}
}

// Busy reports whether requests are under way, or wait for their turns.
func (p *Pacer[K]) Busy() bool { return p.company.busy() || p.waits() }

// Enter counts a request of key that takes no turn, such as a request for robots.txt.
func (p *Pacer[K]) Enter(key K) Pass {
	counter := p.company.of(p.hash(key))
	counter.enter()
	return Pass{counter: counter}
}

// Join takes the last place in the queue of key. It returns a LateError if the turn
// would come after the end of ctx or of terms.MaxWait, or if MaxQueue others wait
// already.
func (p *Pacer[K]) Join(ctx context.Context, key K, terms Terms) (*Place, error) {
	l := p.lane(key, p.hash(key), true)
	defer l.mu.Unlock()
	now := time.Now()
	w := newPlace(ctx, l, terms, now)
	if w.late(l.turn(terms, now), now) {
		return nil, w.refusal(now)
	}
	if l.queue.length == 0 && terms.MaxQueue <= 0 && (terms.Joins || l.reserves(terms)) && l.open(terms, now) {
		w.within(now.Add(soon)) // it waits for its reservation alone, or for its turn above
	} else if l.queue.length >= terms.MaxQueue {
		return nil, l.refuse(terms, leastWait, now, fmt.Sprintf("%d requests are waiting already", l.queue.length))
	}
	l.queue.add(w)
	return w, nil
}

// soon is how long a request that does not wait may take to reserve its start, and to connect.
const soon = time.Second

// Rejoin takes a place for a turn that was sent back: before all that were not, and in the
// order in which the turns began. It returns a LateError if the turn would come too late.
func (p *Pacer[K]) Rejoin(ctx context.Context, key K, terms Terms, back *Turn) (*Place, error) {
	l := p.lane(key, p.hash(key), true)
	defer l.mu.Unlock()
	now := time.Now()
	w := newPlace(ctx, l, terms, now)
	if w.late(l.ready(w.gap(), now), now) {
		return nil, w.refusal(now)
	}
	l.queue.addBack(w, back.number)
	return w, nil
}

// Promise returns when a request that is refused before it joins the queue should come
// back, if it could have its turn at turn.
func (p *Pacer[K]) Promise(key K, terms Terms, turn time.Time) time.Time {
	l := p.lane(key, p.hash(key), true)
	defer l.mu.Unlock()
	return l.promise(turn, terms, time.Now())
}

// Take waits for a turn. Its terms do not change meanwhile.
func (p *Pacer[K]) Take(ctx context.Context, key K, terms Terms) (*Turn, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if pass, ok := p.Begin(key, terms, Arrival{At: 1}); ok {
		if pass.Turn == nil {
			pass.Done()
		}
		return pass.Turn, nil
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
	l := p.lane(key, p.hash(key), true)
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

// Next returns when a turn of key could begin, and the gap that it would keep.
func (p *Pacer[K]) Next(key K, terms Terms) (turn time.Time, gap time.Duration) {
	l := p.lane(key, p.hash(key), false)
	if l == nil {
		l = newLane(new(counter), &p.leads)
		l.mu.Lock()
	}
	defer l.mu.Unlock()
	return l.turn(terms, time.Now()), l.gapOf(terms)
}

// Limit returns what the site of key bears, as its answers tell. It is zero if there was none.
func (p *Pacer[K]) Limit(key K) (s limit.State) {
	l := p.lane(key, p.hash(key), false)
	if l == nil {
		return s
	}
	defer l.mu.Unlock()
	return l.bears.state(time.Now())
}

// BreakEnd returns when the last break of key ends.
func (p *Pacer[K]) BreakEnd(key K) (until time.Time) {
	if p.size.Load() == 0 {
		return until
	}
	l := p.lane(key, p.hash(key), false)
	if l == nil {
		return until
	}
	defer l.mu.Unlock()
	return l.breakEnd
}

// Evicted reports whether a key may have a break that p does not know any more, since it
// keeps no more keys than it may.
func (p *Pacer[K]) Evicted(key K) bool {
	return p.lost.any() && p.lost.has(p.hash(key)) && !p.BreakEnd(key).After(time.Now())
}
