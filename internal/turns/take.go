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
	Hooks  Hooks
}

// Hooks are called when something happens. None is nil.
type Hooks struct {
	Called Called
	Break  func(o origin.Origin, status int, until time.Time)          // an answer has begun a break
	Limit  func(o origin.Origin, s limit.State)                        // an incident has begun, goes on, or is over
	Long   func(ctx context.Context, o origin.Origin, until time.Time) // requests begin to wait for long
}

// Begin hands on a request judged by v if it has nothing to wait for, and reports whether
// this is so. It mostly is.
func (t *Taker) Begin(to *Site, v *judge.Verdict) (pace.Pass, bool) {
	if _, spaced := v.Rules.CrawlDelay(); spaced || !to.Pace.Terms.Free() || !t.Lanes.knows(to.Lane) || t.Lanes.differs() {
		return pace.Pass{}, false
	}
	terms := to.Pace.Terms
	terms.Reserved = t.Lanes.turns != nil
	return t.Lanes.local.Begin(to.Lane, terms, t.came(v))
}

// came returns when a request judged by v came.
func (t *Taker) came(v *judge.Verdict) pace.Arrival {
	switch {
	case t.Delays():
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
	} else if pass, ok := local.Begin(to.Lane, terms, t.came(v)); ok {
		t.Memory.Trim()
		return pass, nil
	} else {
		place, err = local.Join(ctx, to.Lane, terms)
	}
	if err != nil {
		return pace.Pass{}, err
	}
	turn, err := t.wait(ctx, to, v, place, waits, again)
	return pace.Pass{Turn: turn}, err
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

// wait waits at a place in the queue of a lane.
func (t *Taker) wait(ctx context.Context, to *Site, v *judge.Verdict, place *pace.Place, waits func(time.Time), again func(bool) error) (*pace.Turn, error) {
	defer place.Leave()
	start := t.Lanes.reservation(to.Lane, t.Hooks.Called)
	defer start.giveBack() // if no turn has got it
	turn, long := place.Long(longWait)
	if long {
		t.Hooks.Long(ctx, to.Origin, turn)
	}
	waits(turn)
	for {
		step, err := place.Wait(ctx, v.Gone(), v.Recheck(t.Memory))
		switch {
		case err != nil:
			return nil, err
		case step == pace.Reserve:
			if err := start.take(ctx, place); err != nil {
				return nil, err
			}
		case step == pace.Begin && v.Current(t.Memory, to.Origin):
			if err := t.Lanes.Refresh(ctx, to.Lane, t.Hooks.Called); err != nil { // a break may have begun since the start was reserved
				return nil, err
			}
			if turn, ok := place.Start(); ok {
				start.hand(turn)
				return turn, nil
			}
		default:
			if err := again(step == pace.Begin); err != nil {
				return nil, err
			}
			terms, err := t.terms(to, v)
			if err != nil {
				return nil, err
			}
			place.Update(terms)
		}
	}
}

// terms returns how a request judged by v takes its turn. If the site asks for too
// long a crawl-delay, the error is when to ask again.
func (t *Taker) terms(to *Site, v *judge.Verdict) (pace.Terms, error) {
	terms := to.Pace.Terms
	terms.Reserved = t.Lanes.turns != nil
	if terms.Reserved && (t.Lanes.differs() || !t.Lanes.watch.hears()) { // others may keep a gap
		terms.Gap = max(terms.Gap, leastGap)
	}
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

// leastGap is that of a request that asks for none. Turns keeps the gaps of others before it and
// after it.
const leastGap = time.Microsecond

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
	Limit      limit.State   // what the site bears; zero if nobody looks for it
}

// Next returns how a request judged by v would take its turn now.
func (t *Taker) Next(to *Site, v *judge.Verdict) (n Next) {
	if to.Pace.Terms.Limit {
		n.Limit = t.Lanes.local.Limit(to.Lane)
	}
	n.CrawlDelay, _ = v.Rules.CrawlDelay()
	gap, refuse := to.Pace.Gap(n.CrawlDelay)
	if refuse {
		n.Start = t.refusedUntil(v, n.CrawlDelay)
		return n
	}
	terms := to.Pace.Terms
	terms.Reserved, terms.Gap = t.Lanes.turns != nil, gap
	var start time.Time
	if start, n.Gap = t.Lanes.local.Next(to.Lane, terms); start.After(time.Now()) {
		n.Start = start
	}
	return n
}

// NextOfAll returns when the next start in a lane with that gap comes, as far as Turns
// knows. If Turns fails or knows no later one, it is zero.
func (t *Taker) NextOfAll(ctx context.Context, to *Site, gap time.Duration) time.Time {
	return t.Lanes.next(ctx, to.Lane, gap, t.Hooks.Called)
}
