// Package turns joins the requests of a Transport to their lanes, which package fleet has. It makes the
// terms of a request from its Pace and from robots.txt. It has the request judged again if the rules
// change meanwhile, and tells the lane what its answer says.
//
//	site.go    where a request goes, and the Pace there
//	take.go    a request waits for its turn, or one for robots.txt, which takes a turn in the lane above alone
//	learn.go   its answer: Retry-After, quota, good or bad
//	page.go    its body: the page of a wall, which the header did not say
//	rehearsal.go  when requests of a dry run would have had their turns
package turns

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/judge"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/send"
)

// A Taker takes turns for the requests of a Transport, in lanes that others may share. It
// is safe for concurrent use.
type Taker struct {
	Lanes  *fleet.Lanes
	Memory *answers.Reader
	Delays func() bool // reports whether Base may not write a request at once
	Tells  func() bool // reports whether Base tells when it has connected
	Hooks  Hooks
}

// Hooks are called when something happens. None but Long and Quiet is nil; they are both nil, or neither.
type Hooks struct {
	Called fleet.Called
	Break  func(o origin.Origin, status int, until time.Time)                      // an answer has begun a break
	Block  func(req *http.Request, status int, kind limit.Kind)                    // an answer looks like a block: 403, or a challenge
	Limit  func(o origin.Origin, s limit.State, group bool)                        // an incident of a site, or of its Group, has begun, goes on, or is over
	Long   func(ctx context.Context, o origin.Origin, key fleet.Key, s lane.State) // a request has waited for LongWait, because of this lane; nil: nobody is told
	Quiet  func(ctx context.Context, o origin.Origin, key fleet.Key, s lane.State) // a request waits, and those under way in this lane have had no answer for lane.QuietTime
}

// Begin hands on a request judged by v if it has nothing to wait for, and reports whether
// this is so. It mostly is.
func (t *Taker) Begin(to *Site, v *judge.Verdict) (lane.Admission, bool) {
	if _, spaced := v.Rules.CrawlDelay(); spaced || to.Group != nil || !to.Pace.Terms.Free() || !t.Lanes.Knows(to.Lane) || t.Lanes.Differs() {
		return lane.Admission{}, false
	}
	terms := to.Pace.Terms
	terms.Reserved, terms.Shares = t.Lanes.Shared(), t.Lanes.SharesCeilings()
	a, ok := t.Lanes.Begin(to.Lane, terms, t.came(v))
	t.Lanes.LetGoFirst(a.Ticket, to.Lane, t.Hooks.Called)
	return a, ok
}

// came returns when a request judged by v came.
func (t *Taker) came(v *judge.Verdict) lane.Arrival {
	switch {
	case t.Delays(), t.Lanes.Mixed():
		return lane.Arrival{At: v.Found.At, Idle: math.MaxInt64}
	case v.Known == nil:
		return lane.Arrival{}
	default:
		return lane.Arrival{At: v.Found.At, Idle: v.Found.Idle}
	}
}

// Calls are the functions that Take calls while a request waits. It holds no lock then.
type Calls struct {
	Waits func(start time.Time) // the request begins to wait, until about start

	// Again judges the request once more: the rules have changed, or its turn has come, but what it
	// was judged by is out of date.
	Again func(come bool) error

	// Pace fills in the Pace of the Site as it is now. Take calls it once, when the request is the
	// first in its lane. Nil: the Pace stays as it is.
	Pace func()
}

// Take waits for the turn of a request judged by v. If back is not nil, it is the ticket of a request
// that was sent back: this request goes before all others. The error is a *lane.LateError if the turn
// comes too late.
func (t *Taker) Take(ctx context.Context, to *Site, v *judge.Verdict, back *lane.Ticket, calls Calls) (lane.Admission, error) {
	terms, err := t.terms(to, v)
	if err != nil {
		return lane.Admission{}, err
	}
	if err := t.askForBreak(ctx, to, terms); err != nil {
		return lane.Admission{}, err
	}
	var ticket *lane.Ticket
	if back != nil {
		ticket, err = t.Lanes.Rejoin(ctx, to.Lane, terms, back)
	} else if admission, ok := t.begin(to, v, terms); ok {
		t.Memory.Trim()
		return admission, nil
	} else {
		ticket, err = t.Lanes.Join(ctx, to.Lane, terms)
	}
	way := t.Lanes.Way(to.Lane, terms, ticket, to.Group, t.Hooks.Called)
	if err != nil {
		return lane.Admission{}, way.Both(err)
	}
	defer way.Leave() // unless the ticket has connected
	if back != nil {
		way.Ahead()
	}
	if err := t.wait(ctx, to, v, ticket, way, calls); err != nil {
		return lane.Admission{}, err
	}
	return lane.Admission{Ticket: ticket}, nil
}

