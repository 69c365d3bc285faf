package fleet

import (
	"context"
	"crypto/rand"
	mathrand "math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/store"
)

const (
	// longestGap is the longest gap that is believed of others.
	longestGap = 30 * 24 * time.Hour

	// longestTold is longer than any time that Turns tells and that is of use.
	longestTold = 10 * 365 * 24 * time.Hour
)

// A reservation is what the first request of a lane reserves in Turns: a start, and a
// slot if it needs one.
type reservation struct {
	turns         store.Turns
	slack         *slack
	leases        *leases
	spares        *spares
	watch         *watch
	called        Called
	lane          string
	token         string // "" until something is reserved
	first         *first // the right to go first; nil if it needs none
	request       lane.StartRequest
	heldInStore   bool          // a start is reserved, and is to be kept
	ends          time.Time     // when this start is over
	slackThen     time.Duration // the slack of this start
	taken         time.Time     // when the slot was taken, at the earliest; zero if none is
	givenToTicket bool          // the ticket has a start
	lostThen      int64         // lost, when something was reserved last
	busy          int           // how often all slots were taken
	gap           time.Duration // that others keep
	ready         bool          // the connection is
	extraSlack    time.Duration // slack beside that for calls
	inGroup       bool          // there is a lane above
	aboveWait     time.Duration // how long the turn above may take
	ownLimit      time.Time     // the limit of the request; zero if there is none
	start         lane.Start    // that was reserved last
	floor         time.Time     // no start before it is of use; zero if there is none
	lose          func(error)   // ends the request

	queues    *queues         // nil: it waits in no queue of Turns
	turnComes <-chan struct{} // gets a value when a slot is kept for the token
	queued    bool            // the token waits in the queue
	turn      time.Time       // when it is likely to start; zero if nobody knows
	startless bool            // it has a slot, and no start yet
}

// take reserves what ticket needs. If this is not possible yet, it says when to retry. The
// error is a *lane.LateError if the start would come too late, or if nobody knows when it
// comes.
func (r *reservation) take(ctx context.Context, ticket *lane.Ticket) error {
	r.watch.hears() // who waits for a slot may do so for long, and is to hear of breaks meanwhile
	r.request = ticket.StartRequest()
	if r.givenToTicket && !r.request.Keep && r.watch.lost.Load() == r.lostThen { // the start was of no use
		r.lostStart()
	}
	if r.givenToTicket = false; r.inGroup {
		r.near(time.Now())
	}
	if r.token == "" && !r.request.First && r.spares.take(r) && r.givenToTicket {
		ticket.Reserve(r.start)
		return nil
	}
	start, wait, err := r.reserve(ctx)
	ticket.Hear(r.gap)
	if start, far := r.isFar(err); far {
		r.comeBack(ticket, start)
		return nil
	}
	if late, ok := err.(*lane.LateError); ok {
		late.Turn = ticket.Promise(late.Turn, late.Cause)
	}
	switch {
	case err != nil:
		return err
	case r.turnComes != nil:
		ticket.Await(r.turn, time.Now().Add(wait), r.turnComes)
	case wait > 0:
		ticket.Retry(time.Now().Add(wait))
	default:
		ticket.Reserve(start)
		r.givenToTicket = true
	}
	return nil
}

