package lane

import (
	"time"

	"github.com/go-polite/polite/internal/limit"
)

// A slowStart lets requests begin slowly after a break. One request goes first, the trial, and the
// others follow its answer. After each round of good answers, one more request may be under way. After
// a bad answer, only one may. The zero slowStart lets any number be under way. If the lane keeps to
// what the site bears, it is over with the first good answer.
type slowStart struct {
	since    time.Time // the last bad answer, or the last break that was asked for
	window   int       // how many may be under way; 0 is any number
	under    int       // how many are
	last     time.Time // when the last of them began
	number   int       // of this slow start, from 1
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

// restart begins a slow start. It takes effect when the break is over.
func (s *slowStart) restart(now time.Time) { s.since, s.window, s.good = now, 1, 0 }

// goesFirst reports whether one request goes first, of all processes that share the lane. This holds
// until a good answer, but not for long.
func (s *slowStart) goesFirst(breakEnd, now time.Time) bool {
	return s.window == 1 && now.Before(breakEnd.Add(patience))
}

// ready returns when one more request may begin if no answer comes before. The zero time means now.
func (s *slowStart) ready() (at time.Time) {
	if s.window > 0 && s.under >= s.window {
		at = s.last.Add(patience)
	}
	return at
}

// includes reports whether a ticket that connected before the break has to go by s when its
// connection is ready. number is that of the slow start in which it connected.
func (s *slowStart) includes(number int, begun time.Time) bool {
	return s.window > 0 && (number == 0 || number != s.number) && !begun.After(s.since)
}

// begin counts a ticket that connects. It returns the number of the slow start that it
// belongs to, or 0. The slow start is over if all is well a while after the break, and no trial is
// under way.
func (s *slowStart) begin(now, breakEnd time.Time) (number int) {
	if s.setbacks == 0 && (s.window > 1 || s.under == 0) && now.After(breakEnd.Add(rememberFor)) {
		s.window = 0
	}
	if s.window == 0 {
		return 0
	}
	if s.number == 0 || s.under >= s.window { // those under way are not waited for any more
		s.number, s.under = s.number+1, 0
	}
	s.under, s.last = s.under+1, now
	return s.number
}

// end follows the answer to a ticket that connected in the slow start with this number. If the answer
// is bad, it returns how long the next turn is put off. limited says that the lane keeps to what the
// site bears, and therefore puts turns off by itself.
func (s *slowStart) end(number int, written, now time.Time, answer Answer, limited bool) (setback time.Duration) {
	if number == 0 || number != s.number {
		return 0
	}
	s.under--
	bad := answer.Kind == limit.Busy || answer.Kind == limit.Down || answer.Kind == limit.Refused || answer.Kind == limit.Silent
	switch good := answer.Answered && !bad && written.After(s.since); {
	case limited && good:
		s.window, s.setbacks = 0, 0
	case limited:
	case bad:
		setback = min(time.Second<<min(s.setbacks, 10), longestSetback)
		s.restart(now)
		s.setbacks++
	case good:
		s.setbacks = 0
		if s.good++; s.good >= s.window {
			s.window, s.good = s.window+1, 0
		}
	}
	return setback
}
