package pace

import "time"

// promises are the turns that refused requests of a lane are to come back for. Each gets a
// turn behind the others, so that not all come back at the same time. A promise keeps no
// turn free. It is over when its time has come.
type promises struct {
	last time.Time     // the last turn that was promised
	step time.Duration // the longest from one of them to the next
	due  time.Time     // since then somebody should have come, but nobody has
}

const (
	// mostPromises is how many turns are promised behind each other. So abandoned refusals
	// delay others by up to 10,000 turns.
	mostPromises = 10_000

	// mostBroken is how many promised turns in a row may be missed. Then all promises are
	// dropped.
	mostBroken = 10

	longestStep = 3 * 24 * time.Hour // so that all steps together are no overflow
)

// tell returns the turn to promise to a request. Without promises its turn would be turn.
// step is how long after the turn before it a turn comes.
func (p *promises) tell(turn time.Time, step time.Duration, now time.Time) time.Time {
	p.came(now)
	next := p.last.Add(step)
	if p.last.Before(now) || turn.After(next) {
		next, p.due, p.step = turn, turn, 0
	}
	p.step = max(p.step, min(step, longestStep))
	if most := turn.Add(mostPromises * p.step); most.Before(next) {
		next = most
	}
	p.last = next
	return next
}

// came notes that a request of the lane has come. If none had come for long, the others
// have gone elsewhere, too.
func (p *promises) came(now time.Time) {
	if p == nil || now.Before(p.due) {
		return
	}
	if p.until().Before(now) {
		p.last = time.Time{}
	}
	p.due = now
}

// until returns when the promises are forgotten if nobody comes. It is zero if there are
// none.
func (p *promises) until() time.Time {
	if p == nil {
		return time.Time{}
	}
	if until := p.due.Add(mostBroken * p.step); until.Before(p.last) {
		return until
	}
	return p.last
}