// reserve reserves a start, and a slot if one is needed. If not both can be had yet, it
// returns when to try again.
//
// The start begins with the wait counted from after the call, and ends with the wait
// counted from before it. So it is within the time that is reserved, whenever Turns has
// looked at its clock.
func (r *reservation) reserve(ctx context.Context) (start lane.Start, wait time.Duration, err error) {
	if wait, err := r.goFirst(ctx); err != nil || wait > 0 {
		return start, wait, err
	}
	if r.request.Gap > 0 && r.slack.asks() {
		if _, err := r.call(ctx, store.Ask{}); err != nil {
			return start, 0, err
		}
	}
	if r.token == "" {
		r.token = rand.Text()
	}
	lost, before := r.watch.lost.Load(), time.Now()
	r.lostThen = lost
	ask := r.ask(before)
	if ask.Queue {
		r.turnComes = r.queues.join(r.token)
	}
	grant, err := r.call(ctx, ask)
	after := time.Now()
	r.follow(grant.Queued && err == nil)
	if grant.Slot && err == nil {
		r.taken = before
	}
	r.ends = before.Add(grant.Wait + ask.Slack)
	if err != nil && ctx.Err() != nil { // Turns may have reserved it all the same
		r.heldInStore, r.slackThen, r.ends, r.givenToTicket = true, ask.Slack, after.Add(spareFor), false
	}
	if err != nil || !r.granted(ask, grant) {
		wait, err = r.refused(ask, grant, before, err)
		return start, wait, err
	}
	r.heldInStore, r.slackThen, r.startless = !grant.Startless, ask.Slack, grant.Startless
	start = lane.Start{From: after.Add(grant.Wait), Until: before.Add(grant.Wait + ask.Slack), Later: grant.Startless}
	if ask.Gap == 0 { // nobody waits for a time after this start
		start.Until = before.Add(slotLease / 2)
	}
	start.Void = func() bool { return r.watch.lost.Load() != lost }
	if ask.Slots > 0 {
		start.BeginBy = r.taken.Add(slotLease / 2)
	}
	if !r.watch.hears() {
		start.Early = r.slack.call() // to ask for a break
	}
	r.start = start
	return start, 0, nil
}

// release gives back the slot, or the place in the queue: another request may go first, and need the slot.
func (r *reservation) release() {
	if r.queued || !r.taken.IsZero() {
		r.follow(false)
		r.leases.give(r.lane, r.token, true, true, r.called)
		r.token, r.heldInStore, r.taken = "", false, time.Time{}
	}
}

// granted reports whether all is reserved that r needs.
func (r *reservation) granted(ask store.Ask, grant store.Grant) bool {
	late := grant.Late || ask.MaxWait > 0 && grant.Wait > ask.MaxWait
	return !late && !grant.Busy && (ask.Slots == 0 || grant.Slot)
}

// refused returns when to try again, or the error if there is no use in it.
func (r *reservation) refused(ask store.Ask, grant store.Grant, before time.Time, err error) (time.Duration, error) {
	switch {
	case err != nil:
		return 0, err
	case grant.Queued:
		r.heldInStore, r.turn = false, time.Time{}
		if !grant.Busy {
			r.turn = before.Add(grant.Wait)
		}
		return r.lookAgain(grant), nil
	case grant.Late, ask.MaxWait > 0 && grant.Wait > ask.MaxWait:
		return 0, &lane.LateError{Turn: before.Add(grant.Wait), Cause: lane.Deadline, Why: lane.CanWait(ask.MaxWait)}
	case grant.Busy && grant.Wait > ask.Slack+ask.Lead: // it pauses after a loss
		r.heldInStore = false
		return grant.Wait - ask.Slack - ask.Lead, nil
	case grant.Busy, grant.Wait <= ask.Slack:
		r.heldInStore = r.heldInStore && grant.Busy && grant.Wait > 0 // the start stays until it is over
		return r.nextLook(), nil
	default:
		r.heldInStore, r.slackThen = true, ask.Slack
		if near := grant.Wait - ask.Slack - ask.Lead; near > 0 {
			return near, nil
		}
		return grant.Wait - ask.Slack*3/4, nil // soon enough for another call
	}
}

// lookAgain returns when a token in the queue takes again if it is not called before.
func (r *reservation) lookAgain(grant store.Grant) time.Duration {
	switch {
	case !grant.Busy: // its start is far
		return max(grant.Wait-store.QueueAhead, firstLook)
	case !r.watch.hears(): // nor its call
		return r.nextLook()
	case grant.Lease < slotLease-renewEvery-giveFor: // nobody renews it: the holder may be dead
		return grant.Lease + firstLook + mathrand.N(10*firstLook)
	}
	r.busy++
	longest := min(slotLease<<min(r.busy, 2), store.QueueKeep/2)
	return longest/2 + mathrand.N(longest/2)
}

// nextLook returns when to look again, if nobody calls. A ticket looks less and less often, so that many that
// wait cost few calls. In a lane with a gap it looks more often, since a start is over soon.
func (r *reservation) nextLook() time.Duration {
	longest := longestLook
	if r.request.Gap > leastGap {
		longest /= 5
	}
	r.busy++
	look := min(firstLook<<min(r.busy, 10), longest)
	return look/2 + mathrand.N(look/2)
}

