package lane

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/limit"
)

// A Start is when a request may be written, as it is reserved elsewhere. The zero Start is none.
type Start struct {
	From, Until time.Time
	Early       time.Duration // how long before From to connect, beside the time that this takes
	BeginBy     time.Time     // after this time, it must be reserved again before the ticket connects; zero: there is no such time
	Later       bool          // the ticket connects at once, and reserves a start when its connection is ready
	Void        func() bool   // reports whether the start is lost
}

// reserved reports whether s is a start.
func (s Start) reserved() bool { return !s.Until.IsZero() }

// lapsed reports whether s has to be reserved once more for a ticket that connects at now.
func (s Start) lapsed(now time.Time) bool { return !s.BeginBy.IsZero() && now.After(s.BeginBy) }

// over reports whether it is too late for s at a time.
func (s Start) over(at time.Time) bool {
	return s.reserved() && (at.After(s.Until) && !s.Later || s.Void != nil && s.Void())
}

// LeastAhead is the least time from reserving a start to connecting for it.
const LeastAhead = 20 * time.Millisecond

// A StartRequest is what to reserve for a ticket that waits.
type StartRequest struct {
	Gap   time.Duration
	Slots int
	Lead  time.Duration // how long before its start the ticket connects
	From  time.Time     // the earliest start that is of use
	Limit time.Time     // it must come by then; zero if there is no limit
	Keep  bool          // the start that is reserved is still of use
	First bool          // it must go first after a break, of all that share the lane

	Varies bool // connecting takes much longer at times than usual

	Longest time.Duration // the longest gap that is known in the lane
}

// StartRequest returns what to reserve for t.
func (t *Ticket) StartRequest() StartRequest {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	now := time.Now()
	lead, usual := t.lane.ahead(t.terms)
	varies := lead-usual > max(leastVaried, t.gap()/20)
	if !t.deadline.IsZero() { // a start that is missed is better than none
		usual = min(usual, t.deadline.Sub(now)/2)
	}
	from := clock.Later(t.lane.next(t.gap(), now), now.Add(usual))
	t.wishedFrom, t.first = from, t.lane.needsRight(t.terms)
	return StartRequest{t.gap(), t.terms.Slots, lead, from, t.deadline, t.start.reserved(), t.first, varies, t.lane.longestGap}
}

// leastVaried is how much longer than usual connecting takes at times, if that is worth a call.
const leastVaried = 10 * time.Millisecond

// Reserve lets t connect for start.
func (t *Ticket) Reserve(start Start) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	t.start, t.lane.reservedAhead = start, max(time.Until(start.From), t.lane.reservedAhead*7/8)
	if gap := t.gap(); t.terms.Limit && gap > 0 && start.reserved() {
		t.lane.limit.meets(start.From.Sub(t.wishedFrom).Seconds() / gap.Seconds())
	}
}

// Hear notes a gap that others keep in the lane.
func (t *Ticket) Hear(gap time.Duration) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	t.lane.longestGap = max(t.lane.longestGap, gap)
}

// Retry says that nothing could be reserved for t, and when to try again.
func (t *Ticket) Retry(at time.Time) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	t.retry, t.turn = at, at
	t.lane.reservedAhead = max(time.Until(at), t.lane.reservedAhead)
}

// Await says that t waits elsewhere for its start, and tries again when called gets a value, at a time at the
// latest. Its turn is likely to come at turn; zero if nobody knows.
func (t *Ticket) Await(turn, at time.Time, called <-chan struct{}) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	t.turn, t.retry, t.called = turn, at, called
}

// Promise returns when to come back if t, the first in the line, gives up for a cause, because its turn
// would come at turn.
func (t *Ticket) Promise(turn time.Time, cause Cause) time.Time {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.line.first != l.line.last {
		turn = turn.Add(l.behind(t.terms))
	}
	return l.promise(turn, t.terms, time.Now(), cause)
}

// Other processes share lanes, and keep their breaks. They may forget them all at once:
// then a new generation begins. The first is 1.

// startLater lets t, which has missed its start, have another.
func (t *Ticket) startLater(ctx context.Context) error {
	if t.tied {
		return t.reserveBoth(ctx)
	}
	return t.reserveAgain(ctx, time.Time{})
}

// reserveAgain reserves another start that is of use from a time on, without the lock. Others may be
// written meanwhile.
func (t *Ticket) reserveAgain(ctx context.Context, from time.Time) error {
	t.lane.wire.remove(t)
	again, gap := t.reservation.Again, t.ownGap
	t.reservation.Gap = gap
	start, err := func() (Start, error) {
		t.lane.mu.Unlock()
		defer t.lane.mu.Lock()
		return again(ctx, gap, from)
	}()
	if t.reservation != nil { // else it is done meanwhile
		t.start, t.due = start, clock.Later(t.due, start.From)
		t.settle()
	}
	return err
}

