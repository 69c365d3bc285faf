package fleet

import (
	"context"
	"math"
	"time"

	"github.com/go-polite/polite/internal/lane"
)

// A Group is a lane above the lanes of requests. A request takes a turn in both.
type Group struct {
	Lane  Key
	Terms lane.Terms // only Gap, Slots and Limit are needed
}

// Gap returns the gap between two requests of g.
func (g *Group) Gap() time.Duration { return g.Terms.Gap }

// FindsLimit reports whether g keeps to what its sites bear together, as their answers tell.
func (g *Group) FindsLimit() bool { return g.Terms.Limit }

// A Way is the way of one request to its turn: the reservation of its ticket in the fleet, and another
// one in the lane of its Group, if there is one. One goroutine uses it.
type Way struct {
	lanes  *Lanes
	called Called
	key    Key          // of the request's own lane
	group  *Group       // nil: there is no lane above
	terms  lane.Terms   // above
	ahead  bool         // it goes before those that come in order above
	own    *lane.Ticket // in the request's own lane; nil: it takes no turn there
	upper  *lane.Ticket // above; nil until it has one
	below  *reservation // of own; nil if nothing is shared
	above  *reservation // of upper; nil if nothing is shared
}

// Way returns the way of a request by terms that has a ticket in the lane of key. If ticket is nil, the
// request takes no turn there. If group is nil, there is no lane above.
func (l *Lanes) Way(key Key, terms lane.Terms, ticket *lane.Ticket, group *Group, called Called) *Way {
	w := &Way{lanes: l, called: called, key: key, group: group, own: ticket}
	if ticket != nil {
		w.below = l.reservation(key, called)
		l.LetGoFirst(ticket, key, called)
	}
	if group == nil {
		if w.below != nil {
			w.below.queues = &l.queues
		}
		return w
	}
	w.terms = group.Terms
	w.terms.Joins, w.terms.Many, w.terms.Silent = true, true, terms.Silent
	l.Complete(&w.terms)
	w.terms.MaxWait, w.terms.MaxQueue = 0, math.MaxInt
	if ticket != nil {
		w.terms.MaxWait = terms.MaxWait
		if terms.MaxQueue <= 0 {
			w.terms.MaxQueue = terms.MaxQueue
		}
	}
	if w.below != nil {
		w.below.inGroup = w.reserves()
	}
	return w
}

// reserves reports whether the turn above has a start that is reserved.
func (w *Way) reserves() bool { return w.terms.Reserved && !w.terms.Free() }

// Leave gives up the ticket and its reservation, unless the ticket has connected. It may be called
// again.
func (w *Way) Leave() {
	w.leaveUpper()
	w.below.giveBack()
	if w.own != nil {
		w.own.Leave()
	}
}

// leaveUpper gives up the ticket above and its reservation. It may be called again.
func (w *Way) leaveUpper() {
	if w.upper != nil {
		w.upper.Leave()
		w.above.giveBack()
		w.upper = nil
	}
}

// StepAside gives up the ticket above until the request has been judged again. Then the request goes
// ahead of others. polite may have to ask for robots.txt first, which takes a turn above, too.
func (w *Way) StepAside() {
	w.ahead = w.ahead || w.upper != nil
	w.leaveUpper()
}

// Ahead lets the request go before those that come in order above.
func (w *Way) Ahead() { w.ahead = true }

// Wait waits until there is something to do, and reserves what the request needs meanwhile. It returns
// lane.Connect if both turns have come, lane.Look if it is time to look at the rules, lane.Front as
// lane.Ticket.Wait does, lane.Tell or lane.Quiet if it is time to tell of the wait, and any other step if it is to be
// called again. changed, due and the error are those of lane.Ticket.Wait.
func (w *Way) Wait(ctx context.Context, changed <-chan struct{}, due time.Duration) (lane.Step, error) {
	if w.upper != nil && !w.own.Ready() {
		w.leaveUpper() // it has to wait below again
	}
	step, err := w.own.Wait(ctx, changed, due)
	if err == nil {
		step, err = w.wait(ctx, step, changed, due)
	}
	if err != nil {
		return step, w.Both(err)
	}
	if step == lane.Reserve {
		w.ahead, w.below.aboveWait = true, w.takes()
		err = w.below.take(ctx, w.own)
	}
	return step, err
}

// Long returns the state of the lane that keeps a request waiting for long, after Wait has returned
// lane.Tell. It also reports whether to tell of it.
func (w *Way) Long() (key Key, s lane.State, tell bool) {
	key = w.key
	if s, tell = w.own.Long(); tell && (s.Cause == lane.Above || s.Cause == lane.Reserved && w.upper != nil) {
		key = w.group.Lane
		s, tell = w.lanes.Long(key)
	}
	return key, s, tell
}

