package pace

import "time"

// A recovery lets a server come back from a break slowly: one request goes first,
// the others follow its answer. How many may be under way grows by one with each
// round of good answers, and is one again after a bad one. The zero recovery is
// none: any number may.
type recovery struct {
	since    time.Time // the last bad answer, or the last break that was asked for
	window   int       // how many may be under way; 0 is any number
	under    int       // how many are
	good     int       // good answers since the window grew
	setbacks int       // bad answers in a row
}

// longestSetback is the longest that a bad answer without Retry-After puts off the
// next turn.
const longestSetback = 30 * time.Second

// restart begins a recovery, for when the break is over.
func (r *recovery) restart(now time.Time) { r.since, r.window, r.good = now, 1, 0 }

// full reports whether no more may be under way.
func (r *recovery) full() bool { return r.window > 0 && r.under >= r.window }

// begin counts a turn that begins, and reports whether it belongs to the recovery.
// That is over if all is well a while after the break.
func (r *recovery) begin(now, hold time.Time) bool {
	if r.setbacks == 0 && now.After(hold.Add(rememberFor)) {
		r.window = 0
	}
	if r.window > 0 {
		r.under++
	}
	return r.window > 0
}

// end follows the answer to a turn of the recovery. It returns how long a bad one
// puts off the next.
func (r *recovery) end(begun, now time.Time, answer Answer) (setback time.Duration) {
	r.under--
	switch {
	case answer == Bad:
		setback = min(time.Second<<min(r.setbacks, 10), longestSetback)
		r.restart(now)
		r.setbacks++
	case answer == Good && begun.After(r.since):
		r.setbacks = 0
		if r.good++; r.good >= r.window {
			r.window, r.good = r.window+1, 0
		}
	}
	return setback
}