// begin hands on a request by terms if it has nothing to wait for, and reports whether this is so. A
// request with a turn above always joins the line.
func (t *Taker) begin(to *Site, v *judge.Verdict, terms lane.Terms) (lane.Admission, bool) {
	if to.Group != nil {
		return lane.Admission{}, false
	}
	return t.Lanes.Begin(to.Lane, terms, t.came(v))
}

// askForBreak asks Turns whether there is a break. If Turns fails, the error says to a
// request by terms when to come back.
func (t *Taker) askForBreak(ctx context.Context, to *Site, terms lane.Terms) error {
	err := t.Lanes.Refresh(ctx, to.Lane, t.Hooks.Called)
	if late, ok := err.(*lane.LateError); ok {
		late.Turn = t.Lanes.Promise(to.Lane, terms, late.Turn, late.Cause)
		t.Memory.Trim()
	}
	return err
}

// wait waits in the line of a lane, and for the turn above, until ticket has connected.
func (t *Taker) wait(ctx context.Context, to *Site, v *judge.Verdict, ticket *lane.Ticket, way *fleet.Way, calls Calls) error {
	if err := way.Late(ctx); err != nil {
		return err
	}
	if t.Hooks.Long != nil {
		ticket.TellAfter(LongWait)
	}
	if calls.Pace != nil {
		ticket.TellFront()
	}
	calls.Waits(way.Later(ticket.Turn()))
	for {
		step, err := way.Wait(ctx, v.Gone(), v.Recheck(t.Memory))
		connected := false
		switch {
		case err != nil:
		case step == lane.Connect && v.Current(t.Memory, to.Origin):
			connected, err = way.Connect(ctx)
		case step == lane.Front:
			calls.Pace()
			err = t.update(to, v, ticket)
		case step == lane.Tell:
			if key, state, tell := way.Long(); tell {
				t.Hooks.Long(ctx, to.Origin, key, state)
			}
		case step == lane.Quiet:
			if key, state, tell := way.Quiet(); tell {
				t.Hooks.Quiet(ctx, to.Origin, key, state)
			}
		case step == lane.Connect, step == lane.Look:
			way.StepAside()
			if err = calls.Again(step == lane.Connect); err == nil {
				err = t.update(to, v, ticket)
			}
		}
		if connected || err != nil {
			return err
		}
	}
}

// LongWait is how long a request has waited when Hooks.Long is called.
const LongWait = time.Minute

// Keeps returns what keeps a request judged by v that has no ticket: the state of its lane, or that of its
// Group, with the key. It also reports whether the request has a gap, and needs a start that is reserved.
func (t *Taker) Keeps(to *Site, v *judge.Verdict) (key fleet.Key, state lane.State, reserves bool) {
	terms, _ := t.terms(to, v)
	key = to.Lane
	state, reserves = t.Lanes.Keeps(key, terms)
	spaced := state.Gap > 0
	if g := to.Group; g != nil {
		terms := g.Terms
		t.Lanes.Complete(&terms)
		above, reservesAbove := t.Lanes.Keeps(g.Lane, terms)
		if reserves = reserves || reservesAbove; above.Cause != lane.NoCause && (state.Cause == lane.NoCause || state.Cause == lane.Above) {
			key, state = g.Lane, above
		}
		spaced = spaced || above.Gap > 0
	}
	return key, state, reserves && spaced
}

// TellLong tells that a request without a ticket waits for long, in the lane of key.
func (t *Taker) TellLong(ctx context.Context, o origin.Origin, key fleet.Key, s lane.State) {
	if t.Hooks.Long != nil && t.Lanes.Logs(key, s.Cause) {
		t.Hooks.Long(ctx, o, key, s)
	}
}

