package limit

import (
	"math"
	"time"
)

const (
	// strayGaps is how many gaps the break after a stray refusal is long, within bounds.
	strayGaps     = 4
	shortestBreak = 100 * time.Millisecond

	// keptRate is how much of the rate is left after it.
	keptRate = 0.97

	// unusedRate is how much more the rate is than what is used, at most, if it rises since
	// refusals come by chance.
	unusedRate = 2
)

// isStray reports whether a refusal is no incident: it is allowed for, or refusals come by
// chance. used is the rate of good answers. A fleet does not know which of its refusals are stray.
func (r *rate) isStray(used float32) bool {
	if !r.sought || r.isShared() || r.active >= 2*r.plain {
		r.vain.allowance = 0
		return false
	}
	spare := r.vain.allowance.spend()
	chance := r.isChance(used, spare)
	if spare && !chance {
		r.yield()
	}
	if spare || chance {
		r.vain.restart()
	}
	return spare || chance
}

// isChance reports whether refusals come by chance. Then the rate goes back to what it was, and
// rises while it is used.
func (r *rate) isChance(used float32, spare bool) bool {
	if r.active >= r.plain {
		r.vain.late()
		return false
	}
	back := r.vain.early(r.base, spare)
	if back = min(back, max(unusedRate*used, r.vain.before)); back > r.base {
		r.set(back, 0)
	}
	return back > 0
}

// yield goes back on the curve to a rate that is a little lower.
func (r *rate) yield() {
	rise := keptRate*r.now()/float64(r.base) - 1
	r.active = r.plain * float32(1+math.Cbrt(max(rise/dip, -1)))
}

// strayBreak returns how long the break after a stray refusal is.
func (r *rate) strayBreak() time.Duration {
	return min(max(strayGaps*r.gap(), shortestBreak), firstBreak)
}