const (
	firstLook   = 5 * time.Millisecond
	longestLook = 400 * time.Millisecond
)

func (r *reservation) ask(now time.Time) store.Ask {
	ask := store.Ask{Token: r.token, Gap: r.request.Gap, Slots: r.request.Slots, Lease: slotLease, Lead: r.request.Lead, Slack: r.slackThen, Longest: r.request.Longest}
	if !r.heldInStore {
		ask.Slack, ask.NotBefore = r.slack.now(r.request.Gap)+r.extraSlack, max(clock.Later(r.request.From, r.floor).Sub(now), 0)
	}
	ask.Queue = r.queues != nil && ask.Slots > 0
	ask.Startless = ask.Queue && r.request.Varies
	if ask.Queue && !r.heldInStore && !r.watch.hears() { // it asks for breaks before it connects
		ask.NotBefore = max(ask.NotBefore, 2*r.slack.call())
	}
	if !r.request.Limit.IsZero() {
		ask.MaxWait = max(r.request.Limit.Sub(now), 1)
	}
	return ask
}

func (r *reservation) call(ctx context.Context, ask store.Ask) (store.Grant, error) {
	return r.callLane(ctx, r.lane, ask)
}

func (r *reservation) callLane(ctx context.Context, name string, ask store.Ask) (store.Grant, error) {
	asking, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	began := time.Now()
	grant, err := r.turns.Take(asking, name, ask)
	r.called(ctx, "take", began, err)
	if err == nil || ctx.Err() == nil {
		r.watch.health.turned(time.Since(began), err)
	}
	switch {
	case err == nil:
		r.leases.pay()
		r.slack.learn(began, time.Since(began)) // an outage says nothing of the calls after it
		grant.Wait = min(max(grant.Wait, ask.NotBefore), longestTold)
		r.gap = min(grant.Gap, longestGap)
		return grant, nil
	case ctx.Err() != nil:
		return grant, context.Cause(ctx)
	default:
		return grant, &lane.LateError{Turn: time.Now().Add(tryTurnsAgain), Cause: lane.Failed, Why: "its turn could not be reserved", Err: err}
	}
}

// tryTurnsAgain is when a request may try again after Turns has failed.
const tryTurnsAgain = time.Second

// assign gives what is reserved to a ticket that connects.
func (r *reservation) assign(ticket *lane.Ticket) {
	if r == nil || r.token == "" {
		return
	}
	own := *r
	kept := &lane.Reservation{Gap: own.request.Gap, Again: own.again, End: own.finish, Answered: own.first.end}
	own.lose = kept.Lose
	ticket.Keep(kept)
	if !own.taken.IsZero() {
		own.leases.add(own.token, own.lane, own.taken, own.lose)
	}
	r.token, r.first = "", nil
}

// again reserves another start for a request whose connection is ready too late. If the
// connection was there already when the last start was reserved, the slack was too small. If
// not, the site connects slowly, and this says nothing of other sites.
func (r *reservation) again(ctx context.Context, gap time.Duration, from time.Time) (lane.Start, error) {
	if r.ready {
		r.slack.missed()
	}
	r.lostStart()
	r.ready, r.request.Gap, r.request.From, r.request.Lead, r.request.Varies, r.extraSlack = true, gap, from, 0, false, r.aboveWait
	if r.inGroup {
		r.request.From = from.Add(-2 * r.slack.call())
	}
	r.request.Limit, _ = ctx.Deadline()
	for {
		start, wait, err := r.reserve(ctx)
		if err == nil && wait == 0 && !r.taken.IsZero() {
			r.leases.end(r.token)
			r.leases.add(r.token, r.lane, r.taken, r.lose)
		}
		if err != nil || wait == 0 {
			return start, err
		}
		if err := pause(ctx, wait, r.turnComes); err != nil {
			return start, err
		}
	}
}

// lostStart notes that the start of r is of no use.
func (r *reservation) lostStart() {
	r.heldInStore = false
	if !r.startless {
		r.watch.health.count(store.HealthLostStart, nil)
	}
}

// giveBack gives back what is reserved and was not used.
func (r *reservation) giveBack() {
	if r != nil {
		r.finish(true, true)
	}
}

