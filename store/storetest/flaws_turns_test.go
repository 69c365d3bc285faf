package storetest_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
)

var turnsFlaws = []flaw{
	{"keeps no gap", "the gap counts from the start, also when time has passed"},
	{"counts the gap from the start or from now", "a gap that is over does not count"},
	{"goes by the asker's gap", "the longer gap of two askers counts, whoever comes first"},
	{"goes by the gap of the start before", "the longer gap of two askers counts, whoever comes first"},
	{"forgets a lane after its gap", "a longer gap counts when the start before has been"},
	{"cuts a gap to a day", "a gap of 30 days is kept whole"},
	{"knows no slack", "a start is so much later as the one before may be"},
	{"knows no NotBefore", "a gap of 30 days is kept whole"},
	{"adds NotBefore to the next start", "a start that is given back is no sooner than NotBefore"},
	{"trims names", "a lane may have any name"},
	{"takes any empty token for the newest", "a token may be any text"},
	{"is late at MaxWait", "a start that a break puts off may be late"},
	{"is never late", "a start after MaxWait is not reserved"},
	{"reserves what is late", "a start after MaxWait is not reserved"},
	{"reserves what is late", "what is late does not count, also in an empty lane"},
	{"loses the newest start for who is late", "what is late leaves the starts of others"},
	{"gives back the newest start if one is late", "what is late leaves the starts of others"},
	{"reserves again for each Take", "a repeated Take returns the same start"},
	{"returns a start if it is the newest", "a repeated Take returns the same start, also if a sooner one is free by now"},
	{"forgets the start of who names a NotBefore", "a repeated Take returns the same start, also if a sooner one is free by now"},
	{"puts off nobody who takes again", "a Take with other terms leaves its start to others"},
	{"does not replace a start that has been", "who did not use his start may take another at once"},
	{"returns starts that are over", "who did not use his start may take another at once"},
	{"returns starts in their slack", "a start that has been is not returned: it would be later than its slack"},
	{"keeps one start for a token", "a token has a start in each lane"},
	{"gives nothing back", "a start that is given back is free again"},
	{"gives back what was used", "a start that was used is not given back"},
	{"does not give back the only start", "the only start can be given back"},
	{"gives back the newest start alone", "a start between others that is given back is free for who keeps the gaps to both"},
	{"reserves behind all others", "a start between others that is given back is free for who keeps the gaps to both"},
	{"reserves behind all others", "a shorter gap moves those up who take again, the first of them first"},
	{"keeps no gap to a start behind", "a start between others that is given back is free for who keeps the gaps to both"},
	{"goes by the gap of the start behind", "the longer gap of two counts, also to the start behind"},
	{"gives back the newest start alone", "each of many starts is free again if it is given back"},
	{"reserves again for each Take", "a repeated Take returns the same start, also if others have reserved behind it"},
	{"gives back the newest start, whoever has it", "a repeated Done harms nobody"},
	{"gives back all starts", "starts that are given back one after the other leave those before"},
	{"gives back the start of a token that begins so", "Done of what was not reserved does nothing"},
	{"ends a break with Done", "Done leaves a break"},
	{"knows no Slots", "each lane has slots of its own"},
	{"trims names", "each lane has slots of its own"},
	{"goes by the Slots of the first asker", "each asker's own Slots counts"},
	{"trims the tokens of slots", "each token has a slot of its own"},
	{"counts the slot of who asks", "a slot does not count against the token that has it"},
	{"takes a slot for each Take", "a slot does not count against the token that has it"},
	{"reserves what is busy", "what is busy reserves no start"},
	{"takes slots for what is late", "what is late takes no slot"},
	{"keeps the slack to slots without a gap", "a lane may have slots and no gap"},
	{"takes slots for what is to come", "a start further away than its slack and lead has no slot"},
	{"is busy for what is to come", "a start further away than its slack is reserved, also if all slots are taken"},
	{"takes slots at the start alone", "a start no further away than its slack takes a slot"},
	{"says only that slots are taken early", "a start no further away than its slack and lead may take a slot"},
	{"takes slots early and does not say so", "a start no further away than its slack and lead may take a slot"},
	{"reserves what is busy early", "a start no further away than its slack and lead may be busy, and is not reserved then"},
	{"takes the lead for slack", "a lead changes no start"},
	{"takes another start with the slot", "who takes again when his start is near gets the same start and a slot"},
	{"knows no break for who asks without a gap", "a break lets slots be taken when its end is near"},
	{"takes slots at the start alone", "a break lets slots be taken when its end is near"},
	{"frees slots that were not used", "Done frees the slot, whether the start was used or not"},
	{"frees slots that were not used", "Done frees the slot and leaves a start that was used"},
	{"gives back what was used", "Done frees the slot and leaves a start that was used"},
	{"frees a slot with each Done", "Done of what has no slot frees none"},
	{"frees a slot with each Done", "a repeated Done frees no slot of another"},
	{"knows no leases", "the end of its lease frees a slot"},
	{"goes by the asker's lease", "each slot has a lease of its own"},
	{"frees the slot of who is busy", "only Done and the end of its lease free a slot"},
	{"keeps the first lease", "a repeated Take begins the lease anew"},
	{"renews nothing", "Renew lets a slot be taken for longer"},
	{"adds to leases", "a lease that is renewed counts from then"},
	{"revives what is over", "Renew tells which slots are lost"},
	{"renews in all lanes", "a slot is renewed in its own lane"},
	{"renews one slot", "Renew renews slots of many lanes"},
	{"revives what is over", "Renew revives nothing"},
	{"begins no break", "no start is in a break"},
	{"forgets the starts in a break", "a break keeps the gap to the start before"},
	{"counts a break only if nothing was reserved after it", "a break counts after the starts that were reserved before it"},
	{"knows no break for who takes again", "who takes again in a break is put off"},
	{"goes by the last Break", "a break is not shortened"},
	{"goes by the first Break", "Watch tells of a break that becomes longer"},
	{"never ends a break", "a break ends"},
	{"is not late for a break", "a start that a break puts off may be late"},
	{"puts off who asks without a gap", "who asks without a gap is told the break alone"},
	{"tells the next start to who asks without a gap", "who asks without a gap is told the break alone"},
	{"reserves without a gap", "who asks without a gap reserves nothing"},
	{"tells the next start to who asks without a gap", "who asks without a gap reserves nothing"},
	{"trims names", "lanes have breaks of their own"},
	{"tells of an empty break at first", "Watch tells at first that there is no break"},
	{"tells the zero Change first", "Watch tells of the breaks under way before the zero Change"},
	{"tells of breaks that are over", "Watch tells of the breaks under way before the zero Change"},
	{"tells of breaks under way alone", "Watch tells of the breaks that begin"},
	{"is slow to tell", "Watch tells of the breaks that begin"},
	{"tells the length that Break said", "Watch does not tell that a break becomes shorter"},
	{"tells the zero Change every two seconds", "Watch tells the zero Change again and again"},
	{"tells one watcher", "each watcher hears of all breaks"},
	{"tells after Watch has returned", "Watch ends when its context does"},
	{"watches on after its context has ended", "Watch ends when its context does"},
	{"watches on after Close", "Watch ends with ErrClosed when Turns is closed"},
	{"ends a Watch after Close without an ErrClosed", "Watch ends with ErrClosed when Turns is closed"},
	{"tells while nobody else can call", "who hears slowly holds up nobody"},
	{"tells one watcher", "Watch tells of an entry that is replaced by another"},
	{"trims names", "Watch tells of an entry that is replaced by another"},
	{"is slow to tell", "Watch tells of an entry that is replaced by another"},
	{"tells of a key once", "Watch tells of each entry that replaces another"},
	{"tells of no empty entry", "Watch tells of each entry that replaces another"},
	{"compares entries up to a NUL", "Watch tells of each entry that replaces another"},
	{"tells of first entries", "Watch tells of nothing but entries of other octets"},
	{"tells of what is lost", "a Put that is lost tells nothing"},
	{"tells nothing after the empty key", "an entry of the empty key does no harm"},
	{"tells while nobody else can call", "who hears slowly of entries holds up nobody"},
	{"reports and does not watch", "Report tells of breaks as Watch does"},
	{"tells of a Profile once", "Report tells of another Profile again and again"},
	{"tells of each Profile", "Report does not tell of an equal Profile"},
	{"teaches and begins no break", "Teach begins a break as Break does"},
	{"teaches and begins a break always", "Teach without a wait begins no break"},
	{"tells one watcher", "each Watch tells lessons as they come"},
	{"forgets lessons at once", "Watch tells the newest lessons before the zero Change"},
	{"trims lessons", "a lesson is told as it is"},
	{"tells long lessons", "a lesson that is empty or too long is not told, but its break is"},
	{"looks and reserves in two steps", "many who take, give back and take again keep the gaps"},
	{"gives back the newest start, whoever has it", "many who take, give back and take again keep the gaps"},
	{"takes digits for the same", "many in lanes of their own do not wait for each other"},
	{"counts and takes slots in two steps", "many who take slots at once are never too many"},
	{"frees a slot with each Done", "many who take slots at once are never too many"},
	{"counts and takes slots in two steps", "many who take starts and slots keep the gaps and are never too many"},
	{"looks and reserves in two steps", "many who take starts and slots keep the gaps and are never too many"},
	{"looks and breaks in two steps", "of many breaks that begin at once, the longest counts"},
	{"keeps all lanes apart by the largest gap", "numbers without sense do no harm to other lanes"},
	{"adds up beyond the largest number", "a gap without end is a long one"},
	{"adds up beyond the largest number", "a slack without end is a long one"},
	{"adds up beyond the largest number", "a break without end is a long one"},
	{"takes a slack below zero", "a slack or a lead below zero is zero"},
	{"adds up beyond the largest number", "a lead without end is a long one"},
	{"takes a lead below zero", "a slack or a lead below zero is zero"},
	{"takes a gap below zero for its amount", "a gap below zero reserves nothing"},
	{"takes slots below zero for their amount", "slots below zero are none"},
	{"keeps eight bits of Slots", "slots without end are many"},
	{"takes a lease below zero for its amount", "a lease below zero is over"},
	{"adds up beyond the largest number", "a lease without end is a long one"},
	{"says nothing if the context has ended", "calls whose context has ended fail, or count"},
	{"forgets breaks in the next process", "a break outlives the process"},
	{"begins breaks anew in the next process", "a break outlives the process"},
	{"trims names", "each lane's break outlives the process"},
	{"begins breaks anew in the next process", "a break that is over has ended for the next process too"},
	{"forgets starts in the next process", "the next process keeps the gap to the last start"},
	{"tells of breaks that begin alone", "the next process hears of the breaks under way"},
	{"shares nothing between processes", "the gap counts from the start, also when time has passed"},
}

