package pace

import (
	"time"

	"github.com/go-polite/polite/internal/limit"
)

// An Answer says what came of a request. The zero Answer says nothing of the server.
type Answer struct {
	Kind     limit.Kind
	Answered bool // the server has answered, whatever it says
	At       time.Time
	Section  uint8  // a hash of the first segment of the path
	Target   uint32 // a hash of the path and the query
	Site     uint32 // a hash of the lane of the request, for the lane above
	Counted  bool   // it has counted in the lane above
	Taken    bool   // it was taken for one of all sites that share that lane

	witness limit.Witness // of a lane above

	RetryAfter time.Duration // how long the site asks for a break; 0 if it does not
	QuotaGap   time.Duration // the gap that a quota asks for
	QuotaBreak time.Duration // the break that a quota asks for
}

// An Outcome is what follows from an Answer. The zero Outcome is that nothing does.
type Outcome struct {
	Until   time.Time    // no turn begins before; zero: there is no new break
	Limit   limit.State  // what the site bears from now on
	Lesson  limit.Lesson // what those who share the lane are to learn
	Counted bool         // the answer has counted for many sites that share the lane
	Taken   bool         // it was taken for one of all of them
	Tells   bool         // there is a Limit and a Lesson: a bad answer has begun an incident or has made it longer, or a good one has ended it
}

// above returns what a says of the lane above. What the site asks for is a matter of the lane below.
func (a *Answer) above(witness limit.Witness) Answer {
	return Answer{Kind: a.Kind, Answered: a.Answered, At: a.At, Section: uint8(a.Site % 64), Target: a.Site, witness: witness}
}

// Says reports whether a says more than that all is well.
func (a *Answer) Says() bool {
	return a.Kind > limit.Good || a.RetryAfter > 0 || a.QuotaGap > 0 || a.QuotaBreak > 0
}
