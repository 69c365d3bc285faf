package turns

import (
	"context"
	"fmt"
	"time"

	"github.com/go-polite/polite/internal/judge"
	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/memory"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/pace"
)

// A Taker takes turns for the requests of a Transport, in lanes that others may share. It
// is safe for concurrent use.
type Taker struct {
	Lanes  *Lanes
	Memory *memory.Reader
	Delays func() bool // reports whether Base may not write a request at once
	Tells  func() bool // reports whether Base tells when it has connected
	Hooks  Hooks
}

// Hooks are called when something happens. None is nil.
type Hooks struct {
	Called Called
	Break  func(o origin.Origin, status int, until time.Time)          // an answer has begun a break
	Limit  func(o origin.Origin, s limit.State, group bool)            // an incident has begun, goes on, or is over: of its Group, or its own
	Long   func(ctx context.Context, o origin.Origin, until time.Time) // requests begin to wait for long
}

// Begin hands on a request judged by v if it has nothing to wait for, and reports whether
// this is so. It mostly is.
func (t *Taker) Begin(to *Site, v *judge.Verdict) (pace.Pass, bool) {
	if _, spaced := v.Rules.CrawlDelay(); spaced || to.Group != nil || !to.Pace.Terms.Free() || !t.Lanes.knows(to.Lane) || t.Lanes.differs() {
		return pace.Pass{}, false
	}
	terms := to.Pace.Terms
	terms.Reserved = t.Lanes.turns != nil
	return t.Lanes.local.Begin(to.Lane, terms, t.came(v))
}

// came returns when a request judged by v came.
func (t *Taker) came(v *judge.Verdict) pace.Arrival {
	switch {
	case t.Delays(), t.Lanes.mixed():
		return pace.Arrival{At: v.Found.At, Idle: longest}
	case v.Known == nil:
		return pace.Arrival{}
	default:
		return pace.Arrival{At: v.Found.At, Idle: v.Found.Idle}
	}
}

// Take waits for the turn of a request judged by v. If back is not nil, it is the turn that
// was sent back: the request goes before all others. Before the request waits, Take calls
// waits with the estimated start. It calls again when the request must be judged once more:
// when the rules have changed, or when its turn has come but v is out of date. The error is a
// *pace.LateError if the turn comes too late.
func (t *Taker) Take(ctx context.Context, to *Site, v *judge.Verdict, back *pace.Turn, waits func(start time.Time), again func(come bool) error) (pace.Pass, error) {
	terms, err := t.terms(to, v)
	if err != nil {
		return pace.Pass{}, err
	}
	if err := t.askForBreak(ctx, to, terms); err != nil {
		return pace.Pass{}, err
	}
	local := t.Lanes.local
	var place *pace.Place
	if back != nil {
		place, err = local.Rejoin(ctx, to.Lane, terms, back)
	} else if pass, ok := t.begin(to, v, terms); ok {
		t.Memory.Trim()
		return pass, nil
	} else {
		place, err = local.Join(ctx, to.Lane, terms)
	}
	up := t.Lanes.upper(to, place, t.Hooks.Called)
	if err != nil {
		return pace.Pass{}, up.both(err)
	}
	up.ahead, up.terms.Silent = back != nil, terms.Silent
	turn, err := t.wait(ctx, to, v, place, up, waits, again)
	return pace.Pass{Turn: turn}, err
}

// begin hands on a request by terms if it has nothing to wait for, and reports whether this is
// so. Who takes a turn above, too, takes a place.
func (t *Taker) begin(to *Site, v *judge.Verdict, terms pace.Terms) (pace.Pass, bool) {
	if to.Group != nil {
		return pace.Pass{}, false
	}
	return t.Lanes.local.Begin(to.Lane, terms, t.came(v))
}

// askForBreak asks Turns whether there is a break. If Turns fails, the error says to a
// request by terms when to come back.
func (t *Taker) askForBreak(ctx context.Context, to *Site, terms pace.Terms) error {
	err := t.Lanes.Refresh(ctx, to.Lane, t.Hooks.Called)
	if late, ok := err.(*pace.LateError); ok {
		late.Turn = t.Lanes.local.Promise(to.Lane, terms, late.Turn)
		t.Memory.Trim()
	}
	return err
}

// wait waits at a place in the queue of a lane, and for the turn above.
func (t *Taker) wait(ctx context.Context, to *Site, v *judge.Verdict, place *pace.Place, up *Upper, waits func(time.Time), again func(bool) error) (*pace.Turn, error) {
	defer place.Leave()
	start := t.Lanes.reservation(to.Lane, t.Hooks.Called)
	defer start.giveBack() // if no turn has got it
	defer up.Leave()
	start.below, up.below = up.reserves(), &start
	if err := up.late(ctx); err != nil {
		return nil, err
	}
	turn, long := place.Long(longWait)
	if long {
		t.Hooks.Long(ctx, to.Origin, turn)
	}
	waits(up.later(turn))
	for {
		step, err := t.next(ctx, v, place, up)
		switch {
		case err != nil:
		case step == pace.Below: // that is next
		case step == pace.Reserve:
			up.ahead, start.wide = true, up.takes()
			err = start.take(ctx, place)
		case step == pace.Begin && v.Current(t.Memory, to.Origin):
			turn, err := t.start(ctx, to, place, up, &start)
			if turn != nil || err != nil {
				return turn, err
			}
		default:
			err = t.lookAgain(to, v, place, up, func() error { return again(step == pace.Begin) })
		}
		if err != nil {
			return nil, err
		}
	}
}

