// Package lane lets requests take turns in lanes. A lane keeps the order in which requests came, the
// gap between their writes, a limit on how many are under way, and breaks.
//
// A request in a lane has a Ticket. net/http connects and writes in one call. So the lane is asked
// twice: whether the request may connect, and whether it may be written once its connection is ready.
// What is known at the second time decides.
//
//	ticket:  waits ──Connect──▶ connects ──Connected──▶ ready ──▶ written ──Answered──▶ ──Done──▶
//	           ▲                    │                     │
//	           └───── Rejoin ───────┴── break, new rules ─┘
//	lane:    well ──bad answer, or the site asks──▶ break ──until──▶ trial ──good──▶ well
//	                                                  ▲───── bad ──────┘
//
//	lane.go      what a lane knows, when the next may connect, and when a refused one may come back
//	lanes.go     the lanes of all keys: a request comes, an answer is told
//	ticket.go    a request, from its first wait to the end of its answer
//	line.go      the tickets that wait, in order, and when those that are refused are to come back
//	wire.go      the tickets whose connections are ready, and which of them is written
//	learn.go     what the answers say of the site, told to package limit
//	fleet.go     the starts that others reserve for tickets, and how long before they connect. Who reserves
//	             them, and hands on those of callers that leave, is package fleet
//	group.go     a request with tickets in two lanes, one above the other
//	share.go     how many requests of this process a ceiling allows that others share
//	company.go   counts requests that are alone, which need no ticket and no lane: lanes.go lets them go
//	state.go     what waits, and why, for people
//	forget.go    the map of the lanes, and which are forgotten: the idle first, then as package fair says
//
// Each fact has one place. learn.go alone tells package limit what has begun and ended, and of breaks.
//
//	fact                 is held in                                      is changed in
//	break                limit.pause.end                                 limit/pause.go
//	  asked by the site  limit.pause.asked                               limit/lesson.go, limit/pause.go
//	  forgotten          evicted.some                                    forget.go
//	trial                limit.pause.slow                                limit/limit.go, limit/pause.go
//	under way            limit.window.under                              limit/limit.go, limit/window.go
//	  before a break     limit.trouble.behind                            limit/limit.go
//	  in company         counter.under                                   company.go
//	  alone              counter.flags                                   company.go
//	last connect         lane.begun                                      lane.go, lanes.go
//	last write           wire.last                                       lane.go, wire.go
//	starts               Ticket.start, underway.reservation              fleet.go, ticket.go
//	slots                underway.slot                                   lane.go, ticket.go
//	  written            underway.onWire                                 lane.go, wire.go
package lane

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/limit"
)

// A lane has the requests that take turns with each other, and what is known of their site.
type lane struct {
	mu         sync.Mutex
	forgotten  bool     // it is in no map any more
	sharers    uint8    // processes that share the ceiling; 0: this one is not known to the others
	rank       uint8    // of this process among them
	wantedIn   uint16   // the second since limit.born, from 1, in which a share was wanted last
	logged     uint16   // the causes that were logged since loggedAt because requests wait for long
	counter    *counter // of the requests that are under way in it
	unanswered *Ticket  // the unanswered tickets, as a list: the one that connected last
	bodies     *Ticket  // the tickets that keep their slots until their bodies are done, as a list: the one that was answered last
	order      int64    // smaller for a lane that came before

	line          line
	begun         spaced // when the last one connected: if connecting takes longer than the gap, others connect before it is written
	wire          wire
	limit         siteLimit
	longestGap    time.Duration // the longest gap so far, also of others that share the lane
	shared        int64         // the generation in which others were told of this break; 0: not yet
	slotTime      time.Duration // how long slots are usually taken
	number        uint64        // of the last one that connected
	lead          *lead         // of those with a start; nil until there is one
	leads         *lead         // of all lanes
	reservedAhead time.Duration // about the longest time from reserving a start to the start
	loggedAt      time.Duration // since limit.born
	quietUntil    time.Duration // since limit.born: until then, the lane does not tell that no request has an answer
	promised      *promises     // nil until a request is refused
}

