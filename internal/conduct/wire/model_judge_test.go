package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/go-polite/polite"
)

// judge returns what was wrong, each with its kind.
func (run *laneRun) judge() []string {
	run.mu.Lock() // a fetch may go on
	defer run.mu.Unlock()
	for i, f := range run.fates {
		run.judgeFate(i, f)
	}
	sort.SliceStable(run.pages, func(i, j int) bool { return run.pages[i].at.Before(run.pages[j].at) })
	for i, p := range run.pages {
		if run.excused(p) {
			continue
		}
		run.judgeRules(p)
		run.judgeBreaks(p)
		run.judgeGaps(i, p)
		run.judgeSlots(i, p)
		run.judgeWindow(i, p)
	}
	run.judgeFetches()
	run.judgeProbes()
	return run.errors
}

func (run *laneRun) fail(kind, format string, args ...any) {
	run.errors = append(run.errors, kind+": "+fmt.Sprintf(format, args...))
}

// in tells a time as one of the scenario.
func (run *laneRun) in(t time.Time) time.Duration { return t.Sub(run.start) }

// judgeFate judges what the caller got.
func (run *laneRun) judgeFate(i int, f *fate) {
	q := run.requests[i]
	tr := run.transports[q.by]
	switch {
	case f.err == nil:
	case f.err == errHangs:
		run.fail("hangs", "request %d of %v", i, run.in(f.began))
	case errors.Is(f.err, polite.ErrDisallowed):
		if !run.everDisallowed(q.path, f) {
			run.fail("refusal", "request %d is refused, although no rule disallows it: %v", i, f.err)
		}
	case errors.Is(f.err, polite.ErrDelayed):
		if tr.maxWait == 0 && q.expire == 0 && !run.isDown(f.returned) {
			run.fail("refusal", "request %d is refused, although it can wait: %v", i, f.err)
		}
	case errors.Is(f.err, polite.ErrNoRules):
		if run.known(f.began, false) != nil {
			run.fail("refusal", "request %d is refused, although there is a copy: %v", i, f.err)
		}
	case errors.Is(f.err, context.Canceled) && q.cancel > 0:
		if f.returned.Sub(f.began) != q.cancel {
			run.fail("cancel", "request %d returns after %v, cancelled after %v", i, f.returned.Sub(f.began), q.cancel)
		}
	case errors.Is(f.err, context.DeadlineExceeded) && q.expire > 0:
		if f.returned.Sub(f.began) != q.expire {
			run.fail("cancel", "request %d returns after %v, its deadline is %v", i, f.returned.Sub(f.began), q.expire)
		}
	case q.status == 0 && run.tries[i] > 0: // the site has closed the connection
	default:
		run.fail("error", "request %d: %v", i, f.err)
	}
}

func (run *laneRun) everDisallowed(path string, f *fate) bool {
	for _, a := range run.asked {
		if a.rules >= 0 && !a.at.After(f.returned) && strings.HasPrefix(path, run.rules[a.rules].disallow) {
			return true
		}
	}
	return false
}

// known returns the rules that were known just before at, and those that came at this moment if
// now is set. It returns nil if there were none.
func (run *laneRun) known(at time.Time, now bool) (known []laneRules) {
	for _, a := range run.asked {
		switch {
		case a.rules < 0 || a.at.After(at) || a.at.Equal(at) && !now:
		case a.at.Equal(at):
			known = append(known, run.rules[a.rules])
		default:
			known = []laneRules{run.rules[a.rules]}
		}
	}
	return known
}

// delay returns the least crawl-delay that may be known at a moment.
func (run *laneRun) delay(at time.Time) time.Duration {
	least := -1
	for _, r := range run.known(at, true) {
		if least < 0 || r.delay < least {
			least = r.delay
		}
	}
	return time.Duration(max(least, 0)) * time.Second
}

// gap returns the gap that a page asks for by the rules of a moment.
func (run *laneRun) gap(p lanePage, at time.Time) time.Duration {
	return max(run.transports[run.requests[p.id].by].gap, run.delay(at))
}

// judgeRules: a page is written only if the rules allow it that were known the moment before,
// or those that came at this moment.
func (run *laneRun) judgeRules(p lanePage) {
	for _, r := range run.known(p.at, true) {
		if !strings.HasPrefix(p.uri, r.disallow) {
			return
		}
	}
	run.fail("rules", "request %d arrives at %v, by rules %+v", p.id, run.in(p.at), run.known(p.at, true))
}

// pauses returns the breaks that the process knew of, and when.
func (run *laneRun) pauses() (pauses []laneBreak) {
	for _, f := range run.fates {
		if f.err == nil && (f.status == 429 || f.status == 503) && f.retryAfter > 0 {
			pauses = append(pauses, laneBreak{run.in(f.returned), f.retryAfter})
		}
	}
	return append(append(pauses, run.breaks...), run.wordless()...)
}

// pause returns the break in which at is. The moment at which a break begins is not in it.
func (run *laneRun) pause(at time.Time) (laneBreak, bool) {
	for _, b := range run.pauses() {
		if d := run.in(at); d > b.at && d < b.at+b.long {
			return b, true
		}
	}
	return laneBreak{}, false
}

func (run *laneRun) judgeBreaks(p lanePage) {
	if b, ok := run.pause(p.at); ok {
		run.fail("break", "request %d arrives at %v, in the break of %v from %v", p.id, run.in(p.at), b.long, b.at)
	}
}

