package lane

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-polite/polite/internal/clock"
)

// A wire has the tickets that wait although their connections are ready. They connected when more was
// allowed than now.
type wire struct {
	waiting []*Ticket // in the order of their numbers
	last    spaced    // the last write
}

// A spaced is when a request connected or was written, and the gap from there to the next.
type spaced struct {
	at  time.Time
	gap time.Duration
}

// next returns when a request with a gap of its own may follow. The zero time means at any time.
func (s spaced) next(ownGap time.Duration) (at time.Time) {
	if gap := max(s.gap, ownGap); gap > 0 && !s.at.IsZero() {
		at = s.at.Add(gap)
	}
	return at
}

var (
	// ErrBreak says that a break has begun before a request was written.
	ErrBreak = errors.New("the site has asked for a break")

	// ErrRules says that the rules have changed before a request was written.
	ErrRules = errors.New("the rules of the site have changed")
)

// Connected is called when the connection of the request is ready. It waits until the request may be
// written. An error says why the request must not be written: the cause if ctx ends before, ErrBreak,
// ErrRules, or a LateError. streams says that the connection has other requests, too, so that this one
// may have to wait before it is written. If net/http sends the request again, it calls Connected again.
// A Base may make two tries at the same time, and may call Connected after the ticket is done. Then
// only gaps and breaks count, and no start.
func (t *Ticket) Connected(ctx context.Context, streams bool) error {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.back {
		return t.failure
	}
	t.arrive(time.Now())
	defer l.wire.remove(t)
	for allowed := false; ; {
		now, above := time.Now(), allowed
		allowed = false // it may have to wait once more
		at, err := t.writable(ctx, now)
		switch {
		case err != nil:
		case !t.hasRoom(l.slotsWritten()):
			err = t.await(ctx, longestWait)
		case t.missed(now):
			err = t.startLater(ctx)
		case at.After(now) || !l.wire.isFirst(t, now):
			err = t.await(ctx, at.Sub(now))
		case t.lacksRight():
			err = t.takeRight(ctx)
		case t.changed():
			err = t.reject(ErrRules)
		case t.reservation != nil && t.reservation.Gap < t.ownGap: // others know of the shorter gap alone
			err = t.reserveAgain(ctx, time.Time{})
		case l.wire.last.next(t.ownGap).After(now): // the rules ask for a longer gap
		case t.above != nil && !above:
			allowed, err = t.allowAbove(ctx, streams)
		default:
			t.allow(now, streams)
			return nil
		}
		if err != nil {
			if t.arrived { // so it is no refusal
				err, t.back = ErrWritten, false
			}
			t.failure = err
			return err
		}
	}
}

// arrive notes that the connection is ready.
func (t *Ticket) arrive(now time.Time) {
	if t.stage == connects && t.reservation != nil {
		took := now.Sub(t.begun)
		t.lane.connected(took)
		t.lane.leads.learn(took)
	}
	if t.onWire { // net/http sends it again: the site may have it
		t.onWire, t.arrived = false, true
		t.lane.wire.notify()
	}
	t.stage, t.failure, t.due = ready, nil, clock.Later(now, t.start.From)
	t.settle()
	t.above.hasConnection()
}

// writable returns when t may be written if it is the first. The error is the cause if ctx was cancelled,
// ErrBreak, or a LateError if t cannot wait for so long.
func (t *Ticket) writable(ctx context.Context, now time.Time) (time.Time, error) {
	l := t.lane
	if ctx.Err() != nil { // net/http may write the request all the same
		return now, t.contextError(ctx, now)
	}
	if t.binding.Replayable && !t.arrived && l.limit.breakEndsAt().After(now) {
		return now, t.reject(ErrBreak)
	}
	at := clock.Later(l.wire.last.next(t.ownGap), clock.Later(l.limit.breakEndsAt(), t.start.From))
	deadline, _ := ctx.Deadline()
	if t.terms.MaxWait > 0 {
		deadline = soonest(deadline, t.due.Add(t.terms.MaxWait))
	}
	if !deadline.IsZero() && at.After(deadline) {
		return now, &LateError{Turn: at, Cause: Deadline, Why: CanWait(deadline.Sub(now))}
	}
	if t.predatesBreak() {
		until, _ := l.limit.waits(now)
		at = clock.Later(at, until)
	}
	return at, nil
}