func newLane(of *counter, leads *lead) *lane {
	return &lane{counter: of, leads: leads, limit: siteLimit{born: time.Now()}}
}

// isUsed reports whether a request of l waits, or is under way.
func (l *lane) isUsed() bool { return l.unanswered != nil || l.bodies != nil || l.line.length > 0 }

// need returns until when l has a gap or a break to keep, and until when it helps to remember l.
func (l *lane) need(now time.Time) (binds, helps time.Time) {
	binds = clock.Later(l.limit.breakEndsAt(), clock.Later(l.begun.at.Add(l.longestGap), l.wire.last.at.Add(l.wire.last.gap))) // the next turn may have that gap again
	helps = binds
	if l.begun.gap > 0 { // which the site may make longer
		helps = clock.Later(helps, l.begun.at.Add(rememberFor))
	}
	helps = clock.Later(helps, clock.Later(l.begun.at, l.limit.born).Add(l.limit.helps(now))) // also if others have told of it
	if l.limit.Slow() > 0 {
		helps = clock.Later(helps, l.limit.breakEndsAt().Add(RememberLimit))
	}
	helps = clock.Later(helps, l.promised.until())
	return binds, helps
}

// retire forgets l if nobody uses it, and nobody is helped by it after a time. It returns until when l has a
// gap or a break to keep, and whether it is used, or forgotten.
func (l *lane) retire(after time.Time) (binds time.Time, used, forgotten bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	binds, helps := l.need(after)
	used = l.isUsed()
	l.forgotten = l.forgotten || !used && !helps.After(after)
	return binds, used, l.forgotten
}

// gapOf returns the gap that terms ask for.
func (l *lane) gapOf(terms Terms) time.Duration {
	if !terms.Limit {
		return terms.Gap
	}
	return max(terms.Gap, l.limit.gap())
}

// open reports whether a request by terms can connect now.
func (l *lane) open(terms Terms, now time.Time) bool {
	return l.slot(terms) && !l.wire.holdsLine(now) && !l.next(l.gapOf(terms), now).After(now)
}

// reserves reports whether a request by terms needs a start that is reserved.
func (l *lane) reserves(terms Terms) bool {
	return terms.Reserved && (terms.Slots > 0 || l.gapOf(terms) > 0) || l.needsRight(terms)
}

// needsRight reports whether a request by terms is the trial for all processes that share the lane.
func (l *lane) needsRight(terms Terms) bool {
	return terms.Reserved && l.limit.Slow() == 1 && time.Now().Before(l.limit.breakEndsAt().Add(limit.Patience))
}

// tinyGap is more than the gap of a request that asks for none, but keeps those of others.
const tinyGap = time.Millisecond

// ahead returns how long before its start a request by terms connects, and how long connecting usually
// takes.
func (l *lane) ahead(terms Terms) (long, usual time.Duration) {
	if terms.Silent || !l.reserves(terms) || max(l.gapOf(terms), l.longestGap) < tinyGap {
		return 0, 0
	}
	long, usual, known := l.lead.now()
	if known < leadTimes {
		if all, most, _ := l.leads.now(); known == 0 || all > long {
			return all, most
		}
	}
	return long, usual
}

// connected notes how long a request took to connect.
func (l *lane) connected(took time.Duration) {
	if l.lead == nil {
		l.lead = new(lead)
	}
	l.lead.learn(took)
}

// slot reports whether one more may be under way.
func (l *lane) slot(terms Terms) bool {
	return l.free(terms) && l.room(terms)
}

// free reports whether there is a free slot, or room below the ceiling.
func (l *lane) free(terms Terms) bool {
	under, most := l.bound(terms)
	return most == 0 || under < most
}