// judgeFetches: robots.txt is not asked for in a break, too.
func (run *laneRun) judgeFetches() {
	for _, a := range run.web.Log().Robots() {
		if b, ok := run.pause(a.Time); ok {
			run.fail("fetch", "robots.txt is asked for at %v, in the break of %v from %v", run.in(a.Time), b.long, b.at)
		}
	}
}

// judgeGaps: two pages are as far apart as either asks for. polite does not remember those that
// asked for no gap before it knew of one in this lane.
func (run *laneRun) judgeGaps(n int, later lanePage) {
	for _, earlier := range run.pages[:n] {
		gap := max(run.gap(earlier, later.at), run.gap(later, later.at))
		if got := later.at.Sub(earlier.at); got >= gap || run.excused(earlier) || !run.gapKnown(earlier) {
			continue
		} else {
			kind := "gap"
			switch {
			case earlier.id == later.id:
				kind = "gap of a resend"
			case run.gap(earlier, earlier.at) == 0:
				kind = "gap after none"
			}
			run.fail(kind, "%v between requests %d and %d, which arrives at %v, for %v", got, earlier.id, later.id, run.in(later.at), gap)
		}
	}
}

// gapKnown reports whether, when p was written, a request with a gap had come to the lane.
func (run *laneRun) gapKnown(p lanePage) bool {
	if run.gap(p, p.at) > 0 {
		return true
	}
	for i, f := range run.fates {
		if f.began.Before(p.at) && (run.transports[run.requests[i].by].gap > 0 || run.delay(f.began) > 0) {
			return true
		}
	}
	return false
}

// judgeSlots: when a page is written, fewer than its limit are under way of those that have one.
// Those that were written while it connected may have got their slots later than it.
func (run *laneRun) judgeSlots(n int, p lanePage) {
	limit := run.transports[run.requests[p.id].by].slots
	if limit == 0 {
		return
	}
	connects := p.at
	for _, d := range run.dials {
		if d.by == p.id && d.at.Before(p.at) {
			connects = d.at
		}
	}
	before, later := make(map[int]bool), make(map[int]bool)
	for _, q := range run.pages[:n] {
		switch {
		case q.id == p.id || !q.at.Before(p.at) || !run.fates[q.id].ended.After(p.at) || run.transports[run.requests[q.id].by].slots == 0:
		case q.at.Before(connects):
			before[q.id] = true
		default:
			later[q.id] = true
		}
	}
	for id := range before { // net/http may have sent it again
		delete(later, id)
	}
	if under := len(before); under >= limit {
		run.fail("slots", "request %d arrives at %v with a limit of %d, and %d are under way", p.id, run.in(p.at), limit, under)
	} else if under += len(later); under >= limit {
		run.fail("slots of later ones", "request %d arrives at %v with a limit of %d, and %d are under way, %d since it connects", p.id, run.in(p.at), limit, under, len(later))
	}
}

// judgeProbes: after a break one goes first. The others follow when it is answered, or after a
// minute. So who comes first a minute after a break that nobody waited for is as any other.
func (run *laneRun) judgeProbes() {
	for _, b := range run.pauses() {
		over := run.start.Add(b.at + b.long)
		if _, ok := run.pause(over); ok {
			continue // another goes on
		}
		n := slices.IndexFunc(run.pages, func(p lanePage) bool { return !p.at.Before(over) })
		if n < 0 || run.pages[n].at.Sub(over) >= time.Minute {
			continue
		}
		first := run.pages[n]
		answered := run.fates[first.id].returned
		for _, p := range run.pages[n+1:] {
			soon := p.at.After(first.at) && p.at.Before(first.at.Add(time.Minute)) && p.at.Before(answered)
			if soon && p.id != first.id && !run.excused(p) {
				run.fail("probe", "request %d arrives at %v after a break until %v; %d, the first, is answered at %v", p.id, run.in(p.at), run.in(over), first.id, run.in(answered))
			}
		}
	}
}

// excused reports whether p is one that cannot be held: it was alone when it was handed on,
// shortly after another, asked for nothing, and had to connect anew after all.
func (run *laneRun) excused(p lanePage) bool {
	tr := run.transports[run.requests[p.id].by]
	if !tr.kept || run.stored && tr.slots > 0 {
		return false
	}
	var handed time.Time
	for _, d := range run.dials {
		if d.by == p.id && d.at.Before(p.at) {
			handed = d.at
		}
	}
	if handed.IsZero() || run.gap(p, handed) > 0 || !run.alone(p, handed) || !run.shortlyAfter(handed) {
		return false
	}
	if _, ok := run.pause(handed); ok {
		return false
	}
	for _, q := range run.pages {
		if q.at.Before(handed) && q.at.Add(run.gap(q, handed)).After(handed) {
			return false
		}
	}
	return true
}

// alone reports whether no other had begun and not returned at a moment.
func (run *laneRun) alone(p lanePage, at time.Time) bool {
	for i, f := range run.fates {
		if i != p.id && !f.began.After(at) && !f.returned.Before(at) {
			return false
		}
	}
	for _, a := range run.asked {
		if !a.at.Add(-a.took).After(at) && !a.at.Before(at) {
			return false
		}
	}
	return true
}

// shortlyAfter reports whether another had come within ten seconds.
func (run *laneRun) shortlyAfter(at time.Time) bool {
	for _, f := range run.fates {
		if f.began.Before(at) && at.Sub(f.began) < 10*time.Second || f.returned.Before(at) && at.Sub(f.returned) < 10*time.Second {
			return true
		}
	}
	for _, a := range run.asked {
		if a.at.Before(at) && at.Sub(a.at) < 10*time.Second {
			return true
		}
	}
	return false
}
