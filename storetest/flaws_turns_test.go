package storetest_test

import (
	"context"
	"maps"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite"
)

var turnsFlaws = []flaw{
	{"waits for a gap at first", "the first start is at once"},
	{"keeps no gap", "there is a gap between starts"},
	{"counts the gap from the call", "the gap counts from the start, also when time has passed"},
	{"counts the gap from the start or from now", "a gap that is over does not count"},
	{"goes by the asker's gap", "the longer gap of two askers counts, whoever comes first"},
	{"goes by the gap of the start before", "the longer gap of two askers counts, whoever comes first"},
	{"forgets a lane after its gap", "a longer gap counts when the start before has been"},
	{"knows no slack", "a start is so much later as the one before may be"},
	{"goes by the asker's slack", "a start is so much later as the one before may be"},
	{"knows no NotBefore", "a start is not before NotBefore"},
	{"adds NotBefore to the next start", "a NotBefore before the next start changes nothing"},
	{"trims names", "a lane may have any name"},
	{"takes any empty token for the newest", "a token may be any text"},
	{"is late at MaxWait", "a start within MaxWait is reserved"},
	{"is never late", "a start after MaxWait is not reserved"},
	{"reserves what is late", "a start after MaxWait is not reserved"},
	{"reserves what is late", "what is late does not count, also in an empty lane"},
	{"gives back the newest start if one is late", "what is late leaves the starts of others"},
	{"tells no wait for what is late", "a start after MaxWait is not reserved"},
	{"reserves again for each Take", "a repeated Take reserves the same start"},
	{"keeps the first start of a token", "a Take with other terms replaces the start"},
	{"does not replace a start that has been", "who did not use his start may take another at once"},
	{"replaces the newest start, whoever has it", "who takes again after others keeps the gap to them"},
	{"keeps one start for a token", "a token has a start in each lane"},
	{"gives nothing back", "a start that is given back is free again"},
	{"keeps the gap of what was given back", "a start that is given back is free again"},
	{"does not give back the only start", "the only start can be given back"},
	{"gives back the newest start, whoever has it", "a start before others is not given back"},
	{"gives back the newest start, whoever has it", "a repeated Done harms nobody"},
	{"gives back all starts", "starts that are given back one after the other leave those before"},
	{"gives back what it has forgotten", "starts that are given back one after the other leave those before"},
	{"gives back the start of a token that begins so", "Done of what was not reserved does nothing"},
	{"gives back in all lanes", "Done of what was not reserved does nothing"},
	{"ends a break with Done", "Done leaves a break"},
	{"holds nothing", "no start is in a break"},
	{"forgets the starts in a break", "a break keeps the gap to the start before"},
	{"counts a break only if nothing was reserved after it", "a break counts after the starts that were reserved before it"},
	{"holds nobody who takes again", "who takes again in a break is put off"},
	{"goes by the last Hold", "a break is not shortened"},
	{"goes by the first Hold", "a break becomes longer"},
	{"adds breaks up", "a repeated Hold changes nothing"},
	{"never ends a break", "a break ends"},
	{"is not late for a break", "a start that a break puts off may be late"},
	{"tells nothing to who asks without a gap", "who asks without a gap is told what is left of the break"},
	{"tells the length of a break", "who asks without a gap is told what is left of the break"},
	{"reserves without a gap", "who asks without a gap reserves nothing"},
	{"tells the next start to who asks without a gap", "who asks without a gap reserves nothing"},
	{"trims names", "lanes have breaks of their own"},
	{"tells of an empty break at first", "Watch tells at first that there is no break"},
	{"tells the zero Change first", "Watch tells of the breaks under way before the zero Change"},
	{"tells of breaks that are over", "Watch tells of the breaks under way before the zero Change"},
	{"tells of breaks without a name for none", "Watch tells of the breaks under way before the zero Change"},
	{"tells of breaks under way alone", "Watch tells of the breaks that begin"},
	{"is slow to tell", "Watch tells of the breaks that begin"},
	{"tells of a lane once", "Watch tells of a break that becomes longer"},
	{"tells the length that Hold said", "Watch does not tell that a break becomes shorter"},
	{"tells the zero Change every two seconds", "Watch tells the zero Change again and again"},
	{"tells one watcher", "each watcher hears of all breaks"},
	{"tells after Watch has returned", "Watch ends when its context does"},
	{"watches on after its context has ended", "Watch ends when its context does"},
	{"tells while nobody else can call", "who hears slowly holds up nobody"},
	{"looks and reserves in two steps", "many who take at once keep the gaps"},
	{"gives back the newest start, whoever has it", "many who take, give back and take again keep the gaps"},
	{"takes digits for the same", "many in lanes of their own do not wait for each other"},
	{"looks and holds in two steps", "of many who hold at once, the longest counts"},
	{"keeps all lanes apart by the largest gap", "numbers without sense do no harm to other lanes"},
	{"adds up beyond the largest number", "a gap without end is a long one"},
	{"adds up beyond the largest number", "a break without end is a long one"},
	{"takes a slack below zero", "a slack below zero is zero"},
	{"takes a gap below zero for its amount", "a gap below zero reserves nothing"},
	{"says nothing if the context has ended", "calls whose context has ended fail, or count"},
	{"forgets breaks in the next process", "a break outlives the process"},
	{"begins breaks anew in the next process", "a break outlives the process"},
	{"trims names", "each lane's break outlives the process"},
	{"begins breaks anew in the next process", "a break that is over has ended for the next process too"},
	{"forgets starts in the next process", "the next process keeps the gap to the last start"},
	{"tells of breaks that begin alone", "the next process hears of the breaks under way"},
	{"shares nothing between processes", "there is a gap between starts"},
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
}

