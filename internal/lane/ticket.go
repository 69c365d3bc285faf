package lane

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/printable"
)

// A Ticket is a request in a lane, from its first wait to the end of its answer's body. Until it
// connects, one goroutine uses it. A nil Ticket is a request that was alone: it has nothing to wait
// for, and nothing to release.
type Ticket struct {
	lane   *lane
	terms  Terms
	right  Right   // of its lane; nil if no other process shares it
	number uint64  // in the order in which tickets connect, from 1; 0: it never has
	above  *Ticket // of the same request, in the lane above; nil if there is none
	below  *Ticket // of the same request, in the lane below, while this one waits
	wake   chan struct{}
	alarm  *time.Timer // of its waits; nil until it has waited for a time

	stage   stage
	failure error // why the request was not written
	start   Start // that is reserved for it
	waiting
	underway
}

// A stage is how far a ticket has come.
type stage uint8

const (
	waits    stage = iota // it is in the line
	gone                  // it has left the line without a turn
	connects              // Base has its request, and has no connection yet
	ready                 // its connection is ready
	granted               // it may be written, but other streams of the connection may come first
	written               // it is written, or is about to be
)

// waiting is what a ticket knows while it waits in the line.
type waiting struct {
	before, after *Ticket
	step          time.Duration   // from the turn of the ticket before to the turn of this one, by their terms; 0 for the first
	waitsUntil    time.Time       // of the terms' longest wait; zero if there is none
	deadline      time.Time       // the earlier of waitsUntil and the context's deadline
	giveUp        time.Time       // a little before the context's deadline; zero if there is none
	ahead         bool            // it goes before those that came in order
	noQueue       bool            // it waits only for its reservation, or for its turn above
	tellsFront    bool            // Wait is to return Front when it is the first
	wishedFrom    time.Time       // the earliest start that was of use
	first         bool            // it asked for the right to go first
	retry         time.Time       // when to reserve a start, at the earliest
	turn          time.Time       // when its start is likely to come that is not reserved yet; zero if nobody knows
	called        <-chan struct{} // gets a value when to reserve a start at once; may be nil
	tell          time.Time       // when to tell that it has waited for long; zero if nobody is to be told
}

func newTicket(ctx context.Context, l *lane, terms Terms, now time.Time) *Ticket {
	t := &Ticket{lane: l, terms: terms, wake: make(chan struct{}, 1)}
	if deadline, ok := ctx.Deadline(); ok {
		t.deadline, t.giveUp = deadline, Early(now, deadline)
	}
	if terms.MaxWait > 0 {
		t.waitsUntil = now.Add(terms.MaxWait)
		t.deadline = soonest(t.deadline, t.waitsUntil)
	}
	return t
}

// longestEarly is how long before the deadline of its context a request gives up, at most.
const longestEarly = 50 * time.Millisecond

// Early returns when a request that comes now gives up: a little before its deadline. At the deadline,
// an http.Client with a Timeout would return only the text of an error.
func Early(now, deadline time.Time) time.Time {
	return deadline.Add(-min(deadline.Sub(now)/20, longestEarly))
}

// gap returns the gap before the turn of t, as it is now: a ticket that waits follows what is learned.
func (t *Ticket) gap() time.Duration { return t.lane.gapOf(t.terms) }

// late reports whether turn would be too late for t.
func (t *Ticket) late(turn, now time.Time) bool {
	deadline := t.deadline
	return !deadline.IsZero() && turn.After(deadline) || t.givesUp(now)
}

// givesUp reports whether the site is down, and t has not asked to wait for so long.
func (t *Ticket) givesUp(now time.Time) bool {
	return t.deadline.IsZero() && t.terms.MaxWait == 0 && t.lane.isDown(now)
}

// CanWait says why a turn comes too late for a request that can wait for the time left. It also says
// where a user finds this limit.
func CanWait(left time.Duration) string {
	return fmt.Sprintf("the request can only wait for %v (its context, the client's Timeout, or MaxWait)", printable.Duration(max(left, 0)))
}