// bound returns how many requests are under way, and how many may be; 0 is any number. Requests with
// slots are under way until their bodies are done, all other requests until they are answered.
func (l *lane) bound(terms Terms) (under, most int) {
	switch {
	case terms.Slots > 0:
		return l.slotsTaken(), terms.Slots
	case terms.Ceiling > 1 && l.counter.is(lone): // each of the others tells the line when it is answered
		return l.limit.Under() + 1, l.ceiling(terms)
	default:
		return l.limit.Under(), l.ceiling(terms)
	}
}

// slotsTaken returns how many slots are taken.
func (l *lane) slotsTaken() (n int) {
	for t := range l.holders {
		if t.slot {
			n++
		}
	}
	return n
}

// slotsWritten returns how many slots are taken by requests that are written.
func (l *lane) slotsWritten() (n int) {
	for t := range l.holders {
		if t.slot && t.onWire {
			n++
		}
	}
	return n
}

// holders calls do for the tickets that may have a slot, until do returns false.
func (l *lane) holders(do func(*Ticket) bool) {
	for _, list := range [...]*Ticket{l.unanswered, l.bodies} {
		for t := list; t != nil; t = t.older {
			if !do(t) {
				return
			}
		}
	}
}

// next returns when the next request can connect if no answer comes before.
func (l *lane) next(ownGap time.Duration, now time.Time) time.Time {
	trial, _ := l.limit.waits(now)
	return clock.Later(clock.Later(now, l.begun.next(ownGap)), clock.Later(l.limit.breakEndsAt(), trial))
}

// ready returns when the next request can be written if only gaps and breaks count.
func (l *lane) ready(ownGap time.Duration, now time.Time) time.Time {
	return clock.Later(clock.Later(now, l.limit.breakEndsAt()), clock.Later(l.begun.next(ownGap), l.wire.last.next(ownGap)))
}

// turn returns when a turn by terms could begin after all that wait.
func (l *lane) turn(terms Terms, now time.Time) time.Time {
	if l.line.first == nil {
		return l.ready(l.gapOf(terms), now)
	}
	return l.ready(l.line.first.gap(), now).Add(l.behind(terms))
}

// refuse returns the error for a request by terms that has no place in the line. The
// request learns a turn behind those that wait, and behind those that were refused before.
// It comes after least at the earliest.
func (l *lane) refuse(terms Terms, least time.Duration, now time.Time, cause Cause, why string) *LateError {
	turn := l.turn(terms, now)
	under, most := l.bound(terms)
	if busy := under + l.line.length; most > 0 && busy >= most {
		turn = clock.Later(turn, now.Add(l.usualSlotTime(now)*time.Duration(min(busy/most, mostPromises))))
	}
	return &LateError{Turn: l.promise(clock.Later(turn, now.Add(least)), terms, now, cause), Cause: cause, Why: why}
}

// promise returns when to come back after a cause if a turn by terms could begin at turn. It lies
// behind all turns that were promised before. While turns fail, nobody knows which will be free, so it does not lie far
// behind.
func (l *lane) promise(turn time.Time, terms Terms, now time.Time, cause Cause) time.Time {
	if terms.Returns {
		return turn
	}
	if l.promised == nil {
		l.promised = new(promises)
	}
	longest := longestWait
	if cause == Failed {
		longest = longestFailed
	}
	return l.promised.tell(turn, l.step(terms, now), now, longest)
}

// longestFailed is how far the turns lie behind each other that are promised while turns fail.
const longestFailed = 30 * time.Second

// step returns how long after one turn the next is likely to begin if both are by terms.
func (l *lane) step(terms Terms, now time.Time) time.Duration {
	ownGap := l.gapOf(terms)
	step := min(ownGap, longestWait) + jitter(terms.Jitter, ownGap)
	most := 0
	if !terms.Limit { // else the slow start is over with the first good answer
		most = l.limit.Slow()
	}
	if _, bound := l.bound(terms); bound > 0 && (most == 0 || bound < most) {
		most = bound
	}
	if most > 0 || step < tinyGap {
		step = max(step, l.usualSlotTime(now)/time.Duration(max(most, 1)))
	}
	if terms.MaxQueue <= 0 { // nobody can wait for one that comes back a little late
		step += step / 64
	}
	return step
}

