package manners

import "time"

// An answer is what a controller learns of a request.
type answer struct {
	begun, now time.Duration
	page       page
	reply      reply
	turn       turn
}

// A controller says when requests begin.
type controller interface {
	// begin begins a request if it may, for one of so many goroutines that want to. Otherwise at is when
	// to try again if no answer comes before; 0: not before.
	begin(now time.Duration, goroutines int) (t turn, at time.Duration, ok bool)

	end(a answer) // one is answered
}

// paced are the parts of a controller that computes with times alone.
type paced interface {
	room(now time.Duration) bool          // one more may be under way
	next(now time.Duration) time.Duration // when it may begin
	begin(now time.Duration)              // one begins
	end(a answer)                         // one is answered
}

// simple is a controller that is paced.
type simple struct{ paced }

func (s simple) begin(now time.Duration, _ int) (t turn, at time.Duration, ok bool) {
	if !s.room(now) {
		return t, 0, false
	}
	if at = s.next(now); at > now {
		return t, at, false
	}
	s.paced.begin(now)
	return t, 0, true
}
