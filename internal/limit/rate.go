package limit

import (
	"math"
	"time"
)

// A rate is how many requests a second a site bears. After an incident, it stays below the rate that
// was too much for long, and then looks for more. Only time with requests counts, since a site that
// nobody asks shows nothing.
type rate struct {
	good      uint16  // answers since the last refusal
	allowance uint16  // good answers that were not spent on stray refusals yet
	base      float32 // per second, what the site bore at the last incident; 0: there is no limit
	plain     float32 // the seconds of active time until the rate is at base again
	active    float32 // the seconds of active time since the incident
	sought    bool    // there was an incident while a rate was known
	kept      bool    // a rate was sought, and kept to for some time
	idle      uint8   // how much of the rate the last requests have not used, in parts of 255
	fleet     uint16  // how many requests all who keep to it send while this process sends one, in parts; 0: one
}

// all returns how many requests all send while this process sends one.
func (r *rate) all() float32 { return max(float32(r.fleet)/fleetPart, 1) }

// noteFleet notes how many requests all send while this process sends one.
func (r *rate) noteFleet(all float32) { r.fleet = uint16(min(max(all, 1), LargestFleet) * fleetPart) }

// isShared reports whether others keep to it, too.
func (r *rate) isShared() bool { return r.all() >= 1.5 }

