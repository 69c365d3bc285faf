package lane

import (
	"context"
	"errors"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/limit"
)

// A request can stand in two lanes, one above the other. Many lanes are below one lane: those of all
// origins at an address, for example. The request has a ticket in each lane. The ticket above joins its
// line once the ticket below has nothing more to wait for, and keeps its place there. So no ticket
// above waits for a lane below, and the lanes below have their turns above one after the other. Both
// tickets connect at once. When the connection is ready, the ticket above is let through last.
//
// Code that locks both lanes locks the lane below first.

// Ready reports whether t has something to do in its own lane now.
func (t *Ticket) Ready() bool {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := t.ready(time.Now())
	return ok
}

// ReservedAhead returns how long before a start the lane has lately reserved it.
func (t *Ticket) ReservedAhead() time.Duration {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.lane.reservedAhead
}

// Above returns the ticket in the lane above, or nil.
func (t *Ticket) Above() *Ticket { return t.above }

// join joins t to the ticket above, which may be nil.
func (t *Ticket) join(above *Ticket) {
	if t.above = above; above != nil && t.start.reserved() {
		t.tied, above.tied = true, true
	}
}

// bindAbove joins the ticket above to the request. The rules are a matter of the lane below.
func (t *Ticket) bindAbove(b Binding) {
	if t.above != nil {
		b.Changed, b.Release = nil, nil
		t.above.Bind(b)
	}
}

// hasConnection notes that the connection is ready, for a ticket above, which calls Connected
// later. t may be nil.
func (t *Ticket) hasConnection() {
	if t == nil {
		return
	}
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	if t.stage == connects {
		t.arrive(time.Now())
	}
}

// allowAbove lets the ticket above be written, and reports whether it may. It waits there without the lock of
// t, and t keeps its place at the wire.
func (t *Ticket) allowAbove(ctx context.Context, streams bool) (allowed bool, err error) {
	t.lane.wire.add(t)
	t.lane.mu.Unlock()
	err = t.above.Connected(ctx, streams)
	if t.lane.mu.Lock(); err == errMissed {
		return false, t.reserveBoth(ctx)
	}
	return err == nil, err
}

// errMissed says that a ticket above has missed its start.
var errMissed = errors.New("the start was missed")

// mostPairs is how often a ticket tries to reserve two starts that go together before it goes on with
// what it has.
const mostPairs = 3

// reserveBoth reserves another start for t, and one above that goes with it. A ticket above leaves this
// to the one below.
func (t *Ticket) reserveBoth(ctx context.Context) error {
	if t.above == nil {
		return errMissed
	}
	var from time.Time
	for range mostPairs {
		if err := t.reserveAgain(ctx, from); err != nil || t.reservation == nil {
			return err
		}
		above, err := t.reserveAbove(ctx)
		if err != nil || t.start.meets(above) {
			return err
		}
		from = above.From
	}
	return nil
}

// reserveAbove returns the start of the ticket above. If it does not go with that of t, it reserves
// another first, without the lock of t.
func (t *Ticket) reserveAbove(ctx context.Context) (Start, error) {
	own, above := t.start, t.above
	t.lane.mu.Unlock()
	defer t.lane.mu.Lock()
	above.lane.mu.Lock()
	defer above.lane.mu.Unlock()
	if above.reservation == nil || above.start.meets(own) && !above.missed(time.Now()) {
		return above.start, nil
	}
	err := above.reserveAgain(ctx, own.From)
	return above.start, err
}

// meets reports whether a request can be written for both starts. It can if other is none.
func (s Start) meets(other Start) bool {
	from := clock.Later(s.From, other.From).Add(margin)
	return !from.After(s.Until) && (!from.After(other.Until) || !other.reserved())
}

// AnsweredAbove tells the ticket above what came of the request, if there is one. Call it before
// Answered.
func (t *Ticket) AnsweredAbove(answer Answer) Outcome {
	if t == nil || t.above == nil {
		return Outcome{}
	}
	if t.Failure() != nil {
		return t.above.Answered(Answer{}) // the server has not seen it
	}
	return t.above.Answered(answer.above(t.witness()))
}

// witness returns what a bad answer to the request says of the others in the lane above.
func (t *Ticket) witness() limit.Witness {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.lane.limit.Witness()
}

// CorrectAbove tells the lane of key, above that of t, that the answer to the request of t is bad, as
// Correct does. Call it before Correct.
func (ls *Lanes[K]) CorrectAbove(key K, t *Ticket, answer Answer) Outcome {
	if t.above == nil {
		return Outcome{}
	}
	return ls.Correct(key, t.above, answer.above(t.witness()))
}

// JoinAbove joins the line of key for a request that has the ticket below, or none if below is nil. It
// waits no longer than below may. If ahead, the request goes before the requests that came in order.
// The error is that of Join.
func (ls *Lanes[K]) JoinAbove(ctx context.Context, key K, terms Terms, below *Ticket, ahead bool) (t *Ticket, err error) {
	if below != nil && !below.waitsUntil.IsZero() {
		terms.MaxWait = max(time.Until(below.waitsUntil), 1)
	}
	if ahead {
		t, err = ls.joinAhead(ctx, key, terms)
	} else {
		t, err = ls.Join(ctx, key, terms)
	}
	if err == nil {
		t.below, t.noQueue = below, below != nil && below.noQueue
	}
	if late, ok := err.(*LateError); ok && below != nil && below.noQueue {
		late.Cause, late.Why = Full, tooMany(0)
	}
	return t, err
}

func (ls *Lanes[K]) joinAhead(ctx context.Context, key K, terms Terms) (*Ticket, error) {
	l := ls.lane(key, ls.hash(key), true)
	defer l.mu.Unlock()
	now := time.Now()
	t := newTicket(ctx, l, terms, now)
	if t.late(l.ready(t.gap(), now), now) {
		return nil, t.lateError(now)
	}
	l.line.addAhead(t)
	return t, nil
}

// Late returns the error of Join for a turn that would come too late. It joins no line.
func (ls *Lanes[K]) Late(ctx context.Context, key K, terms Terms) error {
	l := ls.lane(key, ls.hash(key), true)
	defer l.mu.Unlock()
	now := time.Now()
	if t := newTicket(ctx, l, terms, now); t.late(l.turn(terms, now), now) {
		return t.lateError(now)
	}
	return nil
}
