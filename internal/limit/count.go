package limit

import "math"

// A count is counted over some seconds: over fewer if that gives plenty of answers.
const (
	plenty      = 16
	shortSpan   = 1
	usualSpan   = 3
	longestSpan = 120 // twice the widest gap
)

// A count counts the good answers of the last seconds.
type count struct {
	since   stamp
	halves  uint16 // two for each answer
	settled bool   // there were others before since
}

// restart counts from now on.
func (c *count) restart(now stamp) { *c = count{since: now} }

// add counts one more. What is long ago is dropped by half.
func (c *count) add(now stamp) {
	past := c.since.to(now)
	switch {
	case c.halves == 0 || past >= longestSpan:
		c.restart(now)
	case past >= 2*usualSpan, past >= 2*shortSpan && c.halves >= 4*plenty:
		c.since += stamp(500 * past)
		c.halves, c.settled = c.halves/2, true
	}
	if c.halves < math.MaxUint16-1 {
		c.halves += 2
	}
}

// perSecond returns the rate that was counted, over a second at least.
func (c *count) perSecond(now stamp) float32 { return c.over(c.since.to(now), 1) }

// average returns the rate of the last seconds as far as it is known.
func (c *count) average(now stamp) average {
	if c.settled {
		return average{at: now, rate: c.perSecond(now)}
	}
	return average{at: now, rate: c.over(c.since.to(now), memory)}
}

func (c *count) over(past, least float32) float32 {
	if c.halves == 0 { // nothing is known, and one in that time is little
		return 1 / least
	}
	return float32(c.halves) / 2 / max(past, least)
}

// memory is how many seconds an average goes back, mostly.
const memory = 10

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
