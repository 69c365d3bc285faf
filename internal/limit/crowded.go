package limit

import "time"

// crowded is what a Lane knows of a site that was too busy once.
type crowded struct {
	last    time.Duration // when the last request began
	before  *before       // the last incident; nil if there was none
	pause   pause
	rate    rate
	own     own
	growth  growth
	average average
	early   bool          // the last incident began while a rate was known
	shaken  bool          // the last bad answer counted for many sites, and no good one has come since
	same    uint8         // connections that were refused since it began, not counting probes
	quota   time.Duration // the gap that a quota asks for
	until   time.Duration // how long it holds
}

// rewind follows a clock that has gone back.
func (c *crowded) rewind(now time.Duration) {
	if c.pause.from-now > jump {
		c.pause.rewind(now)
	}
	if back := c.last - now; back > jump {
		c.last, c.until, c.growth.cutAt = now, c.until-back, stampOf(now)
	}
}

// past returns what was before an incident. good is the rate of good answers.
func (c *crowded) past(good float32, now time.Duration) past {
	atOnce := c.rate.sought && c.rate.isShared() && c.pause.end > 0 && now-c.pause.end < atOnceGaps*c.rate.gap()
	return past{good, c.scarce(now), atOnce}
}

// atOnceGaps is within how many gaps after a break a fleet is refused at once.
const atOnceGaps = 3

// scarce returns the seconds since the last break began if it was not the first of several, and
// few answers were good after it. Otherwise it returns 0.
func (c *crowded) scarce(now time.Duration) float32 {
	p := &c.pause
	if p.level == 0 && c.rate.sought || !p.isSoon(c.rate.vain.good, now) {
		return 0
	}
	return float32((now - p.from).Seconds())
}