// usualSlotTime returns how long a turn is likely to be under way.
func (l *lane) usualSlotTime(now time.Time) time.Duration {
	switch {
	case l.slotTime > 0:
		return min(l.slotTime, longestStep)
	case l.unanswered != nil || l.bodies != nil: // since the last turn began, at least
		return min(max(firstSlotTime, now.Sub(l.begun.at)), limit.Patience)
	default:
		return firstSlotTime
	}
}

const (
	// firstSlotTime is how long a turn stays under way if nothing is known of the server.
	firstSlotTime = 100 * time.Millisecond

	// leastWait is when a request may come back if nobody knows when its turn comes.
	leastWait = time.Second
)

// longestJitter is the most that chance makes a gap longer.
const longestJitter = 24 * time.Hour

// jitter returns how much longer a gap is by a part of it.
func jitter(part float64, gap time.Duration) time.Duration {
	longer := part * float64(gap)
	if !(longer > 0) { // also if it is no number
		return 0
	}
	return time.Duration(min(longer, float64(longestJitter)))
}

// connect begins the turn of t, whose request is counted already. hooked says that t has to ask again
// when its connection is ready, even if t has nothing to keep.
func (l *lane) connect(t *Ticket, now time.Time, hooked bool) {
	t.stage, t.begun, t.ownGap = connects, now, l.gapOf(t.terms)
	t.nextGap = t.ownGap
	if t.terms.Jitter > 0 {
		t.nextGap += jitter(rand.Float64()*t.terms.Jitter, t.ownGap)
	}
	t.earlier = l.begun
	l.begun = spaced{clock.Later(now, t.start.From), t.nextGap} // it is not written before its start
	l.longestGap = max(l.longestGap, t.nextGap)
	l.promised.noteArrival(now)
	if t.number == 0 { // one that was sent back keeps its own
		l.number++
		t.number = l.number
	}
	t.counted = l.limit.at(now)
	l.limit.begin(now)
	t.slot = t.terms.Slots > 0
	if t.hooked = hooked || t.nextGap > 0 || l.limit.Slow() > 0; !t.hooked {
		l.write(t, now)
	}
	t.link(&l.unanswered)
}

// write notes that t is written.
func (l *lane) write(t *Ticket, now time.Time) {
	l.wire.last, t.written, t.onWire = spaced{now, t.nextGap}, now, true
}

// touch notes that a request is handed on that has nothing to keep.
func (l *lane) touch(now time.Time) {
	l.begun, l.wire.last = spaced{at: now}, spaced{at: now}
	l.number++ // nothing before is undone any more
	l.promised.noteArrival(now)
}

// resume lets a new lane of a key that was forgotten go on from the last request that was handed on.
func (l *lane) resume(last time.Time) { l.begun.at, l.wire.last.at = last, last }

// undo takes back the turn of t, whose caller has gone before t was written: the next request connects as
// if t had never been. A ticket that is sent back comes again.
func (l *lane) undo(t *Ticket) {
	if t.number == l.number && t.unused() && t.callerGone() && !t.back {
		l.begun = t.earlier
		l.wake()
	}
}

// link adds t to a list, as the newest.
func (t *Ticket) link(list **Ticket) {
	if t.older = *list; t.older != nil {
		t.older.newer = t
	}
	*list = t
}

// unlink removes t from its list.
func (t *Ticket) unlink(list **Ticket) {
	if t.newer == nil {
		*list = t.older
	} else {
		t.newer.older = t.older
	}
	if t.older != nil {
		t.older.newer = t.newer
	}
	t.older, t.newer = nil, nil
}

// breakUntil lets no turn begin before until.
func (l *lane) breakUntil(until time.Time) {
	if now := time.Now(); l.limit.breakUntil(until, now) {
		l.broken(now)
	}
}