// next waits until there is something to do, and returns what.
func (t *Taker) next(ctx context.Context, v *judge.Verdict, place *pace.Place, up *Upper) (pace.Step, error) {
	up.stepAside()
	step, err := place.Wait(ctx, v.Gone(), v.Recheck(t.Memory))
	if err == nil {
		step, err = up.wait(ctx, step, v.Gone(), v.Recheck(t.Memory))
	}
	return step, up.both(err)
}

// start begins the turn, and the turn above. If it cannot, the turn is nil.
func (t *Taker) start(ctx context.Context, to *Site, place *pace.Place, up *Upper, start *reservation) (*pace.Turn, error) {
	if err := t.Lanes.Refresh(ctx, to.Lane, t.Hooks.Called); err != nil { // a break may have begun since the start was reserved
		return nil, err
	}
	turn, ok := place.StartBelow(up.place)
	if !ok {
		return nil, nil
	}
	start.hand(turn)
	up.hand(turn)
	return turn, nil
}

// lookAgain lets the request be judged once more, and wait by what is known then.
func (t *Taker) lookAgain(to *Site, v *judge.Verdict, place *pace.Place, up *Upper, again func() error) error {
	up.goBack()
	if err := again(); err != nil {
		return err
	}
	terms, err := t.terms(to, v)
	if err == nil {
		place.Update(terms)
	}
	return err
}

// terms returns how a request judged by v takes its turn. If the site asks for too
// long a crawl-delay, the error is when to ask again.
func (t *Taker) terms(to *Site, v *judge.Verdict) (pace.Terms, error) {
	terms := to.Pace.Terms
	terms.Reserved, terms.Joins, terms.Silent = t.Lanes.turns != nil, to.Group != nil, !t.Tells()
	t.Lanes.heed(&terms)
	delay, ok := v.Rules.CrawlDelay()
	if !ok {
		return terms, nil
	}
	gap, refuse := to.Pace.Gap(delay)
	if refuse {
		why := fmt.Sprintf("the site asks for a delay of %v, until its robots.txt is asked for again", delay)
		return terms, &pace.LateError{Turn: t.refusedUntil(v, delay), Why: why}
	}
	terms.Gap = max(terms.Gap, gap)
	return terms, nil
}

// refusedUntil returns when to come back to a site that asks for too long a crawl-delay.
func (t *Taker) refusedUntil(v *judge.Verdict, delay time.Duration) time.Time {
	next, late := v.NextAsk(t.Memory), time.Now().Add(delay)
	if late.After(next) {
		return late
	}
	return next
}

// A Next is how the next request to a site would take its turn.
type Next struct {
	CrawlDelay time.Duration // of the site
	Gap        time.Duration // that is kept
	Start      time.Time     // zero if it can be now
	Limit      limit.State   // what the site bears, or its Group if that keeps the request for longer; zero if nobody looks for it
	OfGroup    bool          // Limit is that of the Group
}

// Next returns how a request judged by v would take its turn now.
func (t *Taker) Next(to *Site, v *judge.Verdict) (n Next) {
	t.limit(to, &n)
	n.CrawlDelay, _ = v.Rules.CrawlDelay()
	gap, refuse := to.Pace.Gap(n.CrawlDelay)
	if refuse {
		n.Start = t.refusedUntil(v, n.CrawlDelay)
		return n
	}
	terms := to.Pace.Terms
	terms.Reserved, terms.Gap = t.Lanes.turns != nil, gap
	var start time.Time
	start, n.Gap = t.Lanes.local.Next(to.Lane, terms)
	if above := t.Lanes.upper(to, nil, t.Hooks.Called).later(start); above.After(time.Now()) {
		n.Start = above
	}
	return n
}

// limit fills in what the site bears, or its Group.
func (t *Taker) limit(to *Site, n *Next) {
	if to.Pace.Terms.Limit {
		n.Limit = t.Lanes.local.Limit(to.Lane)
	}
	if g := to.Group; g != nil && g.Terms.Limit {
		if above := t.Lanes.local.Limit(g.Lane); max(above.Break, above.Gap) > max(n.Limit.Break, n.Limit.Gap) {
			n.Limit, n.OfGroup = above, true
		}
	}
}

// NextOfAll returns when the next start in a lane with that gap comes, as far as Turns
// knows. If Turns fails or knows no later one, it is zero.
func (t *Taker) NextOfAll(ctx context.Context, to *Site, gap time.Duration) time.Time {
	start := t.Lanes.next(ctx, to.Lane, gap, t.Hooks.Called)
	if g := to.Group; g != nil {
		if above := t.Lanes.next(ctx, g.Lane, g.Terms.Gap, t.Hooks.Called); above.After(start) {
			start = above
		}
	}
	return start
}