// A flawedTurns is Turns in memory that break one rule. Times are in nanoseconds since
// they began, and one.
type flawedTurns struct {
	flaw     string
	began    time.Time
	clock    func() time.Time
	beat     time.Duration
	mu       sync.Mutex
	lanes    map[string]flawedLane
	largest  int64 // of all gaps
	watchers int
	closed   bool

	store   *flawedStore // without a flaw
	entries []string     // the keys of those that were replaced
	reports []*flawedReport
	lessons map[string][]string // by lane
	calls   []store.Change      // tokens whose slots are kept
}

type flawedLane struct {
	starts []flawedStart // all, in order
	had    map[string]bool
	slots  map[string]flawedSlot
	queue  []flawedWaiter
	first  int   // Slots of the first asker
	until  int64 // the end of the break
	length int64 // of the last Break
	breaks int   // that changed something
}

type flawedStart struct {
	token          string
	at, gap, slack int64
}

type flawedSlot struct{ at, lease int64 }

func newFlawedTurns(flaw string) *flawedTurns {
	return &flawedTurns{
		flaw: flaw, began: time.Now(), clock: time.Now, beat: time.Second / 2, lanes: make(map[string]flawedLane), store: newFlawedStore("none"),
	}
}

func (s *flawedTurns) is(flaw string) bool { return s.flaw == flaw }
func (s *flawedTurns) now() int64          { return 1 + int64(s.clock().Sub(s.began)) }