// lateError returns the error for t, which is not in the line, if its turn would be too late.
func (t *Ticket) lateError(now time.Time) error {
	if t.givesUp(now) {
		return t.lane.refuse(t.terms, 0, now, Down, "the site is down, and the request has no MaxWait and no deadline")
	}
	if t.noQueue {
		return t.lane.refuse(t.terms, 0, now, Full, tooMany(0))
	}
	return t.lane.refuse(t.terms, 0, now, Deadline, CanWait(t.deadline.Sub(now)))
}

// deadlineError returns the error for t, which is not in the line, if its deadline has come.
func (t *Ticket) deadlineError(now time.Time) error {
	late := t.lane.refuse(t.terms, leastWait, now, Deadline, "its turn has not come in time")
	late.Err = context.DeadlineExceeded
	return late
}

// notify tells t that something has changed for it.
func (t *Ticket) notify() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// contextError returns the error for t, which is not written, if ctx has ended.
func (t *Ticket) contextError(ctx context.Context, now time.Time) error {
	if ctx.Err() == context.DeadlineExceeded {
		return t.deadlineError(now)
	}
	return context.Cause(ctx)
}

// A Step is what to do next with a Ticket that waits.
type Step int

const (
	Look    Step = iota // look at the rules again
	Reserve             // reserve a start
	Connect             // its turn has come: Connect
	Below               // look at the ticket below
	Front               // it is the first, and has asked to be told: see TellFront
	Tell                // it has waited for long: call Long of the ticket in its own lane
	Quiet               // it is the first, and the requests before it have had no answer for QuietTime
)

// Wait waits until there is something to do. If changed is closed, or if due has passed,
// it is time to look at the rules again. If due is zero, only changed counts. The error
// is a LateError, or the cause of the end of ctx. After an error t has left the line.
func (t *Ticket) Wait(ctx context.Context, changed <-chan struct{}, due time.Duration) (Step, error) {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	var look time.Time
	if due > 0 {
		look = now.Add(due)
	}
	for ; ; now = time.Now() {
		if ctx.Err() != nil && t.stage == waits {
			t.leave()
			return Look, t.contextError(ctx, now)
		}
		at, step, err := t.next(now)
		if err != nil {
			return Look, err
		}
		if !at.IsZero() && !at.After(now) {
			return step, nil
		}
		if !look.IsZero() && !look.After(now) {
			return Look, nil
		}
		tell, quiet := t.tells(), l.quietAt(t)
		switch {
		case !tell.IsZero() && !tell.After(now):
			return Tell, nil
		case !quiet.IsZero() && !quiet.After(now):
			l.quietUntil = l.limit.at(now) + quietAgain
			return Quiet, nil
		}
		if step, ok := t.pause(ctx, changed, soonest(at, t.waitsUntil, t.giveUp, look, tell, quiet), now); ok {
			return step, nil
		}
	}
}

// TellFront lets Wait return Front, once, when t is the first in the line. Call it before Wait.
func (t *Ticket) TellFront() { t.tellsFront = true }

// next returns what t can do next, and when. The zero time means that another ticket has to do
// something first.
func (t *Ticket) next(now time.Time) (at time.Time, step Step, err error) {
	l := t.lane
	if l.line.first == t && l.line.stale {
		l.refuseLate(now)
	}
	if t.failure != nil {
		return at, Look, t.failure // it has left the line
	}
	switch first := l.line.first == t; {
	case first && t.tellsFront:
		t.tellsFront = false
		return now, Front, nil
	case first && l.slot(t.terms) && !l.wire.holdsLine(now):
		at = l.ready(t.gap(), now)
		if t.late(at, now) {
			t.leave()
			return at, Look, t.lateError(now)
		}
		at, step = t.nextInFront(now)
	case first && l.free(t.terms) && !l.room(t.terms):
		at = l.limit.opens(now) // if no answer comes before
	}
	switch waits := at.IsZero() || at.After(now); {
	case waits && !t.waitsUntil.IsZero() && !t.waitsUntil.After(now):
		t.leave()
		if t.noQueue {
			return at, Look, t.lateError(now)
		}
		return at, Look, l.refuse(t.terms, leastWait, now, Deadline, "all turns are taken")
	case waits && !t.giveUp.IsZero() && !t.giveUp.After(now):
		t.leave()
		return at, Look, t.deadlineError(now)
	}
	return at, step, nil
}

