package lane

import (
	"context"
	"fmt"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/limit"
)

// Terms say how a request takes its turn. With the zero Terms, a request waits only for a Break, and
// not for others.
type Terms struct {
	Gap      time.Duration // from the start of one turn to the start of the next
	Jitter   float64       // up to this part of a gap is added to it
	Slots    int           // requests under way at the same time; 0 is any number
	Ceiling  int           // requests that are not answered yet at the same time; 0 is any number
	Shares   bool          // other processes share the Ceiling
	MaxWait  time.Duration // 0 is until the context ends, or the site is down; negative is until the context ends
	MaxQueue int           // how many may wait
	Limit    bool          // keep to what the site bears, as its answers tell
	Many     bool          // the lane is that of many sites, so Limit is for breaks alone
	Joins    bool          // the request waits in the line also where its turn could begin at once
	Silent   bool          // Base does not tell when it has connected: no request connects before its Start
	Reserved bool          // a request with a gap or a slot connects only for a Start that is reserved elsewhere
	Returns  bool          // package queue tries one request of the lane after the other, so a refused one comes back behind no promised turn
}

// Free reports whether terms ask for nothing. Then a turn waits only if there is a lane
// already.
func (terms *Terms) Free() bool {
	return terms.Gap == 0 && terms.Slots == 0
}

// A LateError says that a turn would come too late.
type LateError struct {
	Turn  time.Time // when to come back: behind the requests that wait, and behind promised turns
	Cause Cause
	Why   string // more of the Cause
	Err   error  // the error of a context whose deadline has come, or of the turns that have failed; else nil

	Unknown bool // the rules are not known yet
}

func (e *LateError) Error() string {
	return fmt.Sprintf("the turn would come at %s: %s", e.Turn.Format(time.RFC3339Nano), e.Why)
}

// An Arrival is when a request comes. The zero Arrival is now, after a time that is not
// known.
type Arrival struct {
	At   time.Duration // since the Lanes were made, about
	Idle time.Duration // how long no request of its key has come before
}

// An Admission goes with a request that was handed on. The request is counted until Done. The zero
// Admission is for a request that counts nowhere.
type Admission struct {
	Ticket  *Ticket  // nil if the request is alone in its lane and has nothing to keep
	counter *counter // if Ticket is nil
	hash    uint64   // of the lane, if Ticket is nil
	lone    bool     // it is counted as the one without a ticket
}

// Well notes that a section of the site has answered well. It is for a request without a ticket.
func (a Admission) Well(section uint8) {
	if a.counter != nil {
		a.counter.learn(a.hash, section)
	}
}

// Closes notes whether the answer to the request closes its connection: then the next one has to connect.
func (a Admission) Closes(closes bool) {
	counter := a.counter
	if a.Ticket != nil {
		counter = a.Ticket.lane.counter
	}
	if counter != nil {
		counter.mark(shut, closes)
	}
}

// Done ends the ticket, or the counting of the request. Call it once. If there is a Ticket, its Done is
// enough.
func (a Admission) Done() {
	if a.lone {
		a.counter.mark(lone, false)
	}
	if a.counter != nil {
		a.counter.leave()
	}
	a.Ticket.Done()
}

// Begin hands on a request of key, and reports whether it can. If not, the request has to Join the
// line. If others may overtake the request before it is written, it gets a Ticket.
func (ls *Lanes[K]) Begin(key K, terms Terms, came Arrival) (Admission, bool) {
	hash := ls.hash(key)
	counter := ls.company.of(hash)
	alone := counter.enter() // count first, then read the break: breakUntil does the reverse, so one of the two sees the other
	if came == (Arrival{}) {
		came.At = time.Since(ls.born)
		came.Idle = counter.idle(hash, came.At)
	}
	hooked := !alone || came.Idle > keptFor || counter.is(shut) || terms.Ceiling == 1
	keeps := !terms.Free() || hooked
	if !keeps && ls.size.Load() == 0 {
		counter.note(hash, came.At)
		return counter.admit(hash), true
	}
	return ls.begin(key, terms, hash, hooked)
}