// finish ends what is reserved. The start of a caller who has left is that of the next request of the lane.
// finish does not wait. If it fails, a turn is lost or a slot is free when its lease ends, and no harm
// is done.
func (r *reservation) finish(unused, left bool) {
	r.first.end()
	queued := r.queued
	r.follow(false)
	switch {
	case r.token == "":
	case unused && left && r.isSpare(time.Now()):
		r.leases.end(r.token)
		r.spares.add(*r)
	case unused, r.request.Slots > 0:
		r.leases.give(r.lane, r.token, unused, queued || r.heldInStore || !r.taken.IsZero(), r.called)
	}
	r.token = ""
}

// isSpare reports whether the start can be that of another request.
func (r *reservation) isSpare(now time.Time) bool {
	return r.heldInStore && r.request.Gap > 0 && r.ends.After(now) && r.watch.lost.Load() == r.lostThen
}

// spares are starts of requests that have gone. Each is that of the next request of its lane: the store
// can only free the last start of a lane, so callers who leave would keep all others from it. A
// spare that nobody takes is given back.
type spares struct {
	mu sync.Mutex
	of map[string][]*reservation // by lane
}

// spareFor is how long a spare waits for a request: until a worker that has given up asks again.
const spareFor = 100 * time.Millisecond

// add keeps the start of r, which has gone.
func (s *spares) add(r reservation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = make(map[string][]*reservation)
	}
	s.of[r.lane] = append(s.of[r.lane], &r)
	time.AfterFunc(spareFor, func() {
		if s.remove(&r) {
			r.leases.give(r.lane, r.token, true, true, r.called)
		}
	})
}

// remove removes a spare, and reports whether it was still there.
func (s *spares) remove(r *reservation) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.of[r.lane]
	i := slices.Index(all, r)
	if i < 0 {
		return false
	}
	if all = slices.Delete(all, i, i+1); len(all) == 0 {
		delete(s.of, r.lane)
	} else {
		s.of[r.lane] = all
	}
	return true
}

// take lets r have a spare that it can use. It reports whether there is one.
func (s *spares) take(r *reservation) bool {
	spare := s.find(r)
	if spare == nil || !s.remove(spare) {
		return false
	}
	r.token, r.heldInStore, r.slackThen, r.taken, r.lostThen = spare.token, true, spare.slackThen, spare.taken, spare.lostThen
	r.ends, r.start, r.givenToTicket = spare.ends, spare.start, spare.givenToTicket
	return true
}

// canUse reports whether a start is within what r can wait for.
func (r *reservation) canUse(s lane.Start) bool {
	return (r.request.Limit.IsZero() || !s.From.After(r.request.Limit)) && !s.Until.Before(r.floor)
}

func (s *spares) find(r *reservation) *reservation {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, spare := range s.of[r.lane] {
		if spare.request.Gap == r.request.Gap && spare.request.Slots == r.request.Slots && spare.isSpare(time.Now()) && (!spare.givenToTicket || r.canUse(spare.start)) {
			return spare
		}
	}
	return nil
}

// In a lane below a group, a request reserves a start only if this is near: so the other
// processes reserve none behind it. Once the turn above is reserved, the start moves there.
// Starts that were reserved further ahead would be missed, since turns above come when they
// come, and each that is missed would cost a gap.

// near bounds what the request waits for to a start that is near.
func (r *reservation) near(now time.Time) {
	r.extraSlack = max(r.aboveWait-r.request.Gap, 0) // nobody else begins for a gap
	limit := now.Add(r.request.Lead + aheadOf(r.request.Gap) + 2*r.slack.now(r.request.Gap))
	if r.ownLimit = r.request.Limit; r.ownLimit.IsZero() || limit.Before(r.ownLimit) {
		r.request.Limit = limit
	}
}

// isFar reports whether err says that the start is not near yet, and that the request can wait
// for it.
func (r *reservation) isFar(err error) (start time.Time, ok bool) {
	late, ok := err.(*lane.LateError)
	if !ok || !r.inGroup || late.Err != nil || !r.ownLimit.IsZero() && late.Turn.After(r.ownLimit) {
		return start, false
	}
	return late.Turn, true
}