// ready returns what t can do now in its own lane. It returns false if there is nothing.
func (t *Ticket) ready(now time.Time) (Step, bool) {
	l := t.lane
	if l.line.first != t || !l.slot(t.terms) || l.wire.holdsLine(now) {
		return Look, false
	}
	at, step := t.nextInFront(now)
	return step, !at.After(now)
}

// nextInFront returns what the first in the line can do next, and when.
func (t *Ticket) nextInFront(now time.Time) (at time.Time, step Step) {
	l := t.lane
	begin := l.next(t.gap(), now)
	if !l.reserves(t.terms) {
		return begin, Connect
	}
	lead, _ := l.ahead(t.terms)
	trial, _ := l.limit.waits(now)
	at = clock.Later(clock.Later(t.start.From.Add(-lead-t.start.Early), l.limit.breakEndsAt()), trial)
	if t.start.reserved() && !t.start.over(clock.Later(now, at)) {
		if t.start.lapsed(clock.Later(now, at)) {
			return t.start.BeginBy, Reserve
		}
		return at, Connect
	}
	t.start = Start{}
	ahead := max(LeastAhead, t.gap()/4)
	if t.terms.Joins { // it cannot use a start before its turn above comes
		ahead = LeastAhead
	}
	retry := t.retry
	if t.first && !l.needsRight(t.terms) { // another went first, and all is well
		retry = time.Time{}
	}
	return clock.Later(begin.Add(-lead-ahead), retry), Reserve
}

// pause waits, without the lock, for whatever comes first. If this comes from outside the lane, pause
// returns what to look at.
func (t *Ticket) pause(ctx context.Context, changed <-chan struct{}, until, now time.Time) (step Step, ok bool) {
	called := t.called
	t.lane.mu.Unlock()
	defer t.lane.mu.Lock()
	if !until.IsZero() {
		t.ring(until.Sub(now))
		defer t.alarm.Stop()
	}
	var below <-chan struct{}
	if t.below != nil {
		below = t.below.wake
	}
	select {
	case <-t.wake:
	case <-called:
		t.lane.mu.Lock()
		t.retry = now
		t.lane.mu.Unlock()
	case <-ctx.Done():
	case <-changed:
		return Look, true
	case <-below:
		return Below, true
	}
	return Look, false
}

// ring notifies t when a wait is over. A ticket waits several times, and never twice at once, so it has one
// timer. If the timer fires when the wait has ended already, t looks once more than it has to.
func (t *Ticket) ring(wait time.Duration) {
	if t.alarm == nil {
		t.alarm = time.AfterFunc(wait, t.notify)
	} else {
		t.alarm.Reset(wait)
	}
}

