package pace

import (
	"context"
	"errors"
	"time"

	"github.com/go-polite/polite/internal/limit"
)

// A request can take its turn in two lanes, one above the other. Many lanes are below one: the
// origins at an address. The request takes a place above once its own lane has nothing more
// for it to wait for, and keeps its place there. So no lane above waits for a lane below,
// and the lanes below have their turns above one after the other. Both turns begin at
// once. At the gate, the turn above passes last.
//
// Who locks both lanes locks the lane below first.

// Ready reports whether w has something to do in its own lane now.
func (w *Place) Ready() bool {
	l := w.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queue.first != w || !l.slot(w.terms) || l.gate.goesFirst() {
		return false
	}
	now := time.Now()
	at, _ := w.first(now)
	return !at.After(now)
}

// Far returns how long before their windows those of the lane were reserved of late.
func (w *Place) Far() time.Duration {
	w.lane.mu.Lock()
	defer w.lane.mu.Unlock()
	return w.lane.far
}

// woken returns what tells that something has changed for w, which may be nil.
func (w *Place) woken() <-chan struct{} {
	if w == nil {
		return nil
	}
	return w.wake
}

// startAbove is Start for a place that may be nil.
func (w *Place) startAbove() (turn *Turn, ok bool) {
	if w == nil {
		return nil, true
	}
	return w.Start()
}

// Above returns the turn in the lane above, or nil.
func (t *Turn) Above() *Turn { return t.above }

// join joins t to the turn above, which may be nil.
func (t *Turn) join(above *Turn) {
	if t.above = above; above != nil && t.window.reserved() {
		t.tied, above.tied = true, true
	}
}

// bindAbove joins the turn above to the request. The rules are a matter of the lane below.
func (t *Turn) bindAbove(b Binding) {
	if t.above != nil {
		b.Changed, b.Release = nil, nil
		t.above.Bind(b)
	}
}

// hasConnection notes that the connection is ready, for a turn above, which comes to its own gate
// later. t may be nil.
func (t *Turn) hasConnection() {
	if t == nil {
		return
	}
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	if t.stage == connects {
		t.arrive(time.Now())
	}
}

// passAbove lets the turn above pass its gate, and reports whether it has. It waits there without
// the lock of t, and keeps the place of t at its own gate.
func (t *Turn) passAbove(ctx context.Context, streams bool) (passed bool, err error) {
	t.lane.gate.add(t)
	t.lane.mu.Unlock()
	err = t.above.Connected(ctx, streams)
	if t.lane.mu.Lock(); err == errMissed {
		return false, t.bookBoth(ctx)
	}
	return err == nil, err
}

// errMissed says that a turn above has missed its start.
var errMissed = errors.New("the start was missed")

// mostBooks is how often a turn tries to reserve two starts that go together before it goes on with
// what it has.
const mostBooks = 3

// bookBoth reserves another start for t, and one above that goes with it. A turn above leaves this
// to the turn below.
func (t *Turn) bookBoth(ctx context.Context) error {
	if t.above == nil {
		return errMissed
	}
	var from time.Time
	for range mostBooks {
		if err := t.bookAgain(ctx, from); err != nil || t.booking == nil {
			return err
		}
		above, err := t.bookAbove(ctx)
		if err != nil || t.window.meets(above) {
			return err
		}
		from = above.From
	}
	return nil
}

// bookAbove returns the window of the turn above. If it does not go with that of t, it reserves
// another first, without the lock of t.
func (t *Turn) bookAbove(ctx context.Context) (Window, error) {
	own, above := t.window, t.above
	t.lane.mu.Unlock()
	defer t.lane.mu.Lock()
	above.lane.mu.Lock()
	defer above.lane.mu.Unlock()
	if above.booking == nil || above.window.meets(own) && !above.missed(time.Now()) {
		return above.window, nil
	}
	err := above.bookAgain(ctx, own.From)
	return above.window, err
}

// meets reports whether a turn can begin in both windows.
func (w Window) meets(other Window) bool {
	from := later(w.From, other.From).Add(margin)
	return !from.After(w.Until) && !from.After(other.Until)
}

// Writing is called when the request is about to be written, after Connected.
func (t *Turn) Writing() {
	if t.writing(); t.above != nil {
		t.above.writing()
	}
}

// Wrote is called when the request is written. This may be some time after Connected, if
// the process stood still. Wrote returns how long after its window this is.
func (t *Turn) Wrote() (late time.Duration) {
	if late = t.wrote(); t.above != nil {
		late = max(late, t.above.wrote())
	}
	return late
}

// AnsweredAbove tells the turn above what came of the request, if there is one. Call it before
// Answered.
func (t *Turn) AnsweredAbove(answer Answer) Outcome {
	if t == nil || t.above == nil {
		return Outcome{}
	}
	if t.Failure() != nil {
		return t.above.Answered(Answer{}) // the server has not seen it
	}
	return t.above.Answered(answer.above(t.witness()))
}

// witness returns what a bad answer to the request says of the others in the lane above.
func (t *Turn) witness() limit.Witness {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.lane.bears.limit.Witness()
}
