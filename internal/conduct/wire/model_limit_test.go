package wire

import (
	"slices"
	"time"
)

// leastBreak is how long a break without a word is, at least.
const leastBreak = time.Second

// wordless returns the breaks that follow from a 429 or 503 without a Retry-After. An answer to a
// request that had come before the last break is over may belong to the same trouble.
func (run *laneRun) wordless() (pauses []laneBreak) {
	var over time.Duration
	for _, i := range run.refused() {
		f := run.fates[i]
		at := run.in(f.returned)
		switch {
		case f.retryAfter > 0:
			over = max(over, at+f.retryAfter)
		case run.in(f.began) >= over && !run.isOwn(i):
			pauses = append(pauses, laneBreak{at, leastBreak})
			over = at + leastBreak
		}
	}
	return pauses
}

// refused returns the requests that were answered with 429 or 503, in the order of the answers.
func (run *laneRun) refused() (refused []int) {
	for i, f := range run.fates {
		if f.err == nil && (f.status == 429 || f.status == 503) {
			refused = append(refused, i)
		}
	}
	slices.SortStableFunc(refused, func(a, b int) int { return run.fates[a].returned.Compare(run.fates[b].returned) })
	return refused
}

// isOwn reports whether the page of a request may be refused for a reason of its own: it was refused
// before, and others were answered well since.
func (run *laneRun) isOwn(i int) bool {
	const enough = 8
	path, returned := run.requests[i].path, run.fates[i].returned
	for j, f := range run.fates {
		before := j != i && run.requests[j].path == path && f.err == nil && (f.status == 429 || f.status == 503) && !f.returned.After(returned)
		if before && run.good(f.returned, returned) >= enough {
			return true
		}
	}
	return false
}

// isDown reports whether so many answers were bad since the last good one that the break is longer
// than a minute. Then nobody waits who has not asked to.
func (run *laneRun) isDown(at time.Time) bool {
	const enough = 5
	var last time.Time
	for _, f := range run.fates {
		if f.err == nil && f.status < 400 && !f.returned.After(at) && f.returned.After(last) {
			last = f.returned
		}
	}
	bad := 0
	for _, i := range run.refused() {
		if f := run.fates[i]; !f.returned.After(at) && f.returned.After(last) {
			bad++
		}
	}
	return bad >= enough
}

// good returns how many answers were good between two times.
func (run *laneRun) good(from, to time.Time) (n int) {
	for _, f := range run.fates {
		if f.err == nil && f.status < 400 && !f.returned.Before(from) && !f.returned.After(to) {
			n++
		}
	}
	return n
}

// judgeWindow: two requests are under way at first, and a third that began alone. Each good answer
// lets at most three more be. One that is under way for a minute holds up nobody.
func (run *laneRun) judgeWindow(n int, p lanePage) {
	under := 0
	for id, f := range run.fates {
		arrived := slices.ContainsFunc(run.pages[:n], func(q lanePage) bool { return q.id == id && q.at.Before(p.at) })
		if id != p.id && arrived && f.returned.After(p.at) && p.at.Sub(f.began) < time.Minute {
			under++
		}
	}
	if most := 2 + 3*run.good(run.start, p.at); under > most {
		run.fail("window", "request %d arrives at %v, and %d are under way, not %d", p.id, run.in(p.at), under, most)
	}
}