// soonest returns the earliest of times. Zero times do not count.
func soonest(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// Update lets t wait by other terms and keep its place in the line. It does nothing after t has left.
func (t *Ticket) Update(terms Terms) {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.stage != waits || t.terms == terms {
		return
	}
	l.line.update(t, terms)
	t.start, t.retry, t.turn = Start{}, time.Time{}, time.Time{}
	l.wake()
}

// Connect begins the turn of t, and of the ticket above, which may be nil: both turns begin, or none.
// It reports whether they have. If so, t has left the line.
func (t *Ticket) Connect(above *Ticket) bool {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if step, ok := t.ready(now); !ok || step != Connect {
		return false
	}
	if above != nil && !above.Connect(nil) {
		return false
	}
	t.leave()
	l.counter.enter()
	l.connect(t, now, true)
	t.join(above)
	l.wake()
	return true
}

// Leave gives up the place in the line. It does nothing after t has left.
func (t *Ticket) Leave() {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	t.leave()
}

func (t *Ticket) leave() {
	if t.stage == waits {
		t.lane.line.remove(t)
		t.lane.wake()
	}
}

// Turn returns when the turn of t is likely to come.
func (t *Ticket) Turn() (turn time.Time) {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.stage != waits {
		return turn
	}
	turn = l.ready(l.line.first.gap(), time.Now())
	if t == l.line.last {
		turn = turn.Add(l.line.wait(l.limit.gap(), 0))
	}
	return turn
}

// underway is what a ticket knows from when it connects.
type underway struct {
	older, newer *Ticket       // in lane.under, and then in lane.bodies
	begun        time.Time     // when it connected
	earlier      spaced        // when the ticket before connected
	written      time.Time     // zero if that is not known
	due          time.Time     // when it wants to be written
	ownGap       time.Duration // the gap to the write before
	nextGap      time.Duration // the gap to the write after: with jitter
	counted      time.Duration // since limit.born, when the lane counted it: when it connected, or was let through after a break that began meanwhile
	lost         error         // why its slot is lost
	binding      Binding
	reservation  *Reservation  // what is reserved elsewhere; nil if nothing is
	trouble      limit.Trouble // that its answer has ended, as a good one
	endRight     func()        // ends the right to go first that was taken at the wire; nil if none was

	hooked   bool // it has to ask again when its connection is ready
	slot     bool // it has a slot until it is done
	onWire   bool // it is written, and net/http does not send it again
	arrived  bool // it was written, and net/http sends it again
	tied     bool // its start is reserved together with one in another lane
	back     bool // it was sent back
	answered bool
}

// A Reservation is what is reserved for a ticket elsewhere, beside its start. Tickets of a lane whose
// connections are ready may exchange what they have reserved.
type Reservation struct {
	Gap time.Duration           // by which the start is reserved
	End func(unused, left bool) // is called once. unused: the request was not written; left: its caller has gone

	// Again reserves another start, by a gap. The request cannot use a start that is over before from;
	// zero is any time.
	Again func(ctx context.Context, gap time.Duration, from time.Time) (Start, error)

	Answered func() // is called when the answer is known; may be nil

	lane   *lane
	ticket *Ticket // that has it now
}

// Lose ends the request of the ticket that has r now, which has lost its slot. Call it after Keep.
func (r *Reservation) Lose(why error) {
	r.lane.mu.Lock()
	defer r.lane.mu.Unlock()
	t := r.ticket
	if t == nil {
		return
	}
	if t.lost = why; t.binding.Lose != nil {
		t.binding.Lose(why)
	}
}

// A Binding joins a Ticket to its request.
type Binding struct {
	Replayable bool            // the request can be sent again
	Stoppable  bool            // Lose ends it wherever it is, and Connected is called before it is written
	Lose       func(error)     // ends the request
	Release    func()          // is called when the ticket is done; may be nil
	Context    context.Context // of the request as it was handed on

	// Changed reports whether the rules have changed since the request was judged, so that it has to be
	// judged again. If not, Changed returns the gap that the rules ask for now. Changed is nil if no
	// rules apply.
	Changed func() (changed bool, gap time.Duration)
}

// Context returns the context of the request as it was handed on. own is the caller's.
func (t *Ticket) Context(own context.Context) context.Context {
	if t != nil && t.binding.Context != nil {
		return t.binding.Context
	}
	return own
}

// Hooked reports whether the request has to call Connected when its connection is ready.
func (t *Ticket) Hooked() bool { return t != nil && (t.hooked || t.slot && t.reservation != nil) } // it can lose a slot that is leased

// Spaced reports whether it matters when exactly the request is written.
func (t *Ticket) Spaced() bool {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.nextGap > 0 || t.reservation != nil || t.above != nil
}

// Lasts reports whether t has to be ended when the body of the answer is done.
func (t *Ticket) Lasts() bool {
	return t != nil && (t.slot || t.binding.Release != nil || t.above.Lasts())
}

// Bind joins t to its request. It may call b.Lose at once.
func (t *Ticket) Bind(b Binding) {
	t.bindAbove(b)
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	t.binding = b
	if t.lost != nil {
		b.Lose(t.lost)
	}
	if until := t.lane.limit.breakEndsAt(); !until.IsZero() && until.After(time.Now()) {
		t.stop()
	}
}

// A Right asks for the right to go first after a break, of all that share a lane. The holder calls end
// once. If another holds the right, wait says when to ask again.
type Right func(context.Context) (end func(), wait time.Duration, err error)

// LetGoFirst says how t takes the right to go first if it is ready before it has the right. Call it before Wait.
func (t *Ticket) LetGoFirst(right Right) { t.right = right }

// Keep says what is reserved for t elsewhere.
func (t *Ticket) Keep(r *Reservation) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	t.reservation = r
	r.lane, r.ticket = t.lane, t
}

