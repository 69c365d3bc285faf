package turns

import (
	"context"
	"math"
	"time"

	"github.com/go-polite/polite/internal/pace"
)

// An Upper is the way of one request to its turn in the lane of a Group. Without a Group, there
// is nothing to wait for. It is used by one goroutine.
type Upper struct {
	lanes  *Lanes
	called Called
	lane   Lane
	terms  pace.Terms
	none   bool        // there is no Group
	own    *pace.Place // in the request's own lane; nil: it takes no turn there
	place  *pace.Place // nil until it has one
	ahead  bool        // it goes before those that come in order
	start  reservation
	below  *reservation // in the request's own lane; nil: it takes no turn there
}

// upper returns the way of a request to its turn above. own may be nil.
func (l *Lanes) upper(to *Site, own *pace.Place, called Called) *Upper {
	if to.Group == nil {
		return &Upper{none: true}
	}
	terms := to.Group.Terms
	terms.Joins, terms.Many, terms.Reserved = true, true, l.turns != nil
	l.heed(&terms)
	terms.MaxWait, terms.MaxQueue = 0, math.MaxInt
	if own != nil {
		terms.MaxWait = to.Pace.Terms.MaxWait
		if to.Pace.Terms.MaxQueue <= 0 {
			terms.MaxQueue = to.Pace.Terms.MaxQueue
		}
	}
	return &Upper{lanes: l, called: called, lane: to.Group.Lane, terms: terms, own: own}
}

// reserves reports whether the turn above has a start that is reserved.
func (u *Upper) reserves() bool { return !u.none && u.terms.Reserved && !u.terms.Free() }

// Leave gives up the place, and what is reserved. It may be called again.
func (u *Upper) Leave() {
	if u.place != nil {
		u.place.Leave()
		u.start.giveBack()
		u.place = nil
	}
}

// goBack gives up the place until the request has been judged again. Then it goes ahead. It may
// have to ask for robots.txt first, which takes a turn above, too.
func (u *Upper) goBack() {
	u.ahead = u.ahead || u.place != nil
	u.Leave()
}

// stepAside gives up the place unless the request has nothing to wait for below.
func (u *Upper) stepAside() {
	if u.place != nil && !u.own.Ready() {
		u.Leave()
	}
}

// wait waits for the turn above of a request that can do step in its own lane. It returns step
// if the request can do it now: if it is to Reserve below, once it is the first above (at once if
// nothing is reserved there), and if it is to Begin, once its turn above has come. If something else comes before, wait returns what
// to do: pace.Look, or pace.Below. changed and due are those of pace.Place.Wait.
func (u *Upper) wait(ctx context.Context, step pace.Step, changed <-chan struct{}, due time.Duration) (pace.Step, error) {
	if u.none || step == pace.Look || u.own != nil && step == pace.Reserve && !u.reserves() {
		return step, nil
	}
	if err := u.join(ctx); err != nil {
		return step, err
	}
	for {
		next, err := u.place.Wait(ctx, changed, due)
		switch {
		case err != nil || next == pace.Look || next == pace.Below:
			return next, err
		case next == pace.Begin || step == pace.Reserve:
			return step, nil
		}
		if ok, err := u.reserve(ctx); err != nil || !ok {
			u.Leave()
			return pace.Below, err
		}
	}
}

// reserve reserves a start above if it can, and moves the start below there. It reports whether
// nothing is in the way.
func (u *Upper) reserve(ctx context.Context) (ok bool, err error) {
	reserves := u.below != nil && u.below.placed
	if reserves {
		u.start.floor = u.below.window.From
		u.start.wide = leastSlack // for the call that moves the start below
		u.start.spare = u.start.wide
	}
	if err := u.start.take(ctx, u.place); err != nil || !u.start.placed || !reserves {
		return err == nil, err
	}
	return u.below.fit(ctx, u.own, u.start.window)
}

func (u *Upper) join(ctx context.Context) (err error) {
	if u.place == nil {
		if u.place, err = u.lanes.local.JoinAbove(ctx, u.lane, u.terms, u.own, u.ahead); err == nil {
			u.start = u.lanes.reservation(u.lane, u.called)
		}
	}
	return err
}

// First waits until the request is the first above, and only has to reserve its start.
func (u *Upper) First(ctx context.Context) error {
	_, err := u.wait(ctx, pace.Reserve, nil, 0)
	return err
}

// Take waits for the turn above of a request that takes no turn in its own lane. Without a Group,
// the turn is nil.
func (u *Upper) Take(ctx context.Context) (*pace.Turn, error) {
	if u.none {
		return nil, nil
	}
	defer u.Leave()
	for {
		if _, err := u.wait(ctx, pace.Begin, nil, 0); err != nil {
			return nil, err
		}
		if turn, ok := u.place.Start(); ok {
			u.start.hand(turn)
			return turn, nil
		}
	}
}

// hand hands what is reserved above to a turn that begins, in its own lane and above.
func (u *Upper) hand(turn *pace.Turn) {
	if above := turn.Above(); above != nil {
		u.start.hand(above)
	}
}

// late returns an error, which says when both turns would have come, if the turn above is sure to
// come too late.
func (u *Upper) late(ctx context.Context) error {
	if u.none {
		return nil
	}
	return u.both(u.lanes.local.Late(ctx, u.lane, u.terms))
}

// both returns err. If it says when to come back, this is not before the turn above could
// come.
func (u *Upper) both(err error) error {
	if late, ok := err.(*pace.LateError); ok {
		late.Turn = u.later(late.Turn)
	}
	return err
}

// later returns the later of turn and of when the turn above could come.
func (u *Upper) later(turn time.Time) time.Time {
	if u.none {
		return turn
	}
	if above, _ := u.lanes.local.Next(u.lane, u.terms); above.After(turn) {
		return above
	}
	return turn
}

// takes returns about how long the turn above may take to come.
func (u *Upper) takes() time.Duration {
	if u.place == nil {
		return 0
	}
	far := u.place.Far()
	return u.terms.Gap + far + far/2
}