func (s *flawedTurns) join() *flawedTurns {
	if s.is("shares nothing between processes") {
		return newFlawedTurns(s.flaw)
	}
	return s
}

func (s *flawedTurns) reopen() *flawedTurns {
	next := newFlawedTurns(s.flaw)
	next.began, next.clock, next.beat, next.store = s.began, s.clock, s.beat, s.store.reopen()
	for name, l := range s.lanes {
		switch {
		case s.is("forgets breaks in the next process"):
			l.until = 0
		case s.is("begins breaks anew in the next process"):
			l.until = s.now() + l.length
		case s.is("forgets starts in the next process"):
			l.starts = nil
		}
		next.lanes[name] = l
	}
	return next
}

// lane returns the name that a lane goes by, and a copy of what is kept for it.
func (s *flawedTurns) lane(name string) (string, flawedLane) {
	switch {
	case s.is("trims names"):
		name = strings.TrimSpace(name)
	case s.is("takes digits for the same"):
		name = strings.TrimRight(name, "0123456789")
	}
	l := s.lanes[name]
	l.starts, l.had, l.slots = slices.Clone(l.starts), maps.Clone(l.had), maps.Clone(l.slots)
	l.queue = slices.Clone(l.queue)
	if l.had == nil {
		l.had, l.slots = make(map[string]bool), make(map[string]flawedSlot)
	}
	return name, l
}