// now returns the rate that counts now.
func (r *rate) now() float64 {
	base, t, plain := float64(r.base), float64(r.active), float64(r.plain)
	switch {
	case !r.sought && r.isShared():
		return base * math.Exp2(t/doublingShared)
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

// needs returns how many requests are under way at this rate if each takes so long. If the rate has risen
// to more than twice the borne rate, it may be far too high.
func (r *rate) needs(took millis) uint16 {
	return uint16(min(min(float32(r.now()), 2*r.base)/r.all()*float32(took)/1000, widestWindow))
}

// spend counts the time up to a request that begins, if it was not idle. If a rate that has risen
// far is mostly idle, then there is no limit any more.
func (r *rate) spend(past time.Duration) {
	if r.base == 0 {
		return
	}
	used := min(r.all()*float32(r.gap().Seconds()/max(past, 1).Seconds()), 1)
	idle := r.unused() + (1-used-r.unused())/idleOver
	r.idle = uint8(math.Round(float64(idle) * math.MaxUint8))
	r.active += float32(min(past.Seconds(), r.mostActive()))
	if r.now() >= forgetAt*float64(r.base) && !r.isUsed() {
		r.base, r.idle, r.sought = 0, 0, false
	}
}

// unused returns the part of the rate that the last requests have not used.
func (r *rate) unused() float32 { return float32(r.idle) / math.MaxUint8 }

// isEarly reports whether the rate is one that was borne before, and all of it is asked for.
func (r *rate) isEarly() bool {
	return r.sought && r.isUsed() && r.active < r.plain/2
}

// isUsed reports whether there is a rate, and somebody asks for half of it. A process of a fleet only
// guesses what the others use.
func (r *rate) isUsed() bool {
	least := float32(1.0 / 2)
	if r.isShared() {
		least = 1.0 / 8
	}
	return r.base > 0 && 1-r.unused() > least
}

// mostActive returns how many seconds between two requests count: idle time counts for two gaps at
// most. The starts of other processes between the two were reserved by older rates, and a rising rate
// shows only when they are over. So with more processes the time of a fleet runs more slowly, and from
// one request to the next the first rate doubles at most.
func (r *rate) mostActive() float64 {
	gap, all := r.gap().Seconds(), float64(r.all())
	switch {
	case r.sought:
		return 2 * gap * max(1, math.Sqrt(all/3))
	case r.isShared():
		return min(4*gap*max(1, math.Sqrt(all/4)), max(doublingShared, 2*gap))
	default:
		return 2 * gap
	}
}

// A past is what was before an incident.
type past struct {
	good   float32 // good answers a second
	scarce float32 // for how many seconds the site has answered little, or 0
	atOnce bool    // a fleet was refused at once after the last break
	chance bool    // some refusals are taken for chance
}

// lower learns from an incident.
func (r *rate) lower(before past) {
	if r.base == 0 {
		r.set(max(before.good, firstRate), 0)
		return
	}
	guess, plain := !r.sought || before.atOnce || r.active > 2*r.plain, r.plain
	r.notice()
	r.set(max(r.borne(before), r.base/2), 0)
	if guess { // nobody knows how near this is to the limit, and more may be allowed soon
		if r.plain /= 2; r.kept { // a limit that falls may rise again soon
			r.plain = min(r.plain, plain)
		}
		r.good, r.allowance = 0, 0
	} else if r.isShared() {
		r.plain = min(r.plain, slowerShared*plain)
	} else {
		r.plain = min(r.plain, slower*plain)
	}
	r.sought = true
}

// borne returns the rate that the site has borne.
func (r *rate) borne(before past) float32 {
	now := float32(r.now())
	switch {
	case before.chance: // if this is wrong, nothing is refused at what was borne
		return min(now, before.good)
	case before.atOnce: // it was far too much
		return (1 - dip) * now
	case r.isShared() && r.sought: // all keep to the same rate, which is known better than the count
		return now
	case r.isShared(): // the rate has risen during the count, and nobody has sent faster
		return min(now, max(mean(now, before.good), leastTold*now))
	case before.scarce > 0: // a burst may have passed
		return mean(now, float32(r.good+1)/max(before.scarce, 1))
	default:
		return now * (1 - r.unused())
	}
}

// hurry makes the search short, however low the rate is.
func (r *rate) hurry() { r.plain = min(r.plain, fallenSearch*pace(r.all())) }

// pace returns how slowly active time runs where all send so many requests while this process sends one: see
// mostActive.
func pace(all float32) float32 { return min(2/float32(math.Sqrt(3*float64(all))), 1) }

// mean returns the geometric mean of the rate that was too much and the counted rate. It is never less
// than the counted rate.
func mean(now, counted float32) float32 {
	if now < counted {
		return counted
	}
	return float32(math.Sqrt(float64(now * counted)))
}

// set starts the search at a rate. It stays below the rate for least seconds, at least.
func (r *rate) set(base, least float32) {
	r.base = max(base, float32(1/widestGap.Seconds()))
	r.plain = max(min(max(300/r.base, shortestSearch), longestSearch), min(least, longestPlain))
	r.active = 0
}

// afterBan sets the rate after a ban that was seen for so long: to a third of what was asked before, for
// three times as long. If this is not known, the search begins. The rate is about the same until twice its
// plain time.
func (r *rate) afterBan(before, processes float32, seen time.Duration) {
	if before == 0 {
		r.set(firstRate, 0)
		return
	}
	r.sought = true
	r.set(max(before/3, banRate), float32(1.5*seen.Seconds()))
	r.plain *= pace(processes)
}

// learn takes over a rate that others have found, unless r is as low now, or is the same rate and has
// risen since. A rate that may be chance does not replace a surer one. A rate that comes with an incident
// which is news here is that of all, also if it is higher: otherwise this process would tell its old rate at
// the end of the incident, and hold all others back.
func (r *rate) learn(told rate, news bool) {
	switch {
	case r.sought && !told.sought:
		return
	case r.sought && news:
	case r.base == told.base && r.sought == told.sought:
		return
	case r.base == 0, told.sought && !r.sought:
	case r.now() <= told.now():
		return
	}
	var active float32
	if r.base == 0 && told.sought && !news { // this process comes later, and the others have gone on since
		active = told.plain
	}
	r.notice()
	r.base, r.plain, r.active, r.sought = told.base, told.plain, active, told.sought
}

// notice notes, when a rate ends, whether it was kept to for some time. A twentieth of the search is
// enough, since the time of a fleet runs slowly.
func (r *rate) notice() { r.kept = r.sought && (r.kept || r.active >= r.plain/20) }

// payForStray reports whether good answers have paid for a refusal, so that it is no incident. Then the rate
// goes back a little on its curve. A limit without a burst refuses a request that comes a millisecond too
// early, and the way to a site varies by more. If each of these refusals were an incident, the rate would
// go down and down. A fleet does not know which of its refusals are stray.
func (r *rate) payForStray() bool {
	if !r.sought || r.isShared() || r.active >= 2*r.plain || r.allowance < price {
		r.allowance = 0
		return false
	}
	rise := keptRate*r.now()/float64(r.base) - 1
	r.active = r.plain * float32(1+math.Cbrt(max(rise/dip, -1)))
	r.good, r.allowance = 0, r.allowance-price
	return true
}

// strayBreak returns how long the break after a stray refusal is.
func (r *rate) strayBreak() time.Duration {
	return min(max(strayGaps*r.gap(), shortestBreak), firstBreak)
}

// noteGood notes a good answer.
func (r *rate) noteGood() {
	r.good, r.allowance = min(r.good, math.MaxUint16-1)+1, min(r.allowance+1, mostAllowed)
}

// A count counts the good answers of the last seconds.
type count struct {
	since   stamp
	halves  uint16 // two for each answer
	dropped uint8  // the seconds before since in which others were counted, up to memory
}

// restart counts from now on.
func (c *count) restart(now stamp) { *c = count{since: now} }

// add counts one more. When the span is over, it drops the older half.
func (c *count) add(now stamp) {
	past := c.since.to(now)
	switch {
	case c.halves == 0 || past >= longestSpan:
		c.restart(now)
	case past >= 2*usualSpan, past >= 2*shortSpan && c.halves >= 4*plenty:
		c.since += stamp(500 * past)
		c.halves, c.dropped = c.halves/2, uint8(min(float32(c.dropped)+past/2, memory))
	}
	if c.halves < math.MaxUint16-1 {
		c.halves += 2
	}
}

// perSecond returns the rate that was counted, over a second at least.
func (c *count) perSecond(now stamp) float32 {
	if c.halves == 0 { // nothing is known, and one answer in this time is little
		return 1
	}
	return float32(c.halves) / 2 / max(c.since.to(now), 1)
}

// average returns the rate of the last seconds as far as it is known.
func (c *count) average(now stamp) average {
	counted := max(float32(c.dropped)+c.since.to(now), 1)
	if c.halves == 0 {
		counted = 1
	}
	return average{now, c.perSecond(now) * min(counted/memory, 1)}
}

// An average is the rate of good answers over the last seconds, in which a burst counts little.
type average struct {
	at   stamp
	rate float32
}

// now returns the rate if nothing came since.
func (v *average) now(now stamp) float32 {
	return v.rate * float32(math.Exp(-float64(v.at.to(now))/memory))
}

// add counts one more.
func (v *average) add(now stamp) { v.at, v.rate = now, v.now(now)+1.0/memory }
