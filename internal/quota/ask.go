package quota

import "time"

// An Ask is what an answer asks for. The zero Ask asks for nothing.
type Ask struct {
	Break time.Duration // send nothing for this long
	Gap   time.Duration // leave at least this much between two requests
	Left  time.Duration // how long the gap holds; the quota is new after that
	Why   string        // the field that asks, such as "X-RateLimit-Remaining"
}

const (
	// LongestGap is the longest gap. The smallest quota that is usual is 60 requests an
	// hour. A site that allows fewer refuses a request that comes too early, and that
	// refusal is kept to.
	LongestGap = time.Minute

	// LongestBreak is the longest break if the site did answer the request, and the
	// longest time that a gap holds. Some sites send a wrong time, or count a quota that
	// does not hold for these requests. After this time, one request finds out. If the
	// site refused the request, it means what it says: see MaxRetryAfter.
	LongestBreak = time.Hour

	// few is how many requests remain of a quota of unknown size when a gap begins.
	// Whoever waits for 0 goes beyond the quota by as many requests as are under way. A
	// gap costs little: there is no more in the time left than what remains.
	few = 10
)

// A remainder is what remains of a quota.
type remainder struct {
	remaining int64
	limit     int64         // the whole quota; unknown if it is not
	left      time.Duration // until the quota is new
	other     bool          // it counts something else than requests
	field     string
}

const unknown = -1

// ask spreads what remains over the time left. It asks for nothing above half of a quota,
// since a site that is far from its limit needs no care. If something else than requests
// is counted, it is not known how much a request takes, and only 0 counts.
func (r remainder) ask(longestBreak time.Duration) Ask {
	switch {
	case r.left <= 0 || r.remaining < 0:
		return Ask{}
	case r.remaining == 0:
		return Ask{Break: min(r.left, longestBreak), Why: r.field}
	case r.other || !r.low():
		return Ask{}
	}
	count := time.Duration(r.remaining)
	gap := (r.left + count - 1) / count
	return Ask{Gap: min(gap, LongestGap), Left: min(r.left, LongestBreak), Why: r.field}
}

func (r remainder) low() bool {
	if r.limit == unknown {
		return r.remaining < few
	}
	return r.remaining < r.limit-r.remaining
}

// and returns an Ask that does what a and b ask for. It says why the break is, or if there
// is none, why the gap is.
func (a Ask) and(b Ask) Ask {
	both := a
	if b.Gap > a.Gap || b.Gap == a.Gap && b.Left > a.Left {
		both.Gap, both.Left = b.Gap, b.Left
		if a.Break == 0 {
			both.Why = b.Why
		}
	}
	if b.Break > a.Break {
		both.Break, both.Why = b.Break, b.Why
	}
	return both
}