// hasRoom reports whether t may be written within its own limit of requests under way, of which so many
// are written. Other requests may have had a higher limit, and may be written already.
func (t *Ticket) hasRoom(wired int) bool { return !t.slot || wired < t.terms.Slots }

// missed reports whether it is too late for the start of t. The write takes time, too.
func (t *Ticket) missed(now time.Time) bool {
	return t.start.Later || t.start.over(now.Add(min(margin, t.start.Until.Sub(t.start.From)/2)))
}

// margin is how long before the end of a start it is too late for a write, at most.
const margin = 2 * time.Millisecond

// changed reports whether the request has to be judged again. If the rules ask for a
// longer gap alone, t keeps it.
func (t *Ticket) changed() bool {
	if t.binding.Changed == nil {
		return false
	}
	changed, gap := t.binding.Changed()
	t.ownGap, t.nextGap = max(t.ownGap, gap), max(t.nextGap, gap)
	return changed
}

// lacksRight reports whether t connected before a break and would go first after it, without the right.
// A request that connects after a break reserves the right in the line.
func (t *Ticket) lacksRight() bool {
	return t.right != nil && t.endRight == nil && t.lane.needsRight(t.terms) && t.predatesBreak()
}

// takeRight asks for the right to go first, without the lock, or waits until it is time to ask again. t
// keeps its place at the wire.
func (t *Ticket) takeRight(ctx context.Context) error {
	t.lane.wire.add(t)
	t.lane.mu.Unlock()
	end, wait, err := t.right(ctx)
	t.lane.mu.Lock()
	switch {
	case ctx.Err() != nil: // the next look says so
		return nil
	case err != nil:
		return err
	case wait > 0:
		return t.await(ctx, wait)
	}
	t.endRight = end
	return nil
}

// reject says why t is not written. The request is sent back if it can be sent again.
func (t *Ticket) reject(why error) error {
	t.back, t.failure = t.binding.Replayable, why
	return why
}

// allow lets t be written.
func (t *Ticket) allow(now time.Time, streams bool) {
	l := t.lane
	if t.predatesBreak() && !t.answered {
		t.counted = l.limit.at(now)
		l.limit.beginAgain(now)
	}
	if t.inSlowStart() {
		l.limit.wrote(now) // the wait for its answer begins when it is written
		l.wake()
	}
	l.write(t, now)
	if t.stage = written; streams {
		t.stage = granted
	}
}

// Writing is called when the request is about to be written, after Connected.
func (t *Ticket) Writing() {
	if t.writing(); t.above != nil {
		t.above.writing()
	}
}

func (t *Ticket) writing() {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	if t.stage != granted {
		return
	}
	if t.stage = written; t.failure != nil { // stop came too late
		t.back, t.failure = false, ErrWritten
	}
}

// Wrote is called when the request is written. This may be some time after Connected, if
// the process stood still. Wrote returns how long after its start this is.
func (t *Ticket) Wrote() (late time.Duration) {
	if late = t.wrote(); t.above != nil {
		late = max(late, t.above.wrote())
	}
	return late
}

func (t *Ticket) wrote() (late time.Duration) {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if t.written.IsZero() || t.failure != nil {
		return 0
	}
	if l.wire.last.at.Equal(t.written) {
		l.wire.last.at = now
	}
	t.written = now
	if t.start.reserved() {
		late = max(now.Sub(t.start.Until), 0)
	}
	return late
}