// pause lets others call, if that is the flaw.
func (s *flawedTurns) pause(flaw string) {
	if s.is(flaw) {
		s.mu.Unlock()
		time.Sleep(time.Nanosecond)
		s.mu.Lock()
	}
}

func (s *flawedTurns) add(a, b int64) int64 {
	if b > math.MaxInt64-a && !s.is("adds up beyond the largest number") {
		return math.MaxInt64
	}
	return a + b
}

func (s *flawedTurns) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	if ctx.Err() != nil {
		if s.is("says nothing if the context has ended") {
			return store.Grant{}, nil
		}
		return store.Grant{}, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	lane, l := s.lane(lane)
	now := s.now()
	ask = s.sane(ask)
	if ask.Gap <= 0 && ask.Slots <= 0 && !s.is("reserves without a gap") {
		return s.nothing(l, ask, now), nil
	}
	if !s.is("keeps no slot after a lease") && !(s.is("gives kept slots to others") && !ask.Queue) {
		s.handOn(lane, &l, now)
	}
	kept := l
	at := s.from(l, ask, now)
	if ask.Gap > 0 || s.is("reserves without a gap") || s.is("keeps the slack to slots without a gap") {
		l.starts, at = s.reserve(l, ask, at, now)
	}
	s.pause("looks and reserves in two steps")
	if ask.Queue && ask.Slots > 0 {
		grant := s.inQueue(&l, kept.starts, ask, time.Duration(at-now), now)
		s.lanes[lane] = l
		return grant, nil
	}
	grant := s.grant(&l, ask, time.Duration(at-now), now)
	switch {
	case grant.Late && s.is("loses the newest start for who is late") && l.had[ask.Token],
		grant.Late && s.is("gives back the newest start if one is late"):
		l.starts = kept.starts[:max(len(kept.starts)-1, 0)]
	case grant.Late && !s.is("reserves what is late"), grant.Busy && !s.is("reserves what is busy") && !s.is("reserves what is busy early"):
		l.starts = kept.starts
	default:
		l.had[ask.Token] = true
		s.largest = max(s.largest, int64(ask.Gap))
	}
	if s.is("keeps one start for a token") {
		s.dropAll(ask.Token)
	}
	s.lanes[lane] = l
	return grant, nil
}

// sane takes numbers below zero for zero.
func (s *flawedTurns) sane(ask store.Ask) store.Ask {
	switch {
	case s.is("takes a slack below zero"):
		return ask
	case s.is("takes a gap below zero for its amount"):
		ask.Gap = max(ask.Gap, -ask.Gap)
	case s.is("takes slots below zero for their amount"):
		ask.Slots = max(ask.Slots, -ask.Slots)
	case s.is("cuts a gap to a day"):
		ask.Gap = min(ask.Gap, 24*time.Hour)
	case s.is("keeps eight bits of Slots"):
		ask.Slots = int(int8(ask.Slots))
	case s.is("takes the lead for slack"):
		ask.Slack += ask.Lead
	}
	ask.Slack = max(ask.Slack, 0)
	return ask
}

// nothing is the answer to who asks for nothing.
func (s *flawedTurns) nothing(l flawedLane, ask store.Ask, now int64) store.Grant {
	left := max(l.until-now, 0)
	switch {
	case s.is("tells the next start to who asks without a gap") && len(l.starts) > 0:
		last := l.starts[len(l.starts)-1]
		left = max(left, s.add(last.at, last.gap)-now)
	case s.is("puts off who asks without a gap"):
		left = max(left, int64(ask.NotBefore))
	}
	return store.Grant{Wait: time.Duration(left)}
}

// from returns when the break and NotBefore are over.
func (s *flawedTurns) from(l flawedLane, ask store.Ask, now int64) int64 {
	until, notBefore := l.until, int64(ask.NotBefore)
	switch {
	case s.is("counts a break only if nothing was reserved after it") && len(l.starts) > 0 && l.starts[len(l.starts)-1].at > now,
		s.is("knows no break for who takes again") && l.had[ask.Token],
		s.is("knows no break for who asks without a gap") && ask.Gap <= 0:
		until = 0
	case s.is("knows no NotBefore"), s.is("adds NotBefore to the next start"):
		notBefore = 0
	}
	return max(until, now, s.add(now, max(notBefore, 0)))
}

