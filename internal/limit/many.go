package limit

import "time"

const (
	// nearby is how many good answers lie between the refusals of two sites, at most, if both refuse
	// for one reason. If a limit of all is known, they may be farther apart.
	nearby, nearbyKnown = 8, 64

	// longestMany is the longest break of many sites together.
	longestMany = 30 * time.Second
)

// A pair finds refusals of two sites, one soon after the other. What one site refuses is a matter
// of its own lane. It takes two to say that all of them together have too much to do.
type pair struct {
	target uint32 // the site that refused last; 0: there is none
	good   uint8  // good answers since
}

// bear notes a good answer.
func (p *pair) bear() { p.good = min(p.good, nearbyKnown) + 1 }

// refused notes a refusal by a site. It reports whether another site refused not long before.
func (p *pair) refused(target uint32, most uint8) bool {
	is := p.target != 0 && p.target != target && p.good <= most
	*p = pair{target: target}
	return is
}