// settle hands the starts of those whose connections are ready, in order, to those who came first.
func (t *Ticket) settle() {
	if t.reservation == nil || t.tied {
		return
	}
	all := []*Ticket{t}
	for _, u := range t.lane.wire.waiting {
		if u != t && u.isLike(t) {
			all = append(all, u)
		}
	}
	starts := make([]reserved, len(all))
	for i, u := range all {
		starts[i] = reserved{u.start, u.reservation}
	}
	slices.SortFunc(all, func(u, v *Ticket) int { return cmp.Compare(u.number, v.number) })
	slices.SortStableFunc(starts, func(u, v reserved) int { return u.start.From.Compare(v.start.From) })
	for i, u := range all {
		u.start, u.reservation = starts[i].start, starts[i].reservation
		u.reservation.ticket = u
	}
}

// A reserved is a start, and what is reserved with it.
type reserved struct {
	start       Start
	reservation *Reservation
}

// isLike reports whether t may have the start of u, and u that of t.
func (t *Ticket) isLike(u *Ticket) bool {
	return t.reservation != nil && !t.tied && t.failure == nil && t.ownGap == u.ownGap && t.terms.Slots == u.terms.Slots && t.inSlowStart() == u.inSlowStart()
}

// BreakTold notes that others know of a break of key until a time, as of a generation.
func (ls *Lanes[K]) BreakTold(key K, until time.Time, generation int64) {
	l := ls.lane(key, ls.hash(key), false)
	if l == nil {
		return
	}
	defer l.mu.Unlock()
	if !l.limit.breakEndsAt().After(until.Add(limit.Tolerance)) {
		l.shared = generation
	}
}

// A Break is until when no turn of a key begins.
type Break[K comparable] struct {
	Key   K
	Until time.Time
	Known bool // others know of the break, but have not heard the lesson
}

// Learn takes in what others have learned of what the site of key bears. It reports whether they
// are to hear a Lesson, too: then the break is unshared until LessonHeard.
func (ls *Lanes[K]) Learn(key K, lesson limit.Lesson) (adds bool) {
	l := ls.lane(key, ls.hash(key), true)
	defer l.mu.Unlock()
	l.learn(lesson)
	return l.limit.OwesLesson()
}

// LessonHeard notes that others have heard the Lesson of key.
func (ls *Lanes[K]) LessonHeard(key K) {
	if l := ls.lane(key, ls.hash(key), false); l != nil {
		defer l.mu.Unlock()
		l.limit.LessonHeard()
	}
}

// learn takes in what another who shares the lane has learned of the site.
func (l *lane) learn(lesson limit.Lesson) {
	now, last := time.Now(), l.limit.breakEndsAt()
	l.line.stale = l.limit.learn(now, lesson) || l.line.stale || l.isDown(now)
	if l.limit.breakEndsAt().After(last) {
		l.broken(now)
	}
	l.wake()
}

// Lesson returns what others who share the lane of key are to learn. It returns false if nothing
// is known.
func (ls *Lanes[K]) Lesson(key K) (lesson limit.Lesson, ok bool) {
	l := ls.lane(key, ls.hash(key), false)
	if l == nil {
		return lesson, false
	}
	defer l.mu.Unlock()
	if now := time.Now(); !l.limit.isWell(now) {
		return l.limit.lesson(now), true
	}
	return lesson, false
}

// Unshared returns the breaks of which others do not know, or not all, as of a generation.
func (ls *Lanes[K]) Unshared(generation int64) (breaks []Break[K]) {
	if ls.size.Load() == 0 {
		return nil
	}
	now := time.Now()
	for key, l := range ls.each {
		l.mu.Lock()
		until := l.limit.breakEndsAt()
		if known := l.shared == generation; until.After(now) && (!known || l.limit.OwesLesson()) {
			breaks = append(breaks, Break[K]{key, until, known})
		}
		l.mu.Unlock()
	}
	return breaks
}

// A lead is how long before its start a request goes to the transport, which may have to connect. It is
// the longest of the last times that connecting took, and a quarter more, since a missed start is lost.
// While it knows few times, it is doubled.
type lead struct {
	mu     sync.Mutex
	recent [leadTimes]time.Duration
	count  int
}

const (
	leadTimes = 16
	fewTimes  = 4
	mostLead  = 8 * time.Second

	// firstLead is the lead while nothing is known.
	firstLead = 250 * time.Millisecond
)

// learn notes how long a request took to connect.
func (l *lead) learn(took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.recent[l.count%leadTimes] = took
	l.count++
}

// now returns the lead, what it would be if connecting took as long as it usually does, and
// how many requests it has learnt from. l may be nil.
func (l *lead) now() (long, usual time.Duration, known int) {
	if l == nil {
		return firstLead, firstLead, 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count == 0 {
		return firstLead, firstLead, 0
	}
	for _, took := range l.recent {
		long = max(long, took)
		usual += took / time.Duration(min(l.count, leadTimes))
	}
	if l.count < fewTimes {
		long *= 2
	}
	return min(long+long/4, mostLead), min(usual+usual/4, mostLead), l.count
}

// Lead returns how long before its start a request goes to the transport in a lane of which
// nothing is known yet.
func (ls *Lanes[K]) Lead() time.Duration {
	long, _, _ := ls.leads.now()
	return long
}
