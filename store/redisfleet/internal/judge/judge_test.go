package judge_test

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// An account is what the site saw of the processes, and what became of them. All times are
// since the site began; zero is never.
type account struct {
	lanes  map[string]*lane
	visits []visit
	lives  []life // by process
	events []event
}

// A life is a process from its start to its end.
type life struct {
	place  int
	born   time.Duration
	killed time.Duration
	stops  []span          // when it was stopped
	lost   []time.Duration // when it dropped what it had reserved
	warned []time.Duration // … and knew that data may be lost
	heard  []news          // breaks that it heard of
	unheld []news          // breaks that the engine did not keep
}

// An event is what happened to the engine, for some time or at once.
type event struct {
	span
	kind kind
}

type kind int

const (
	dies    kind = iota // its data is lost, and all connections
	forgets             // its data is lost, and nothing tells of it
	steps               // its clock is set
	away                // some processes get no answer
)

const (
	tolerance = 2 * ms          // of clocks and stamps
	unheardOf = 4 * time.Second // the longest time that a process goes on without hearing the others, and one second
	answers   = 5 * time.Second // the longest time that a process waits for the engine
	notices   = 5 * time.Second // the longest time until a loss is noticed, if nothing tells of it
)

// A verdict is what the judge finds: violations, and what SPEC §9 excuses.
type verdict struct {
	violations []string

	gaps     int
	shortest time.Duration // beyond the delay, from when one was let go to when the next arrived
	written  int           // gaps too short since the one before was stopped between the check and the write
	behind   time.Duration // … by which it was late, at most
	stopped  int           // … since it was stopped right after the check, before the crawler could note the time
	early    int           // gaps too short after the engine lost data, or its clock was set

	most    map[string]int // under way at the same time
	expired int            // more under way than slots, since a process stood still beyond its lease
	freed   int            // … since the engine lost data, or its clock was set

	breaks  int
	onWay   int           // requests in a break of which their process had not heard yet
	message time.Duration // the longest time until a break was heard, after its first caller was told
	unknown int           // requests in a break that the engine did not keep, or lost

	asks    int // for a robots.txt
	holders int // … again, since the holder of the claim was lost
	alone   int // … again, since the engine was away or lost data
	renewed int // … again, since the answer was out of date
}

func (a *account) judge() *verdict {
	v := &verdict{most: make(map[string]int), shortest: time.Hour}
	slices.SortStableFunc(a.visits, func(x, y visit) int { return cmp.Compare(x.at, y.at) })
	hosts := make(map[string][]visit)
	for _, one := range a.visits {
		hosts[one.host] = append(hosts[one.host], one)
	}
	for host, visits := range hosts {
		pages, asks := split(visits)
		a.judgeAsks(v, asks)
		if l := a.lanes[host]; l != nil {
			a.judgeGaps(v, pages, l)
			a.judgeSlots(v, pages, l)
			a.judgeBreaks(v, visits, l)
		}
	}
	return v
}

func split(visits []visit) (pages, asks []visit) {
	for _, one := range visits {
		if one.robots {
			asks = append(asks, one)
		} else {
			pages = append(pages, one)
		}
	}
	return pages, asks
}

func (v *verdict) violates(format string, values ...any) {
	v.violations = append(v.violations, fmt.Sprintf(format, values...))
}

// left returns when the request left polite, at the latest.
func (v *visit) left() time.Duration {
	if v.sent == 0 {
		return v.at
	}
	return min(v.sent, v.at)
}

// start returns when polite decided that the request starts, at the latest. Where nobody
// keeps a gap, and for robots.txt, this is before it connects.
func (v *visit) start(gap time.Duration) time.Duration {
	if v.begun == 0 || gap > 0 && !v.robots {
		return v.left()
	}
	return min(v.begun, v.left())
}