// reserve returns all starts with the one for ask, which is not before from.
func (s *flawedTurns) reserve(l flawedLane, ask store.Ask, from, now int64) ([]flawedStart, int64) {
	starts := slices.Clone(l.starts)
	if s.is("forgets the starts in a break") && l.until > now {
		starts = nil
	}
	i := s.own(l, starts, ask.Token, now)
	if i >= 0 {
		if s.same(starts[i], ask, from, now, i == len(starts)-1) {
			return starts, max(starts[i].at, now)
		}
		starts = slices.Delete(starts, i, i+1)
	}
	place := 0
	if s.is("reserves behind all others") {
		place = len(starts)
	}
	for !s.fits(starts, place, ask, max(from, s.next(starts[:place], ask, now))) {
		place++
	}
	at := max(from, s.next(starts[:place], ask, now))
	if s.is("adds NotBefore to the next start") {
		at = s.add(at, int64(ask.NotBefore))
	}
	return slices.Insert(starts, place, flawedStart{ask.Token, at, int64(ask.Gap), int64(ask.Slack)}), at
}

// fits reports whether a start at a time leaves the start behind it its gap.
func (s *flawedTurns) fits(starts []flawedStart, place int, ask store.Ask, at int64) bool {
	if place == len(starts) {
		return true
	}
	gap := max(int64(ask.Gap), starts[place].gap)
	switch {
	case s.is("keeps no gap to a start behind"):
		gap = 0
	case s.is("goes by the gap of the start behind"):
		gap = starts[place].gap
	}
	return s.add(s.add(at, int64(ask.Slack)), gap) <= starts[place].at
}

// own returns the place of the start of a token, or -1.
func (s *flawedTurns) own(l flawedLane, starts []flawedStart, token string, now int64) int {
	last := len(starts) - 1
	switch {
	case s.is("reserves again for each Take"):
		return -1
	case s.is("takes any empty token for the newest") && token == "":
		return last
	}
	for i := last; i >= 0; i-- {
		if starts[i].token == token && !(s.is("does not replace a start that has been") && starts[i].at < now) {
			return i
		}
	}
	return -1
}

// same reports whether a start is returned again.
func (s *flawedTurns) same(own flawedStart, ask store.Ask, from, now int64, newest bool) bool {
	gap, slack, in := own.gap == int64(ask.Gap), own.slack == int64(ask.Slack), own.at >= from
	switch {
	case s.is("puts off nobody who takes again"):
		in = own.at >= now
	case s.is("forgets the start of who names a NotBefore"):
		in = in && ask.NotBefore <= 0
	case s.is("returns a start if it is the newest"):
		in = in && newest
	case s.is("returns starts that are over"):
		in = true
	case s.is("returns starts in their slack"):
		in = own.at+own.slack >= from
	case s.is("takes another start with the slot"):
		in = in && ask.Slots <= 0
	}
	return gap && slack && in
}

// next returns when the start before lets another begin.
func (s *flawedTurns) next(starts []flawedStart, ask store.Ask, now int64) int64 {
	if len(starts) == 0 {
		return 0
	}
	last := starts[len(starts)-1]
	at, gap, slack := last.at, max(last.gap, int64(ask.Gap)), last.slack
	switch {
	case s.is("keeps no gap"):
		gap = 0
	case s.is("counts the gap from the start or from now"):
		at = max(at, now)
	case s.is("goes by the asker's gap"):
		gap = int64(ask.Gap)
	case s.is("goes by the gap of the start before"):
		gap = last.gap
	case s.is("forgets a lane after its gap") && now >= s.add(at, last.gap):
		return 0
	case s.is("knows no slack"):
		slack = 0
	case s.is("keeps all lanes apart by the largest gap"):
		gap = max(gap, s.largest)
	}
	return s.add(s.add(at, slack), gap)
}

// grant takes a slot if one is needed and free, and returns what is said.
func (s *flawedTurns) grant(l *flawedLane, ask store.Ask, wait time.Duration, now int64) store.Grant {
	late := ask.MaxWait > 0 && wait > ask.MaxWait
	switch {
	case s.is("is late at MaxWait"):
		late = ask.MaxWait > 0 && wait >= ask.MaxWait
	case s.is("is never late"), s.is("is not late for a break") && l.until > now:
		late = false
	}
	near := ask.Slots > 0 && wait <= ask.Slack
	switch {
	case s.is("takes slots for what is to come"):
		near = ask.Slots > 0
	case s.is("takes slots at the start alone"):
		near = ask.Slots > 0 && wait == 0
	case s.is("adds up beyond the largest number"), s.is("takes a lead below zero"), s.is("reserves what is busy early"):
		near = ask.Slots > 0 && wait <= ask.Slack+ask.Lead
	}
	early := ask.Slots > 0 && !near && wait <= ask.Slack+ask.Lead
	free := s.free(l, ask, now)
	switch {
	case late:
		if near && s.is("takes slots for what is late") {
			s.takeSlot(l, ask, now)
		}
		return store.Grant{Wait: wait, Late: true}
	case near && !free, ask.Slots > 0 && !free && s.is("is busy for what is to come"):
		if s.is("frees the slot of who is busy") {
			delete(l.slots, ask.Token)
		}
		return store.Grant{Wait: wait, Busy: true}
	case early && s.is("says only that slots are taken early"):
		near = true
	case near || early && s.is("takes slots early and does not say so"):
		s.takeSlot(l, ask, now)
	}
	return store.Grant{Wait: wait, Slot: near}
}