// begin is Begin for a request that is counted, and may have a lane.
func (ls *Lanes[K]) begin(key K, terms Terms, hash uint64, hooked bool) (Admission, bool) {
	counter, at, keeps := ls.company.of(hash), time.Now(), !terms.Free() || hooked
	ls.tidy(at)
	l := ls.lane(key, hash, keeps)
	counter.note(hash, at.Sub(ls.born)) // not before: a lane that is new goes by what was before
	if l == nil || !keeps && ls.drop(key, hash, l, at) {
		return counter.admit(hash), true
	}
	defer l.mu.Unlock()
	l.limit.Know(counter.known(hash))
	ls.share(key, l, terms, at)
	if l.line.length > 0 || l.reserves(terms) || !l.open(terms, at) {
		counter.leave()
		return Admission{}, false
	}
	if l.limit.Under() > 0 || l.wire.last.next(0).After(at) { // others came after it was counted, or the one before was written later than it connected
		hooked, keeps = true, true
	}
	if !keeps && l.limit.Slow() == 0 && (!terms.Limit || l.limit.isWell(at)) {
		l.touch(at)
		return counter.admit(hash), true
	}
	t := &Ticket{lane: l, terms: terms}
	l.connect(t, at, hooked)
	return Admission{Ticket: t}, true
}

// Connected notes how long a request of key took to connect. It is for a request that takes no turn.
func (ls *Lanes[K]) Connected(key K, took time.Duration) {
	ls.leads.learn(took)
	l := ls.lane(key, ls.hash(key), true)
	defer l.mu.Unlock()
	l.connected(took)
}

// Answered learns from an answer to a request of key that took no turn, since it was alone.
func (ls *Lanes[K]) Answered(key K, terms Terms, a Answer) Outcome {
	hash := ls.hash(key)
	l := ls.lane(key, hash, true)
	defer l.mu.Unlock()
	now := time.Now()
	l.begun.at = clock.Later(l.begun.at, now)
	l.limit.Know(l.counter.known(hash))
	l.limit.begin(now)
	return l.answered(l.limit.at(now), now, now, terms.Limit, a)
}

// Correct tells that the answer to the request of t, which Answered has told as good or neutral, is bad: its
// body has shown that. Call it once. t may be done, and its lane may be forgotten and begun anew since.
func (ls *Lanes[K]) Correct(key K, t *Ticket, answer Answer) Outcome {
	counted, trouble := t.countedAt()
	l := ls.lane(key, ls.hash(key), true)
	defer l.mu.Unlock()
	o := l.corrected(l.limit.at(counted), t.terms.Limit, answer, trouble)
	l.wake()
	return o
}

// Recheck looks whether the rules have changed for the requests of key that are not written
// yet. Those that they forbid are sent back, or end.
func (ls *Lanes[K]) Recheck(key K) {
	if ls.size.Load() == 0 {
		return
	}
	if l := ls.lane(key, ls.hash(key), false); l != nil {
		defer l.mu.Unlock()
		l.recheck()
	}
}

// Busy reports whether requests are under way, or wait for their turns.
func (ls *Lanes[K]) Busy() bool { return ls.company.busy() || ls.hasWaiting() }

// Enter counts a request of key that takes no turn, such as a request for robots.txt.
func (ls *Lanes[K]) Enter(key K) Admission {
	counter := ls.company.of(ls.hash(key))
	counter.enter()
	return Admission{counter: counter}
}

// Join joins the end of the line of key. It returns a LateError if the turn
// would come after the end of ctx or of terms.MaxWait, or if MaxQueue others wait
// already.
func (ls *Lanes[K]) Join(ctx context.Context, key K, terms Terms) (*Ticket, error) {
	l := ls.lane(key, ls.hash(key), true)
	defer l.mu.Unlock()
	now := time.Now()
	t := newTicket(ctx, l, terms, now)
	ls.share(key, l, terms, now)
	if t.late(l.turn(terms, now), now) {
		return nil, t.lateError(now)
	}
	if l.line.length == 0 && terms.MaxQueue <= 0 && (terms.Joins || l.reserves(terms)) && l.open(terms, now) {
		t.noQueue = true
		limit := now.Add(soon)
		t.waitsUntil, t.deadline = soonest(t.waitsUntil, limit), soonest(t.deadline, limit)
	} else if l.line.length >= terms.MaxQueue {
		return nil, l.refuse(terms, leastWait, now, Full, tooMany(terms.MaxQueue))
	}
	l.line.insert(t, l.line.last)
	return t, nil
}