// SentBack reports whether the lane has sent the request back. It then waits once more.
func (t *Ticket) SentBack() bool {
	if t == nil {
		return false
	}
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.back || t.above.SentBack()
}

// ErrWritten says that a request was written, and could not be written again: a break has ended it at the
// moment of the write, or has begun before net/http could send it once more. The request must not be sent
// again.
var ErrWritten = errors.New("polite: the request was written, and its answer is lost: a break began")

// Failure returns why the request was not written. If it was, Failure returns nil or ErrWritten. A
// request that was sent back may still turn out to be written.
func (t *Ticket) Failure() error {
	if t == nil {
		return nil
	}
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.why()
}

// why is Failure, with the lock.
func (t *Ticket) why() error {
	if t.failure == nil {
		return t.above.Failure()
	}
	return t.failure
}

// Answered tells what came of the request. It may be called again, without effect.
func (t *Ticket) Answered(answer Answer) Outcome {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.answer(answer)
}

// countedAt returns when the lane counted the request, and what trouble its answer seemed to end.
func (t *Ticket) countedAt() (time.Time, limit.Trouble) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.lane.limit.born.Add(t.counted), t.trouble
}

func (t *Ticket) answer(answer Answer) (o Outcome) {
	if t.answered {
		return o
	}
	t.answered = true
	if t.reservation != nil && t.reservation.Answered != nil {
		t.reservation.Answered()
	}
	if t.endRight != nil {
		t.endRight()
	}
	l, now := t.lane, time.Now()
	t.unlink(&l.unanswered)
	l.counter.leave()
	if t.slot {
		t.link(&l.bodies)
	}
	if !t.slot && t.terms.Ceiling > 0 {
		l.learnSlotTime(now.Sub(t.begun))
	}
	if t.why() != nil || t.lost != nil && !answer.Answered {
		answer = Answer{} // the server has not seen it, or did not end it
	}
	o = l.answered(t.counted, clock.Later(t.begun, t.written), now, t.terms.Limit, answer)
	t.trouble = o.ended
	if answer.Answered && t.written.IsZero() { // Base does not tell of its connections
		t.written = now
	}
	l.wake()
	return o
}

// unused reports whether the request was not written. A Base that has not called Connected may
// have written it all the same, unless it is known to call it.
func (t *Ticket) unused() bool {
	b := &t.binding
	silent := b.Lose != nil && t.stage == connects && !b.Stoppable
	return t.written.IsZero() && !silent
}

// callerGone reports whether the caller has gone. A request that failed to connect has not left. The gap counts
// from it, too: otherwise a site that is down would be asked without a gap.
func (t *Ticket) callerGone() bool {
	ctx := t.binding.Context
	return ctx != nil && ctx.Err() != nil
}

// Done ends the ticket. It may be called again, without effect, and at the same time.
func (t *Ticket) Done() {
	if t == nil {
		return
	}
	defer t.above.Done()
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	t.answer(Answer{})
	l.undo(t)
	if t.reservation != nil {
		t.reservation.ticket = nil
		t.reservation.End(t.unused(), t.callerGone())
		t.reservation, t.start = nil, Start{}
	}
	if t.binding.Release != nil { // now it does not matter any more whether the caller has gone
		t.binding.Release()
	}
	if t.slot {
		t.slot = false
		t.unlink(&l.bodies)
		l.learnSlotTime(time.Since(t.begun))
		l.wake()
	}
}