// stop ends the request of t if a break has begun before it was written. If the request
// cannot be sent again, it is only ended where it would not come to Connected any more.
func (t *Ticket) stop() {
	b := &t.binding
	switch {
	case t.stage == written || t.failure != nil || !b.Stoppable:
	case b.Replayable:
		b.Lose(t.reject(ErrBreak))
	case t.stage == granted:
		t.failure = &LateError{Turn: t.lane.limit.breakEndsAt(), Cause: InBreak, Why: ErrBreak.Error()}
		b.Lose(t.failure)
	}
}

// await waits with a ready connection, without the lock: for as long as wait if t is the first, and
// until something changes.
func (t *Ticket) await(ctx context.Context, wait time.Duration) error {
	l, now := t.lane, time.Now()
	l.wire.add(t)
	first := l.wire.isFirst(t, now)
	if !first {
		wait = longestWait
		l.wire.notify() // it may have become the first since its start has come
	}
	if deadline, ok := ctx.Deadline(); ok {
		left := Early(t.begun, deadline).Sub(now)
		if left <= 0 {
			return t.deadlineError(now)
		}
		wait = min(wait, left)
	}
	t.ring(wait)
	defer t.alarm.Stop()
	l.mu.Unlock()
	defer l.mu.Lock()
	select {
	case <-t.wake:
	case <-ctx.Done():
	}
	return nil // if ctx has ended, the next look says so
}

// first returns the ticket that is written next, of the tickets that wait only for their time. The
// other tickets may hold what these wait for.
func (w *wire) first(now time.Time) (first *Ticket) {
	if len(w.waiting) == 0 {
		return nil
	}
	wired := w.waiting[0].lane.slotsWritten() // once for all, since it goes through them
	for _, t := range w.waiting {
		if t.hasRoom(wired) && (first == nil || t.goesBefore(first, now)) {
			first = t
		}
	}
	return first
}

// holdsLine reports whether a ticket with a connection is to go first after a break. Tickets in the
// line may need this connection.
func (w *wire) holdsLine(now time.Time) bool {
	first := w.first(now)
	if first == nil || !first.predatesBreak() {
		return false
	}
	until, _ := first.lane.limit.waits(now)
	return until.IsZero()
}

// isFirst reports whether t is the first, or would be.
func (w *wire) isFirst(t *Ticket, now time.Time) bool {
	first := w.first(now)
	return first == nil || first == t || t.goesBefore(first, now)
}

// goesBefore reports whether t is written before other: if it is a trial, if its start comes
// earlier, or if both could start now and it came earlier.
func (t *Ticket) goesBefore(other *Ticket, now time.Time) bool {
	if trial := t.inSlowStart(); trial != other.inSlowStart() {
		return trial
	}
	from, others := clock.Later(now, t.start.From), clock.Later(now, other.start.From)
	if !from.Equal(others) {
		return from.Before(others)
	}
	return t.number < other.number
}

// inSlowStart reports whether the others follow the answer to t.
func (t *Ticket) inSlowStart() bool { return t.lane.limit.InSlowStart(t.counted) }

// predatesBreak reports whether t was counted before a break after which requests begin slowly.
func (t *Ticket) predatesBreak() bool { return t.lane.limit.Slow() > 0 && !t.inSlowStart() }

// add lets t wait in its place, unless it does already.
func (w *wire) add(t *Ticket) {
	if slices.Contains(w.waiting, t) {
		return
	}
	if t.wake == nil {
		t.wake = make(chan struct{}, 1)
	}
	at := len(w.waiting)
	for at > 0 && t.number < w.waiting[at-1].number {
		at--
	}
	w.waiting = slices.Insert(w.waiting, at, t)
}

func (w *wire) remove(t *Ticket) {
	if i := slices.Index(w.waiting, t); i >= 0 {
		w.waiting = slices.Delete(w.waiting, i, i+1)
		t.notify() // if another try of it waits, too
		w.notify()
	}
}

// notify tells the first that it is the first, or that something has changed.
func (w *wire) notify() {
	if len(w.waiting) == 0 { // as it mostly is: the clock is not asked
		return
	}
	if first := w.first(time.Now()); first != nil {
		first.notify()
	}
}