// judgeGaps finds pages that came too soon after others. A crawler tells when polite let a
// request go, so that it is not blamed if this one was stopped before it was written, and
// the next one was not. Nothing that it tells excuses the next one.
func (a *account) judgeGaps(v *verdict, pages []visit, l *lane) {
	pages = slices.SortedStableFunc(slices.Values(pages), func(x, y visit) int { return cmp.Compare(x.left(), y.left()) })
	stopped := 0
	for i := 1; i < len(pages); i++ {
		before, one := &pages[i-1], &pages[i]
		gap := max(l.gap(a.lives[before.process].place), l.gap(a.lives[one.process].place))
		if gap == 0 {
			continue
		}
		spare, arrived := one.at-before.left()-gap, one.at-before.at-gap
		v.gaps++
		switch {
		case spare >= -tolerance && arrived < -tolerance:
			v.written++
			v.behind = max(v.behind, before.at-before.left())
		case spare >= -tolerance:
		case a.outdated(before) || a.outdated(one) || a.stepped(before, one),
			a.forgotten(before, one) && spare+gap >= l.gap(a.lives[one.process].place)-tolerance:
			v.early++
			continue
		case before.overdue() && one.at-before.until-gap >= -tolerance && stopped < 1+len(pages)/100:
			stopped++
			v.stopped++
			v.behind = max(v.behind, before.at-before.until)
			continue
		default:
			v.violates("%s: a page comes at %v from process %d, %v too soon after one from process %d at %v (reserved %v, let go %v, slack %v; %v, %v, %v)",
				l.Host, one.at, one.process, -spare, before.process, before.at, before.taken, before.sent, before.slack, one.taken, one.sent, one.slack)
		}
		v.shortest = min(v.shortest, spare)
	}
}

// forgotten reports whether the engine lost its data between two visits. Then nobody knows
// that the gap of the first is longer than the one's own.
func (a *account) forgotten(before, one *visit) bool {
	return slices.ContainsFunc(a.events, func(e event) bool {
		return (e.kind == dies || e.kind == forgets) && before.taken < e.to && one.at > e.from
	})
}

// overdue reports whether polite let a visit go after its time. It does not, so the process
// was stopped right then: after the check, and before the crawler could look at the clock.
// This is no more than a microsecond or so, and happens rarely. If it is often, there is no
// check.
func (v *visit) overdue() bool { return v.until > 0 && v.sent > v.until }

// outdated reports whether a visit came by what had been reserved before the engine lost its
// data, or before its process noticed the loss.
func (a *account) outdated(one *visit) bool {
	for _, e := range a.events {
		noticed := e.from
		if e.kind == forgets {
			noticed = a.lives[one.process].noticed(e.from)
		}
		if (e.kind == dies || e.kind == forgets) && one.at > e.from && one.taken < noticed {
			return true
		}
	}
	return false
}

// noticed returns when a process noticed a loss of which no connection told. One that joins
// soon after does not know.
func (l *life) noticed(loss time.Duration) time.Duration {
	for _, at := range l.warned {
		if at >= loss && at < loss+notices {
			return at
		}
	}
	if l.born > loss+notices {
		return loss
	}
	return loss + notices
}

// stepped reports whether the engine's clock was set after one of two visits was reserved,
// and before the second arrived.
func (a *account) stepped(before, one *visit) bool {
	for _, e := range a.events {
		if e.kind == steps && min(before.taken, one.taken) < e.to && one.at > e.from {
			return true
		}
	}
	return false
}

// judgeSlots finds where more were under way than allowed.
func (a *account) judgeSlots(v *verdict, pages []visit, l *lane) {
	if l.Slots == 0 {
		return
	}
	var under []*visit
	for i := range pages {
		one := &pages[i]
		under = slices.DeleteFunc(under, func(other *visit) bool { return other.end > 0 && other.end <= one.at+tolerance })
		under = append(under, one)
		v.most[l.Host] = max(v.most[l.Host], len(under))
		expired, freed := 0, 0
		for _, other := range under {
			switch {
			case a.stoodStill(other, one.at):
				expired++
			case a.outdated(other), a.stepped(other, one):
				freed++
			}
		}
		switch {
		case len(under) <= l.Slots:
		case len(under)-expired <= l.Slots:
			v.expired++
		case len(under)-expired-freed <= l.Slots:
			v.freed++
		default:
			v.violates("%s: %d are under way at %v, of %s", l.Host, len(under), one.at, of(under))
		}
	}
}

func of(visits []*visit) (text string) {
	for _, one := range visits {
		text += fmt.Sprintf(" process %d since %v", one.process, one.at)
	}
	return text
}

// stoodStill reports whether a process stood still for longer than its lease while a visit
// was under way.
func (a *account) stoodStill(one *visit, now time.Duration) bool {
	for _, s := range a.lives[one.process].stops {
		if s.from < now && s.till(now) > one.at && s.till(now)-max(s.from, one.at) > slotLease-renewed-time.Second/2 {
			return true
		}
	}
	return false
}

// till returns the end of a span, or now if that is sooner.
func (s span) till(now time.Duration) time.Duration {
	if s.to == 0 {
		return now
	}
	return min(s.to, now)
}