// free reports whether a slot is free for ask.
func (s *flawedTurns) free(l *flawedLane, ask store.Ask, now int64) bool {
	if l.first == 0 {
		l.first = ask.Slots
	}
	taken, most := 0, ask.Slots
	for token, slot := range l.slots {
		if s.is("goes by the asker's lease") {
			slot.lease = int64(ask.Lease)
		}
		if s.lasts(slot, now) && (token != s.token(ask.Token) || s.is("counts the slot of who asks")) {
			taken++
		}
	}
	switch {
	case s.is("goes by the Slots of the first asker"):
		most = l.first
	case s.is("knows no Slots"):
		return true
	}
	s.pause("counts and takes slots in two steps")
	return taken < most
}

func (s *flawedTurns) lasts(slot flawedSlot, now int64) bool {
	return s.is("knows no leases") || now < s.add(slot.at, slot.lease)
}

// token returns the token that has a slot.
func (s *flawedTurns) token(token string) string {
	if s.is("trims the tokens of slots") {
		return strings.TrimSpace(token)
	}
	return token
}

// takeSlot lets the token of ask have a slot.
func (s *flawedTurns) takeSlot(l *flawedLane, ask store.Ask, now int64) {
	token := s.token(ask.Token)
	_, has := l.slots[token]
	switch {
	case has && s.is("keeps the first lease"):
		return
	case has && s.is("takes a slot for each Take"):
		token += fmt.Sprint(len(l.slots))
	}
	l.slots[token] = flawedSlot{now, s.lease(ask.Lease)}
}

func (s *flawedTurns) lease(lease time.Duration) int64 {
	if s.is("takes a lease below zero for its amount") {
		return int64(max(lease, -lease))
	}
	return int64(max(lease, 0))
}

// dropAll gives back the starts of a token in all lanes.
func (s *flawedTurns) dropAll(token string) {
	for name, l := range s.lanes {
		if last := len(l.starts) - 1; last >= 0 && l.starts[last].token == token {
			l.starts = l.starts[:last]
			s.lanes[name] = l
		}
	}
}

func (s *flawedTurns) Done(ctx context.Context, lane, token string, unused bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	lane, l := s.lane(lane)
	last := len(l.starts) - 1
	place := slices.IndexFunc(l.starts, func(start flawedStart) bool {
		return start.token == token || s.is("gives back the start of a token that begins so") && strings.HasPrefix(start.token, token)
	})
	switch {
	case s.is("gives nothing back"), s.is("does not give back the only start") && last == 0, s.is("gives back the newest start alone") && place != last:
		place = -1
	case s.is("gives back the newest start, whoever has it"):
		place = last
	case s.is("ends a break with Done"):
		l.until = 0
	}
	if place >= 0 && (unused || s.is("gives back what was used")) {
		s.giveBack(&l, place)
	}
	s.release(&l, token, unused)
	s.leave(lane, &l, token)
	s.lanes[lane] = l
	return nil
}

// giveBack gives back a start.
func (s *flawedTurns) giveBack(l *flawedLane, place int) {
	l.starts = slices.Delete(slices.Clone(l.starts), place, place+1)
	if s.is("gives back all starts") {
		l.starts = nil
	}
}

// release frees the slot of a token.
func (s *flawedTurns) release(l *flawedLane, token string, unused bool) {
	token = s.token(token)
	_, has := l.slots[token]
	switch {
	case s.is("frees slots that were not used") && !unused:
		return
	case s.is("frees a slot with each Done") && !has:
		for token = range l.slots {
			break
		}
	}
	delete(l.slots, token)
}