// aheadOf returns how long before a start in a lane with that gap it is near.
func aheadOf(gap time.Duration) time.Duration { return max(2*lane.LeastAhead, gap/4) }

// comeBack lets ticket try again a little before a start that is far. Whoever has waited for
// it tries before the process that had the last start, and each has a chance.
func (r *reservation) comeBack(ticket *lane.Ticket, start time.Time) {
	r.heldInStore, r.givenToTicket = false, false
	ticket.Reserve(lane.Start{})
	ahead := lane.LeastAhead + mathrand.N(aheadOf(r.request.Gap)-lane.LeastAhead)
	ticket.Retry(clock.Later(start.Add(-r.request.Lead-ahead), time.Now().Add(firstLook)))
}

// fit moves what is reserved for ticket to a start that is reserved above, and reports whether
// it could. If nothing is reserved, there is nothing to move.
func (r *reservation) fit(ctx context.Context, ticket *lane.Ticket, above lane.Start) (ok bool, err error) {
	if r.token == "" || !r.givenToTicket {
		return true, nil
	}
	spare, early := r.extraSlack, 2*r.slack.call()
	defer func() { r.extraSlack = spare }()
	r.request, r.heldInStore, r.extraSlack = ticket.StartRequest(), false, early
	r.ownLimit, r.request.From, r.request.Limit = r.request.Limit, above.From.Add(-early), above.Until
	start, wait, err := r.reserve(ctx)
	if start, far := r.isFar(err); far {
		r.comeBack(ticket, start)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if wait > 0 {
		r.comeBack(ticket, time.Now().Add(wait))
		return false, nil
	}
	start.Early = max(start.Early, time.Until(start.From)) // it begins when the turn above does
	ticket.Reserve(start)
	return true, nil
}

// A slack says how much later than reserved a start may be. It covers a usual call of Turns, and the way
// from the last look at the lane to the write. What this way takes costs little where the gap is long, so the slack grows
// with the gap, and with the starts that were too late.
type slack struct {
	mu     sync.Mutex
	usual  time.Duration // what calls take
	unsure time.Duration // what the first call took; 0 once another has shown what is usual
	asked  bool          // another was made for this
	rose   time.Time     // when usual rose last
	late   float64       // by how many times the least slack starts were late of late
}

const (
	leastSlack = 400 * time.Microsecond // of the shortest gap
	plainSlack = 5 * time.Millisecond   // of a gap of a quarter of a second, and without a gap
	wideSlack  = 200 * time.Millisecond // of a long gap
	mostSlack  = 10 * time.Second
	mostLate   = 10
)

// leastOf returns the least slack of a start in a lane with a gap.
func leastOf(gap time.Duration) time.Duration {
	if gap <= leastGap { // it asks for none
		return plainSlack
	}
	return min(max(min(gap/30, plainSlack), gap/400, leastSlack), wideSlack)
}

// now returns the slack of a start in a lane with a gap.
func (s *slack) now(gap time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	least := leastOf(gap)
	late := time.Duration(s.late * float64(least))
	return min(max(least, s.usual*3/2+min(least, 2*time.Millisecond))+late, mostSlack)
}

// call returns how long a call usually takes.
func (s *slack) call() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usual
}

// asks reports whether to look how long a call takes before a start is reserved: if the first call was slow. It
// does so once.
func (s *slack) asks() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	asks := !s.asked && s.unsure > plainSlack
	s.asked = s.asked || asks
	return asks
}

// learn notes how long a call took that began at a time. A call that is slower than usual
// at most doubles what is usual. The first call may have connected, so it counts for plainSlack until the next one
// is as slow. A second slow call counts only if it began after the first had told, so that what stops many
// calls at the same time counts once.
func (s *slack) learn(began time.Time, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.usual == 0:
		s.usual, s.unsure, s.rose = min(took, plainSlack), took, time.Now()
	case took <= s.usual:
		s.usual -= (s.usual - took) / 4
		s.unsure = 0
	case !began.Before(s.rose):
		s.usual = min(took, max(2*s.usual, plainSlack, s.unsure))
		s.unsure, s.rose = 0, time.Now()
	}
	s.late -= s.late / 8
}

// missed notes that a start was too late, although its connection was ready.
func (s *slack) missed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = min(s.late+1, mostLate)
}