// update lets the request wait by the rules and the Pace that are known now.
func (t *Taker) update(to *Site, v *judge.Verdict, ticket *lane.Ticket) error {
	terms, err := t.terms(to, v)
	if err == nil {
		ticket.Update(terms)
	}
	return err
}

// terms returns how a request judged by v takes its turn. If the site asks for too
// long a crawl-delay, the error is when to ask again.
func (t *Taker) terms(to *Site, v *judge.Verdict) (lane.Terms, error) {
	terms := to.Pace.Terms
	terms.Joins, terms.Silent = to.Group != nil, !t.Tells()
	t.Lanes.Complete(&terms)
	delay, ok := v.Rules.CrawlDelay()
	if !ok {
		return terms, nil
	}
	gap, refuse := to.Pace.Gap(delay)
	if refuse {
		why := fmt.Sprintf("the site asks for a delay of %v, and MaxDelay is %v", delay, to.Pace.MaxDelay)
		return terms, &lane.LateError{Turn: t.refusedUntil(v, delay), Cause: lane.TooLong, Why: why}
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

// above returns the way of a request that takes no turn in its own lane.
func (t *Taker) above(to *Site) *fleet.Way {
	return t.Lanes.Way(to.Lane, to.Pace.Terms, nil, to.Group, t.Hooks.Called)
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
	terms.Reserved, terms.Gap = t.Lanes.Shared(), gap
	var start time.Time
	start, n.Gap = t.Lanes.Next(to.Lane, terms)
	if to.Group != nil {
		n.Gap = max(n.Gap, to.Group.Gap())
	}
	if above := t.above(to).Later(start); above.After(time.Now()) {
		n.Start = above
	}
	return n
}

// limit fills in what the site or its Group bears.
func (t *Taker) limit(to *Site, n *Next) {
	if to.Pace.Terms.Limit {
		n.Limit = t.Lanes.Limit(to.Lane)
	}
	if g := to.Group; g != nil && g.FindsLimit() {
		if above := t.Lanes.Limit(g.Lane); max(above.Break, above.Gap) > max(n.Limit.Break, n.Limit.Gap) {
			n.Limit, n.OfGroup = above, true
		}
	}
}

// NextOfAll returns when the next start in a lane with a gap comes, as far as Turns knows. It is zero
// if Turns fails or knows no later start.
func (t *Taker) NextOfAll(ctx context.Context, to *Site, gap time.Duration) time.Time {
	start := t.Lanes.NextOfAll(ctx, to.Lane, gap, t.Hooks.Called)
	if g := to.Group; g != nil {
		if above := t.Lanes.NextOfAll(ctx, g.Lane, g.Gap(), t.Hooks.Called); above.After(start) {
			start = above
		}
	}
	return start
}

// ComeBack returns when a request that is refused before its rules are known should come back, at turn
// or later. So not all such requests come back at the same time.
func (t *Taker) ComeBack(to *Site, turn time.Time) time.Time {
	defer t.Memory.Trim()
	return t.Lanes.Promise(to.Lane, to.Pace.Terms, t.Later(to, turn), lane.Full)
}

// Later returns turn, or when a turn above could begin if that is later.
func (t *Taker) Later(to *Site, turn time.Time) time.Time { return t.above(to).Later(turn) }

// WayOfRobots returns the way of a request for robots.txt, which takes no turn in its own lane. If
// ahead, it goes before the requests that come in order.
func (t *Taker) WayOfRobots(to *Site, ahead bool) *fleet.Way {
	way := t.above(to)
	if ahead {
		way.Ahead()
	}
	return way
}

// GuardRobots returns the Guard of the requests for the robots.txt of a site. Each takes a turn above.
// first is the ticket of the first request, or nil. The further requests go ahead of those that came in
// order, since the fetch must be over soon.
func (t *Taker) GuardRobots(to *Site, first *lane.Ticket, stopped func() error) *send.Guard {
	guard := t.Lanes.Guard(to.Lane, stopped)
	if to.Group == nil {
		return guard
	}
	var own atomic.Pointer[lane.Ticket]
	own.Store(first)
	guard.Take = func(ctx context.Context) (*lane.Ticket, error) {
		if ticket := own.Swap(nil); ticket != nil {
			return ticket, nil
		}
		return t.WayOfRobots(to, true).Take(ctx)
	}
	return guard
}