func (s *flawedTurns) Renew(ctx context.Context, lease time.Duration, turns map[string]string) (lost []string, err error) {
	if ctx.Err() != nil {
		if s.is("says nothing if the context has ended") {
			return nil, nil
		}
		return nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for token, lane := range turns {
		if !s.renew(token, lane, lease) {
			lost = append(lost, token)
		}
	}
	if s.is("renews one slot") && len(turns) > 1 {
		lost = append(lost, "the rest")
	}
	return lost, nil
}

// renew renews the slot of a token, and reports whether it was taken.
func (s *flawedTurns) renew(token, lane string, lease time.Duration) bool {
	lane, l := s.lane(lane)
	now := s.now()
	slot, has := l.slots[s.token(token)]
	if s.is("renews in all lanes") {
		for name, other := range s.lanes {
			if _, has := other.slots[token]; has {
				lane, l = s.lane(name)
			}
		}
		slot, has = l.slots[token]
	}
	lasts := has && s.lasts(slot, now)
	next := flawedSlot{now, s.lease(lease)}
	switch {
	case s.is("renews nothing"):
		return lasts
	case s.is("adds to leases"):
		next = flawedSlot{slot.at, s.add(slot.lease, next.lease)}
	case s.is("revives what is over"):
		lasts = has
	}
	if lasts {
		l.slots[s.token(token)] = next
	}
	s.lanes[lane] = l
	return lasts
}

func (s *flawedTurns) Break(ctx context.Context, lane string, wait time.Duration) error {
	if ctx.Err() != nil {
		if s.is("says nothing if the context has ended") {
			return nil
		}
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	lane, l := s.lane(lane)
	now := s.now()
	until := s.add(now, int64(wait))
	longer := until > l.until && wait > 0
	s.pause("looks and breaks in two steps")
	l.length = int64(wait)
	switch {
	case s.is("begins no break"), s.is("goes by the first Break") && l.until > now:
		return nil
	case s.is("goes by the last Break"):
		longer = true
	case s.is("tells the length that Break said"):
		l.breaks++
	case s.is("never ends a break"):
		until = math.MaxInt64
	}
	if longer {
		l.until = until
		l.breaks++
	}
	s.lanes[lane] = l
	return nil
}

func (s *flawedTurns) Watch(ctx context.Context, f func(store.Change)) error {
	s.mu.Lock()
	first := s.watchers == 0
	s.watchers++
	told := flawedTold{lanes: make(map[string]int), entries: len(s.entries), calls: len(s.calls)}
	s.mu.Unlock()
	beat := s.beat
	switch {
	case s.is("tells of an empty break at first"):
		f(store.Change{Lane: "empty"})
	case s.is("tells the zero Change first"):
		f(store.Change{})
	case s.is("tells the zero Change every two seconds"):
		beat = 2 * time.Second
	}
	if s.is("watches on after its context has ended") {
		ctx = context.WithoutCancel(ctx)
	}
	var zero time.Time
	for round := 0; ctx.Err() == nil; round++ {
		if s.isClosed() {
			return s.watchError()
		}
		if !(s.is("tells of breaks under way alone") && round > 0 || s.is("tells one watcher") && !first || s.is("is slow to tell") && round%30 > 0) {
			s.tell(&told, s.is("tells of breaks that begin alone") && round == 0, f)
			s.tellLessons(&told, f)
		}
		if time.Since(zero) >= beat {
			f(store.Change{})
			zero = time.Now()
		}
		select {
		case <-ctx.Done():
		case <-time.After(beat / 10):
		}
	}
	if s.is("tells after Watch has returned") {
		go func() {
			time.Sleep(beat / 10)
			f(store.Change{})
		}()
	}
	return ctx.Err()
}

// Close lets each Watch return.
func (s *flawedTurns) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = !s.is("watches on after Close")
}

func (s *flawedTurns) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

func (s *flawedTurns) watchError() error {
	if s.is("ends a Watch after Close without an ErrClosed") {
		return context.Canceled
	}
	return store.ErrClosed
}

// flawedTold is what one Watch has told: how often breaks have changed, and how many
// entries.
type flawedTold struct {
	lessons map[string]int // how many of a lane are told
	lanes   map[string]int
	entries int
	calls   int
}

// tell calls f for what is not told.
func (s *flawedTurns) tell(told *flawedTold, silent bool, f func(store.Change)) {
	var changes []store.Change
	s.mu.Lock()
	for lane, l := range s.lanes {
		left := l.until - s.now()
		if s.is("tells the length that Break said") {
			left = l.length
		}
		if l.breaks == told.lanes[lane] || left <= 0 && !s.is("tells of breaks that are over") {
			continue
		}
		told.lanes[lane] = l.breaks
		changes = append(changes, store.Change{Lane: lane, Break: time.Duration(left)})
	}
	changes = append(append(changes, s.replaced(told)...), s.calls[told.calls:]...)
	told.calls = len(s.calls)
	if !s.is("tells while nobody else can call") {
		s.mu.Unlock()
	}
	for _, c := range changes {
		if !silent {
			f(c)
		}
	}
	if s.is("tells while nobody else can call") {
		f(store.Change{})
		s.mu.Unlock()
	}
}

func (s *flawedTurns) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	return s.store.Claim(ctx, key, seen, lease)
}