// tooMany says why a request cannot wait: most requests may wait, and as many do.
func tooMany(most int) string {
	if most <= 0 {
		return "no request may wait here (MaxQueue)"
	}
	return fmt.Sprintf("no more than %d may wait here (MaxQueue)", most)
}

// soon is how long a request that does not wait may take to reserve its start, and to connect.
const soon = time.Second

// Rejoin joins the line of key for a request that was sent back: before all that were not, and in the
// order in which they connected. It returns a LateError if the turn would come too late. It returns
// another ticket, since the old attempt may still call back.
func (ls *Lanes[K]) Rejoin(ctx context.Context, key K, terms Terms, back *Ticket) (*Ticket, error) {
	l := ls.lane(key, ls.hash(key), true)
	defer l.mu.Unlock()
	now := time.Now()
	t := newTicket(ctx, l, terms, now)
	t.number = back.number
	if t.late(l.ready(t.gap(), now), now) {
		return nil, t.lateError(now)
	}
	l.line.addBack(t)
	return t, nil
}

// Promise returns when a request that is refused for a cause before it joins the line should come
// back, if it could have its turn at turn.
func (ls *Lanes[K]) Promise(key K, terms Terms, turn time.Time, cause Cause) time.Time {
	l := ls.lane(key, ls.hash(key), true)
	defer l.mu.Unlock()
	return l.promise(turn, terms, time.Now(), cause)
}

// Take waits for a turn by terms that do not change meanwhile. The ticket is nil if the request was
// alone.
func (ls *Lanes[K]) Take(ctx context.Context, key K, terms Terms) (*Ticket, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if a, ok := ls.Begin(key, terms, Arrival{At: 1}); ok {
		if a.Ticket == nil {
			a.Done()
		}
		return a.Ticket, nil
	}
	t, err := ls.Join(ctx, key, terms)
	if err != nil {
		return nil, err
	}
	defer t.Leave()
	for {
		if _, err := t.Wait(ctx, nil, 0); err != nil {
			return nil, err
		}
		if t.Connect(nil) {
			return t, nil
		}
	}
}

// Break lets no turn of key begin before until. After this time one goes first, and the
// others follow its answer.
func (ls *Lanes[K]) Break(key K, until time.Time) {
	l := ls.lane(key, ls.hash(key), true)
	defer l.mu.Unlock()
	l.breakUntil(until)
}

// Wake lets the first in each line look whether its start is void.
func (ls *Lanes[K]) Wake() {
	for _, l := range ls.each {
		l.mu.Lock()
		l.retry(time.Now())
		l.wake()
		l.mu.Unlock()
	}
}

// Next returns when a turn of key could begin, and the gap that it would keep.
func (ls *Lanes[K]) Next(key K, terms Terms) (turn time.Time, gap time.Duration) {
	l := ls.lane(key, ls.hash(key), false)
	if l == nil {
		l = newLane(new(counter), &ls.leads)
		l.mu.Lock()
	}
	defer l.mu.Unlock()
	return l.turn(terms, time.Now()), l.gapOf(terms)
}

// Limit returns what the site of key bears, as its answers tell. It is zero if there was none.
func (ls *Lanes[K]) Limit(key K) (s limit.State) {
	if l := ls.lane(key, ls.hash(key), false); l != nil {
		defer l.mu.Unlock()
		s = l.limit.state(time.Now())
	}
	return s
}

// BreakEnd returns when the last break of key ends.
func (ls *Lanes[K]) BreakEnd(key K) (until time.Time) {
	if ls.size.Load() == 0 {
		return until
	}
	if l := ls.lane(key, ls.hash(key), false); l != nil {
		defer l.mu.Unlock()
		until = l.limit.breakEndsAt()
	}
	return until
}

// Evicted reports whether a key may have a break that the Lanes do not know any more,
// since they keep no more keys than they may.
func (ls *Lanes[K]) Evicted(key K) bool {
	return ls.lost.any() && ls.lost.has(ls.hash(key)) && !ls.BreakEnd(key).After(time.Now())
}