// judgeBreaks finds what was sent in a break that the crawler's caller was told of.
func (a *account) judgeBreaks(v *verdict, visits []visit, l *lane) {
	for i := range visits {
		cause := &visits[i]
		if cause.pause == 0 || cause.told == 0 {
			continue
		}
		v.breaks++
		until := min(cause.end, cause.told) + cause.pause
		for j := i + 1; j < len(visits) && visits[j].at < until-tolerance; j++ {
			gap := l.gap(a.lives[visits[j].process].place)
			if one := &visits[j]; one.start(gap) > cause.told {
				a.judgeInBreak(v, cause, one, one.start(gap), until)
			}
		}
	}
}

// judgeInBreak judges a request that started in a break.
func (a *account) judgeInBreak(v *verdict, cause, one *visit, start, until time.Duration) {
	by := &a.lives[one.process]
	knew := one.process == cause.process || by.hasHeard(one.host, start, until)
	switch {
	case !knew && (a.lives[cause.process].unkept(cause) || a.lostIn(cause.at, start)):
		v.unknown++
	case !knew && by.born < cause.told && start < cause.told+unheardOf:
		v.onWay++
		v.message = max(v.message, start-cause.told)
	default:
		v.violates("%s: process %d, born %v, asks for %s at %v (started %v), in a break from %v to %v that process %d was told of (it knew: %v)",
			one.host, one.process, by.born, one.what(), one.at, start, cause.told, until, cause.process, knew)
	}
}

func (v *visit) what() string {
	if v.robots {
		return "robots.txt"
	}
	return "a page"
}

// hasHeard reports whether the process had heard of a break that lasts until a time.
func (l *life) hasHeard(host string, start, until time.Duration) bool {
	return slices.ContainsFunc(l.heard, func(n news) bool {
		return n.host == host && n.at < start && n.until > until-20*ms && n.at > until-24*time.Hour
	})
}

// unkept reports whether the engine did not keep the break that a visit caused.
func (l *life) unkept(cause *visit) bool {
	return slices.ContainsFunc(l.unheld, func(n news) bool {
		return n.host == cause.host && n.at > cause.at && n.at <= cause.told+tolerance
	})
}

// lostIn reports whether the engine lost data, or its clock was set, between two times.
func (a *account) lostIn(from, to time.Duration) bool {
	return slices.ContainsFunc(a.events, func(e event) bool {
		return e.kind != away && e.from < to && (e.to == 0 || e.to > from)
	})
}

// judgeAsks finds a robots.txt that was asked for although it was known.
func (a *account) judgeAsks(v *verdict, asks []visit) {
	excuses := make(map[int]bool) // of the visits that have excused another
	v.asks += len(asks)
	for i := 1; i < len(asks); i++ {
		before, ask := &asks[i-1], &asks[i]
		switch lost := a.lostHolder(asks[:i], ask.at, excuses); {
		case lost >= 0:
			excuses[lost] = true
			v.holders++
		case before.end > 0 && ask.at-before.end > dueAfter && a.lanes[ask.host] != nil:
			v.renewed++
		case a.alone(asks[:i], ask):
			v.alone++
		default:
			v.violates("%s: process %d asks for robots.txt at %v, but process %d was answered at %v", ask.host, ask.process, ask.at, before.process, before.end)
		}
	}
}

// lostHolder returns an ask whose process was lost before the others could know its answer,
// or -1. Each excuses one.
func (a *account) lostHolder(asks []visit, now time.Duration, used map[int]bool) int {
	for i := range asks {
		holder := &a.lives[asks[i].process]
		given := asks[i].end + time.Second
		if asks[i].end == 0 {
			given = now
		}
		killed := holder.killed > 0 && holder.killed < given
		still := slices.ContainsFunc(holder.stops, func(s span) bool {
			return s.from < given && s.till(now) > asks[i].at && s.till(now)-s.from > claimFor-timeout-time.Second
		})
		if !used[i] && (killed || still) {
			return i
		}
	}
	return -1
}

// alone reports whether a process may ask by itself: since the ask before, the engine was away,
// or lost the answer. Each process asks once.
func (a *account) alone(asks []visit, ask *visit) bool {
	before := asks[len(asks)-1].at
	return slices.ContainsFunc(a.events, func(e event) bool {
		asked := slices.ContainsFunc(asks, func(other visit) bool { return other.process == ask.process && other.at > e.from })
		return !asked && e.from < ask.at && (e.to == 0 || e.to+answers > before)
	})
}