// broken follows a break that has begun, or lasts longer.
func (l *lane) broken(now time.Time) {
	l.shared = 0
	l.stop(now)
	l.retry(now)
	l.refuseLate(now)
}

// retry lets the first in the line look at once for a start elsewhere: what it waits for there may be gone.
func (l *lane) retry(now time.Time) {
	if t := l.line.first; t != nil && t.retry.After(now) {
		t.retry = now
	}
}

// stop ends the requests that must not be written because a break has begun.
func (l *lane) stop(now time.Time) {
	for t := l.unanswered; t != nil; t = t.older {
		t.stop()
	}
	for _, t := range l.wire.waiting {
		t.notify()
	}
}

// recheck looks whether the rules have changed for the requests that are not written yet. Requests that
// the rules now forbid are sent back, or end.
func (l *lane) recheck() {
	for t := l.unanswered; t != nil; t = t.older {
		if t.stage != written && t.stage != ready && t.failure == nil && t.binding.Stoppable && t.changed() {
			t.binding.Lose(t.reject(ErrRules))
		}
	}
}

// room reports whether the site bears one more request by terms. A request that cannot wait always has
// room.
func (l *lane) room(terms Terms) bool {
	return !terms.Limit || terms.Many || terms.MaxQueue <= 0 || l.limit.Fits() || l.limit.Room(l.limit.at(time.Now()))
}

// answered learns from an answer to a request that was counted and written at some time. limited
// says that it keeps to what the site bears.
func (l *lane) answered(counted time.Duration, written, now time.Time, limited bool, a Answer) Outcome {
	last, trouble := l.limit.breakEndsAt(), l.limit.Trouble()
	asks, changed := l.limit.end(counted, now, now.Sub(written), limited, a)
	o := l.follow(asks, changed, now, last)
	if a.Kind == limit.Good {
		o.ended = trouble
	}
	return o
}

// corrected learns that an answer to such a request, which was taken for a good one, is bad.
func (l *lane) corrected(counted time.Duration, limited bool, a Answer, ended limit.Trouble) Outcome {
	now, last := time.Now(), l.limit.breakEndsAt()
	asks, changed := l.limit.correct(counted, now, limited, a, ended)
	return l.follow(asks, changed, now, last)
}

// follow does what an answer asks for. changed says that the gap has changed; last is when the break
// before ends.
func (l *lane) follow(asks limit.Asks, changed bool, now, last time.Time) (o Outcome) {
	l.line.stale = l.line.stale || changed
	o.Counted, o.Taken, o.Tells = asks.Counted, asks.Taken, asks.Incident || asks.Over
	if o.Tells {
		o.Limit, o.Lesson = l.limit.state(now), l.limit.lesson(now)
	}
	if until := l.limit.breakEndsAt(); until.After(last) {
		if asks.Break > 0 {
			o.Until = until
		}
		l.broken(now)
	}
	return o
}

const (
	// rememberFor is how long a lane remembers how fast a server is, and that it has asked
	// for a break.
	rememberFor = time.Minute

	// longestDown is how long a request waits for a site that is down, if it has no limit of
	// its own. Nobody knows when such a site is back.
	longestDown = time.Minute
)

// isDown reports whether a break is on for which the site has not asked, and which lasts long.
func (l *lane) isDown(now time.Time) bool {
	end, asked := l.limit.BreakEnd()
	return !asked && end-l.limit.at(now) > longestDown
}

// learnSlotTime learns how long a slot was taken.
func (l *lane) learnSlotTime(took time.Duration) {
	if l.slotTime == 0 {
		l.slotTime = took
	}
	l.slotTime += (took - l.slotTime) / 4
}

// wake tells the first in the line, and at the wire, that something has changed.
func (l *lane) wake() {
	if l.line.first != nil {
		l.line.first.notify()
	}
	l.wire.notify()
}