// Quiet returns the state of the lane that keeps a request waiting, after Wait has returned lane.Quiet. It
// reports whether to tell of it.
func (w *Way) Quiet() (key Key, s lane.State, tell bool) {
	if key = w.key; w.upper != nil {
		key = w.group.Lane
	}
	s, _ = w.lanes.State(key)
	return key, s, s.AwaitsAnswer()
}

// Connect begins both turns, and reports whether it could. The error is that of Refresh: a break may
// have begun since the start was reserved.
func (w *Way) Connect(ctx context.Context) (bool, error) {
	if err := w.lanes.Refresh(ctx, w.key, w.called); err != nil {
		return false, err
	}
	if !w.own.Connect(w.upper) {
		return false, nil
	}
	w.below.assign(w.own)
	if above := w.own.Above(); above != nil {
		w.above.assign(above)
	}
	return true, nil
}

// wait waits for the turn above of a request that can do step in its own lane. It returns step
// if the request can do it now: if it is to Reserve below, once it is the first above (at once if
// nothing is reserved there), and if it is to Connect, once its turn above has come. If something else
// comes before, wait returns what to do: lane.Look, lane.Front, lane.Tell, lane.Quiet, or lane.Below. changed and due
// are those of lane.Ticket.Wait.
func (w *Way) wait(ctx context.Context, step lane.Step, changed <-chan struct{}, due time.Duration) (lane.Step, error) {
	if w.group == nil || step == lane.Look || step == lane.Front || step == lane.Tell || step == lane.Quiet || w.own != nil && step == lane.Reserve && !w.reserves() {
		return step, nil
	}
	if err := w.join(ctx); err != nil {
		return step, err
	}
	for {
		next, err := w.upper.Wait(ctx, changed, due)
		switch {
		case err != nil || next == lane.Look || next == lane.Tell || next == lane.Quiet || next == lane.Below:
			return next, err
		case next == lane.Connect || step == lane.Reserve:
			return step, nil
		}
		if ok, err := w.reserve(ctx); err != nil || !ok {
			w.leaveUpper()
			return lane.Below, err
		}
	}
}

// reserve reserves a start above if it can, and moves the start below there. It reports whether
// nothing is in the way.
func (w *Way) reserve(ctx context.Context) (ok bool, err error) {
	reserves := w.below != nil && w.below.givenToTicket
	if reserves {
		w.above.floor = w.below.start.From
		w.above.aboveWait = plainSlack // for the call that moves the start below
		w.above.extraSlack = w.above.aboveWait
	}
	if err := w.above.take(ctx, w.upper); err != nil || !w.above.givenToTicket || !reserves {
		return err == nil, err
	}
	return w.below.fit(ctx, w.own, w.above.start)
}

func (w *Way) join(ctx context.Context) (err error) {
	if w.upper == nil {
		if w.upper, err = w.lanes.JoinAbove(ctx, w.group.Lane, w.terms, w.own, w.ahead); err == nil {
			w.above = w.lanes.reservation(w.group.Lane, w.called)
			w.lanes.LetGoFirst(w.upper, w.group.Lane, w.called)
		}
	}
	return err
}

// First waits until the request is the first above. Then the request only has to reserve its start.
func (w *Way) First(ctx context.Context) error {
	_, err := w.wait(ctx, lane.Reserve, nil, 0)
	return err
}

// Take waits for the turn above of a request that takes no turn in its own lane. Without a Group,
// the ticket is nil.
func (w *Way) Take(ctx context.Context) (*lane.Ticket, error) {
	if w.group == nil {
		return nil, nil
	}
	defer w.leaveUpper()
	for {
		if _, err := w.wait(ctx, lane.Connect, nil, 0); err != nil {
			return nil, err
		}
		if w.upper.Connect(nil) {
			w.above.assign(w.upper)
			return w.upper, nil
		}
	}
}

// Late returns an error if the turn above is sure to come too late. The error says when both turns
// would have come.
func (w *Way) Late(ctx context.Context) error {
	if w.group == nil {
		return nil
	}
	return w.Both(w.lanes.Late(ctx, w.group.Lane, w.terms))
}

// Both returns err. If err says when to come back, Both makes this no earlier than the turn above.
func (w *Way) Both(err error) error {
	if late, ok := err.(*lane.LateError); ok {
		late.Turn = w.Later(late.Turn)
	}
	return err
}

// Later returns turn, or the time of the turn above if this is later.
func (w *Way) Later(turn time.Time) time.Time {
	if w.group == nil {
		return turn
	}
	if above, _ := w.lanes.Next(w.group.Lane, w.terms); above.After(turn) {
		return above
	}
	return turn
}

// takes returns about how long the turn above may take to come.
func (w *Way) takes() time.Duration {
	if w.upper == nil {
		return 0
	}
	far := w.upper.ReservedAhead()
	return w.terms.Gap + far + far/2
}
