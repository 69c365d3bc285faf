package pace

import (
	"fmt"
	"time"
)

// Terms say how a request takes its turn. With the zero Terms, the request does not
// wait for others. It waits only for a Break.
type Terms struct {
	Gap      time.Duration // from the start of one turn to the start of the next
	Jitter   float64       // up to this part of a gap is added to it
	Slots    int           // turns under way at the same time; 0 is any number
	MaxWait  time.Duration // 0 is until the context ends, or the site is down; negative is until the context ends
	MaxQueue int           // how many may wait
	Limit    bool          // keep to what the site bears, as its answers tell
	Many     bool          // the lane is that of many sites, so Limit is for breaks alone
	Joins    bool          // the request takes a place in the queue also where its turn could begin at once
	Silent   bool          // Base does not tell when it has connected: no turn begins before its Window
	Reserved bool          // a turn with a gap or a slot begins only within a Window that is reserved elsewhere
}

// A Window is when a turn may begin. The zero Window is none.
type Window struct {
	From, Until time.Time
	Early       time.Duration // how long before From to begin, beside the time to connect
	BeginBy     time.Time     // the latest time to begin, before it is reserved once more; zero: there is none
	Void        func() bool   // reports whether the window is lost
}

// reserved reports whether w is a window.
func (w Window) reserved() bool { return !w.Until.IsZero() }

// lapsed reports whether w has to be reserved once more for a turn that begins at now.
func (w Window) lapsed(now time.Time) bool { return !w.BeginBy.IsZero() && now.After(w.BeginBy) }

// over reports whether a turn that begins at now would be too late for w.
func (w Window) over(now time.Time) bool {
	return w.reserved() && (now.After(w.Until) || w.Void != nil && w.Void())
}

// Free reports whether terms ask for nothing. Then a turn waits only if there is a lane
// already.
func (terms *Terms) Free() bool {
	return terms.Gap == 0 && terms.Slots == 0
}

// A LateError says that a turn would come too late.
type LateError struct {
	Turn time.Time // when to come back: behind the requests that wait, and behind promised turns
	Why  string
	Err  error // why nobody knows when the turn comes; nil if it is known

	Unknown bool // the rules are not known yet
}

func (e *LateError) Error() string {
	return fmt.Sprintf("the turn would come at %s: %s", e.Turn.Format(time.RFC3339Nano), e.Why)
}
