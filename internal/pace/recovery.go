package pace

import (
	"time"

	"github.com/go-polite/polite/internal/limit"
)

// A recovery lets a server come back from a break slowly. One request goes first, and
// the others follow its answer. Each round of good answers lets one more be under way.
// A bad answer lets only one again. With the zero recovery, any number may be under
// way. If the lane keeps to what the site bears, it is over with the first good answer.
type recovery struct {
	since    time.Time // the last bad answer, or the last break that was asked for
	window   int       // how many may be under way; 0 is any number
	under    int       // how many are
	last     time.Time // when the last of them began
	number   int       // of this recovery, from 1
	good     int       // good answers since the window grew
	setbacks int       // bad answers in a row
}

const (
	// rememberFor is how long a lane remembers how fast a server is, and that it has asked
	// for a break.
	rememberFor = time.Minute

	// longestSetback is the longest that a bad answer without Retry-After puts off
	// the next turn.
	longestSetback = 30 * time.Second

	// patience is how long the others wait for an answer that does not come.
	patience = time.Minute
)

// restart begins a recovery. It takes effect when the break is over.
func (r *recovery) restart(now time.Time) { r.since, r.window, r.good = now, 1, 0 }

// from returns when a turn with a window may begin, which is not before at.
func (r *recovery) from(breakEnd, at time.Time) time.Time {
	return later(later(at, breakEnd), r.ready())
}

// goesFirst reports whether one of all that share the lane goes first: until there is a good
// answer, but not for long.
func (r *recovery) goesFirst(breakEnd, now time.Time) bool {
	return r.window == 1 && now.Before(breakEnd.Add(patience))
}

// ready returns when one more may begin if none of those under way is answered before.
// The zero time means now.
func (r *recovery) ready() (at time.Time) {
	if r.window > 0 && r.under >= r.window {
		at = r.last.Add(patience)
	}
	return at
}

// includes reports whether a turn that began before the break has to go by r when it comes
// to the gate. number is that of the recovery in which it began.
func (r *recovery) includes(number int, begun time.Time) bool {
	return r.window > 0 && (number == 0 || number != r.number) && !begun.After(r.since)
}

// begin counts a turn that begins. It returns the number of the recovery that the turn
// belongs to, or 0. The recovery is over if all is well a while after the break.
func (r *recovery) begin(now, breakEnd time.Time) (number int) {
	if r.setbacks == 0 && now.After(breakEnd.Add(rememberFor)) {
		r.window = 0
	}
	if r.window == 0 {
		return 0
	}
	if r.number == 0 || r.under >= r.window { // those under way are not waited for any more
		r.number, r.under = r.number+1, 0
	}
	r.under, r.last = r.under+1, now
	return r.number
}

// end follows the answer to a turn that began in the recovery with this number. If the
// answer is bad, it returns how long the next turn is put off. limited says that the lane keeps
// to what the site bears, and so does this by itself.
func (r *recovery) end(number int, begun, now time.Time, answer Answer, limited bool) (setback time.Duration) {
	if number == 0 || number != r.number {
		return 0
	}
	r.under--
	bad := answer.Kind == limit.Busy || answer.Kind == limit.Down || answer.Kind == limit.Refused || answer.Kind == limit.Silent
	switch good := answer.Answered && !bad && begun.After(r.since); {
	case limited && good:
		r.window, r.setbacks = 0, 0
	case limited:
	case bad:
		setback = min(time.Second<<min(r.setbacks, 10), longestSetback)
		r.restart(now)
		r.setbacks++
	case good:
		r.setbacks = 0
		if r.good++; r.good >= r.window {
			r.window, r.good = r.window+1, 0
		}
	}
	return setback
}
