package limit

import (
	"math"
	"time"
)

const (
	// widestGap is the longest gap that is learned.
	widestGap = time.Minute

	// doubling is in how many seconds the first rate doubles. One bad answer may be
	// chance.
	doubling = 3

	// firstRate is the least that is asked after the first bad answer: whoever asked for less
	// has not tried what the site bears.
	firstRate = 1

	// dip is by how much of itself the rate is lower after an incident. It comes back on a
	// cubic curve.
	dip = 0.15

	// slower is how much longer the search takes after an incident than after the one before, at
	// most. A limit may be low for a short time only.
	slower = 1.25

	// leastTold is the least part of the first rate that a fleet believes: what one process counts
	// and takes for its share is not exact.
	leastTold = 0.75

	// fleetPart is in how many parts a request of others is counted, and largestFleet how many of
	// them are believed for one of this process.
	fleetPart, largestFleet = 16, 1000

	// shortestPlain is what is believed of others.
	shortestPlain = 10

	// longestPlain is for how many seconds a rate is kept to after a ban, at most.
	longestPlain = 3600

	// forgetAt is from how many times the learned rate on it may be forgotten.
	forgetAt = 20
)

// A rate is how many requests a second a site bears. After an incident, it stays below the
// rate that was too much for long, and then looks for more. Only the time in which
// requests were sent counts, since a site that nobody asks shows nothing.
type rate struct {
	vain   vain
	base   float32 // per second, what the site bore at the last incident; 0: there is no limit
	plain  float32 // the seconds of active time until the rate is at base again
	active float32 // the seconds of active time since the incident
	sought bool    // there was an incident while a rate was known
	fleet  uint16  // how many requests all who keep to it send while this process sends one, in parts; 0: one
}

// all returns how many requests all send while this process sends one.
func (r *rate) all() float32 { return max(float32(r.fleet)/fleetPart, 1) }

// share notes how many requests all send while this process sends one.
func (r *rate) share(all float32) { r.fleet = uint16(min(max(all, 1), largestFleet) * fleetPart) }

// isShared reports whether others keep to it, too.
func (r *rate) isShared() bool { return r.all() >= 1.5 }

// now returns the rate that counts now.
func (r *rate) now() float64 {
	base, t, plain := float64(r.base), float64(r.active), float64(r.plain)
	switch {
	case !r.sought:
		return base * math.Exp2(t/doubling)
	case t <= 2*plain:
		x := (t - plain) / plain
		return base * (1 + dip*x*x*x)
	default:
		return base * (1 + dip) * math.Exp2((t-2*plain)/(plain/4))
	}
}

// gap returns the least time between two requests.
func (r *rate) gap() time.Duration {
	if r.base == 0 {
		return 0
	}
	return min(time.Duration(float64(time.Second)/r.now()), widestGap)
}

// spend counts the time up to a request that begins. Idle time counts for two gaps at most. While
// others send at the first rate, too, it counts for four. If used, the rate of good answers, stays
// far below a rate that has risen far, then there is no limit any more.
func (r *rate) spend(past time.Duration, used float32) {
	if r.base == 0 {
		return
	}
	most := 2 * r.gap()
	if !r.sought && r.isShared() {
		most *= 2
	}
	r.active += float32(min(past, most).Seconds())
	if now := r.now(); now >= forgetAt*float64(r.base) && now >= 2*float64(used) {
		r.base, r.sought = 0, false
	}
}

// A past is what was before an incident.
type past struct {
	good   float32 // good answers a second
	counts float32 // for how many seconds they were counted
	scarce float32 // for how many seconds the site has answered little, or 0
}

// lower learns from an incident.
func (r *rate) lower(before past) {
	if r.base == 0 {
		r.set(max(before.good, firstRate), 0)
		return
	}
	guess, plain := !r.sought || r.active > 2*r.plain, r.plain
	r.set(max(r.borne(before), r.base/2), 0)
	if guess { // the rate was left behind long ago, so that there may be more soon
		r.plain /= 2
		r.vain = vain{}
	} else {
		r.plain = min(r.plain, slower*plain)
	}
	r.sought = true
}

// borne returns the rate that the site has borne.
func (r *rate) borne(before past) float32 {
	now := float32(r.now())
	switch {
	case r.isShared() && r.sought: // all keep to the same rate, and it is known better than counted
		return now
	case r.isShared(): // it has risen while they were counted, and nobody has sent faster
		return min(now, max(mean(now, before.good), leastTold*now))
	case before.scarce > 0: // a burst may have passed
		return mean(now, float32(r.vain.good+1)/max(before.scarce, 1))
	default:
		return min(now, before.latest())
	}
}

// latest returns the rate at the end of the time if it has doubled as the first rate does.
func (p past) latest() float32 {
	rise := p.counts * math.Ln2 / doubling
	if rise == 0 {
		return p.good
	}
	return p.good * rise / float32(1-math.Exp(-float64(rise)))
}

// mean returns the rate in the middle of what was too much and what was counted, as factors. It is
// never less than what was counted.
func mean(now, counted float32) float32 {
	if now < counted {
		return counted
	}
	return float32(math.Sqrt(float64(now * counted)))
}

// set starts the search at a rate. It stays below the rate for least seconds, at least.
func (r *rate) set(base, least float32) {
	r.base = max(base, float32(1/widestGap.Seconds()))
	r.plain = max(min(max(300/r.base, 40), 600), min(least, longestPlain))
	r.active = 0
}

// learn takes over a rate that others have found, unless this one is as low now. What may be
// chance says nothing to who knows better.
func (r *rate) learn(told rate) {
	switch {
	case r.base == 0, told.sought && !r.sought:
	case r.sought && !told.sought, r.now() <= told.now():
		return
	}
	r.base, r.plain, r.active, r.sought = told.base, told.plain, 0, told.sought
}