// Put puts an entry, and keeps what Watch is to tell.
func (s *flawedTurns) Put(ctx context.Context, key, token string, entry []byte, keep time.Duration) error {
	before, _ := s.store.Claim(ctx, key, "", 0)
	err := s.store.Put(ctx, key, token, entry, keep)
	if s.isNews(before, entry, err) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.entries = append(s.entries, key)
	}
	return err
}

// isNews reports whether Watch tells of a Put after which the entry is another than before.
func (s *flawedTurns) isNews(before store.Claim, entry []byte, err error) bool {
	switch {
	case s.is("tells of no empty entry") && len(entry) == 0:
		return false
	case err != nil:
		return s.is("tells of what is lost")
	case before.Version == "":
		return s.is("tells of first entries")
	case s.is("compares entries up to a NUL"):
		entry, _, _ = bytes.Cut(entry, []byte{0})
	}
	return entry != nil && !bytes.Equal(before.Entry, entry)
}

// replaced returns the news of entries that are not told. The caller holds the lock.
func (s *flawedTurns) replaced(told *flawedTold) (changes []store.Change) {
	for i, key := range s.entries {
		known := slices.Contains(s.entries[:i], key)
		switch {
		case i < told.entries, s.is("tells of a key once") && known:
			continue
		case s.is("tells nothing after the empty key") && slices.Contains(s.entries[:i], ""):
			continue
		case s.is("trims names"):
			key = strings.TrimSpace(key)
		}
		changes = append(changes, store.Change{Key: key})
	}
	told.entries = len(s.entries)
	return changes
}

func (s *flawedTurns) Teach(ctx context.Context, lane string, wait time.Duration, lesson string, _ time.Duration) error {
	switch {
	case s.is("teaches and begins no break"):
		wait = 0
	case s.is("teaches and begins a break always"):
		wait = max(wait, time.Minute)
	case s.is("trims lessons"):
		lesson = strings.TrimSpace(lesson)
	}
	if wait > 0 {
		if err := s.Break(ctx, lane, wait); err != nil {
			return err
		}
	}
	if lesson == "" || len(lesson) > store.LongestLesson && !s.is("tells long lessons") {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lessons == nil {
		s.lessons = make(map[string][]string)
	}
	s.lessons[lane] = append(s.lessons[lane], lesson)
	return nil
}

// tellLessons tells the newest lessons of all lanes that have new ones.
func (s *flawedTurns) tellLessons(told *flawedTold, f func(store.Change)) {
	s.mu.Lock()
	var changes []store.Change
	first := told.lessons == nil
	if first {
		told.lessons = make(map[string]int)
	}
	for lane, all := range s.lessons {
		newest := all[len(all)-1]
		if len(all) > told.lessons[lane] && !(first && s.is("forgets lessons at once")) {
			changes = append(changes, store.Change{Lane: lane, Lesson: newest})
		}
		told.lessons[lane] = len(all)
	}
	s.mu.Unlock()
	for _, c := range changes {
		f(c)
	}
}

// A flawedReport is a Report that is under way.
type flawedReport struct{ profile string }

// Report watches, and tells the Profiles of others every two seconds.
func (s *flawedTurns) Report(ctx context.Context, status func() store.Status, f func(store.Change)) error {
	me := &flawedReport{status().Profile}
	s.mu.Lock()
	s.reports = append(s.reports, me)
	s.mu.Unlock()
	if s.is("reports and does not watch") {
		for ctx.Err() == nil {
			f(store.Change{})
			time.Sleep(time.Second)
		}
		return ctx.Err()
	}
	var last time.Time
	return s.Watch(ctx, func(c store.Change) {
		if f(c); c != (store.Change{}) || time.Since(last) < 2*time.Second {
			return
		}
		if others := s.others(me); len(others) > 0 && !(s.is("tells of a Profile once") && !last.IsZero()) {
			last = time.Now()
			for _, profile := range others {
				f(store.Change{Profile: profile})
			}
		}
	})
}

// others returns the Profiles of other Reports that differ.
func (s *flawedTurns) others(me *flawedReport) (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.reports {
		if other != me && (other.profile != me.profile || s.is("tells of each Profile")) {
			all = append(all, other.profile)
		}
	}
	return all
}