type flawedLane struct {
	last, before flawedStart
	had          map[string]bool // tokens
	until        int64           // the end of the break
	length       int64           // of the last Hold
	holds        int             // that changed something
}

type flawedStart struct {
	ok             bool
	token          string
	at, gap, slack int64
}

func newFlawedTurns(flaw string) *flawedTurns {
	return &flawedTurns{flaw: flaw, began: time.Now(), clock: time.Now, beat: time.Second / 2, lanes: make(map[string]flawedLane)}
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
	next.began, next.clock, next.beat = s.began, s.clock, s.beat
	for name, l := range s.lanes {
		switch {
		case s.is("forgets breaks in the next process"):
			l.until = 0
		case s.is("begins breaks anew in the next process"):
			l.until = s.now() + l.length
		case s.is("forgets starts in the next process"):
			l.last, l.before = flawedStart{}, flawedStart{}
		}
		next.lanes[name] = l
	}
	return next
}

func (s *flawedTurns) name(lane string) string {
	switch {
	case s.is("trims names"):
		return strings.TrimSpace(lane)
	case s.is("takes digits for the same"):
		return strings.TrimRight(lane, "0123456789")
	}
	return lane
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

func (s *flawedTurns) Take(ctx context.Context, lane string, ask polite.Ask) (polite.Grant, error) {
	if ctx.Err() != nil {
		if s.is("says nothing if the context has ended") {
			return polite.Grant{}, nil
		}
		return polite.Grant{}, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	lane = s.name(lane)
	l, now := s.lanes[lane], s.now()
	if ask.Gap < 0 && s.is("takes a gap below zero for its amount") {
		ask.Gap = -ask.Gap
	}
	if ask.Gap <= 0 && !s.is("reserves without a gap") {
		return polite.Grant{Wait: time.Duration(s.left(l, now))}, nil
	}
	if !s.is("takes a slack below zero") {
		ask.Slack = max(ask.Slack, 0)
	}
	owns := s.replaces(l, ask.Token, now)
	if owns && s.is("keeps the first start of a token") {
		return polite.Grant{Wait: time.Duration(max(l.last.at-now, 0))}, nil
	}
	if owns {
		l.last = l.before
	}
	at := s.next(l, ask, owns, now)
	s.pause("looks and reserves in two steps")
	wait := time.Duration(at - now)
	late := s.late(l, ask, wait, now)
	if !late || s.is("reserves what is late") {
		l.before, l.last = l.last, flawedStart{true, ask.Token, at, int64(ask.Gap), int64(ask.Slack)}
		l.had = maps.Clone(l.had)
		if l.had == nil {
			l.had = make(map[string]bool)
		}
		l.had[ask.Token] = true
		s.largest = max(s.largest, int64(ask.Gap))
	} else if s.is("gives back the newest start if one is late") {
		l.last = l.before
	}
	if s.is("keeps one start for a token") {
		s.dropAll(ask.Token)
	}
	s.lanes[lane] = l
	if late && s.is("tells no wait for what is late") {
		wait = 0
	}
	return polite.Grant{Wait: wait, Late: late}, nil
}

// left returns what who asks without a gap is told.
func (s *flawedTurns) left(l flawedLane, now int64) int64 {
	left := max(l.until-now, 0)
	switch {
	case s.is("tells nothing to who asks without a gap"):
		return 0
	case s.is("tells the length of a break") && left > 0:
		return l.length
	case s.is("tells the next start to who asks without a gap") && l.last.ok:
		return max(left, s.add(l.last.at, l.last.gap)-now)
	}
	return left
}

// replaces reports whether a Take by token replaces the newest start.
func (s *flawedTurns) replaces(l flawedLane, token string, now int64) bool {
	owns := l.last.ok && l.last.token == token
	switch {
	case s.is("reserves again for each Take"):
		return false
	case s.is("does not replace a start that has been"):
		return owns && l.last.at > now
	case s.is("replaces the newest start, whoever has it"):
		return l.last.ok && l.had[token]
	case s.is("takes any empty token for the newest"):
		return owns || l.last.ok && token == ""
	}
	return owns
}

// next returns the next start.
func (s *flawedTurns) next(l flawedLane, ask polite.Ask, again bool, now int64) int64 {
	free, held, notBefore := s.free(l.last, ask, now), l.until, int64(ask.NotBefore)
	switch {
	case s.is("forgets the starts in a break") && held > now:
		free = 0
	case s.is("counts a break only if nothing was reserved after it") && l.last.at > now,
		s.is("holds nobody who takes again") && again:
		held = 0
	case s.is("knows no NotBefore"):
		notBefore = 0
	case s.is("adds NotBefore to the next start"):
		return s.add(max(free, held, now), notBefore)
	}
	return max(free, held, now, s.add(now, max(notBefore, 0)))
}

// free returns when the start before lets another begin.
func (s *flawedTurns) free(last flawedStart, ask polite.Ask, now int64) int64 {
	if !last.ok {
		if s.is("waits for a gap at first") {
			return s.add(now, int64(ask.Gap))
		}
		return 0
	}
	at, gap, slack := last.at, max(last.gap, int64(ask.Gap)), last.slack
	switch {
	case s.is("keeps no gap"):
		gap = 0
	case s.is("counts the gap from the call"):
		at = now
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
	case s.is("goes by the asker's slack"):
		slack = int64(ask.Slack)
	case s.is("keeps all lanes apart by the largest gap"):
		gap = max(gap, s.largest)
	}
	return s.add(s.add(at, slack), gap)
}

func (s *flawedTurns) late(l flawedLane, ask polite.Ask, wait time.Duration, now int64) bool {
	late := ask.MaxWait > 0 && wait > ask.MaxWait
	switch {
	case s.is("is late at MaxWait"):
		return ask.MaxWait > 0 && wait >= ask.MaxWait
	case s.is("is never late"), s.is("is not late for a break") && l.until > now:
		return false
	}
	return late
}

// dropAll gives back the starts of a token in all lanes.
func (s *flawedTurns) dropAll(token string) {
	for name, l := range s.lanes {
		if l.last.token == token {
			l.last = l.before
			s.lanes[name] = l
		}
	}
}

func (s *flawedTurns) Done(ctx context.Context, lane, token string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	lane = s.name(lane)
	l := s.lanes[lane]
	owns := l.last.token == token
	switch {
	case s.is("gives nothing back"), s.is("does not give back the only start") && !l.before.ok:
		return nil
	case s.is("gives back the newest start, whoever has it"):
		owns = l.last.ok
	case s.is("gives back the start of a token that begins so"):
		owns = strings.HasPrefix(l.last.token, token)
	case s.is("gives back in all lanes"):
		s.dropAll(token)
		return nil
	case s.is("ends a break with Done"):
		l.until = 0
	}
	if owns {
		l = s.pop(l)
	}
	s.lanes[lane] = l
	return nil
}

// pop gives back the newest start.
func (s *flawedTurns) pop(l flawedLane) flawedLane {
	gap := l.last.gap
	l.last = l.before
	switch {
	case s.is("keeps the gap of what was given back"):
		l.last.gap = max(l.last.gap, gap)
	case s.is("gives back all starts"):
		l.last, l.before = flawedStart{}, flawedStart{}
	case s.is("gives back what it has forgotten"):
		l.before = flawedStart{}
	}
	return l
}

func (s *flawedTurns) Hold(ctx context.Context, lane string, wait time.Duration) error {
	if ctx.Err() != nil {
		if s.is("says nothing if the context has ended") {
			return nil
		}
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	lane = s.name(lane)
	l, now := s.lanes[lane], s.now()
	until := s.add(now, int64(wait))
	longer := until > l.until && wait > 0
	s.pause("looks and holds in two steps")
	l.length = int64(wait)
	switch {
	case s.is("holds nothing"), s.is("goes by the first Hold") && l.until > now:
		return nil
	case s.is("goes by the last Hold"):
		longer = true
	case s.is("tells the length that Hold said"):
		l.holds++
	case s.is("adds breaks up"):
		until, longer = s.add(max(l.until, now), int64(wait)), wait > 0
	case s.is("never ends a break"):
		until = math.MaxInt64
	}
	if longer {
		l.until = until
		l.holds++
	}
	s.lanes[lane] = l
	return nil
}

func (s *flawedTurns) Watch(ctx context.Context, f func(polite.Change)) error {
	s.mu.Lock()
	first := s.watchers == 0
	s.watchers++
	s.mu.Unlock()
	beat := s.beat
	switch {
	case s.is("tells of an empty break at first"):
		f(polite.Change{Lane: "empty"})
	case s.is("tells the zero Change first"):
		f(polite.Change{})
	case s.is("tells the zero Change every two seconds"):
		beat = 2 * time.Second
	}
	if s.is("watches on after its context has ended") {
		ctx = context.WithoutCancel(ctx)
	}
	told := make(map[string]int)
	var zero time.Time
	for round := 0; ctx.Err() == nil; round++ {
		if !(s.is("tells of breaks under way alone") && round > 0 || s.is("tells one watcher") && !first || s.is("is slow to tell") && round%30 > 0) {
			s.tell(told, s.is("tells of breaks that begin alone") && round == 0, f)
		}
		if time.Since(zero) >= beat {
			f(polite.Change{})
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
			f(polite.Change{})
		}()
	}
	return ctx.Err()
}

// tell calls f for the breaks that are not told.
func (s *flawedTurns) tell(told map[string]int, silent bool, f func(polite.Change)) {
	var changes []polite.Change
	s.mu.Lock()
	for lane, l := range s.lanes {
		left := l.until - s.now()
		if s.is("tells the length that Hold said") {
			left = l.length
		}
		switch {
		case l.holds == told[lane], s.is("tells of a lane once") && told[lane] > 0,
			lane == "" && s.is("tells of breaks without a name for none"),
			left <= 0 && !s.is("tells of breaks that are over"):
			continue
		}
		told[lane] = l.holds
		changes = append(changes, polite.Change{Lane: lane, Hold: time.Duration(left)})
	}
	if !s.is("tells while nobody else can call") {
		s.mu.Unlock()
	}
	for _, c := range changes {
		if !silent {
			f(c)
		}
	}
	if s.is("tells while nobody else can call") {
		f(polite.Change{})
		s.mu.Unlock()
	}
}
