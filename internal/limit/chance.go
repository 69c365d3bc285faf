package limit

import "math"

// A chance finds out whether a site refuses some requests at any rate. Without it, polite would ask such a
// site less and less. If a lower rate does not help, there is perhaps no limit: if refusals still come at a
// rate that was borne before, and become no rarer, a trial begins, with a rate that is four times higher.
// If there is a limit, most requests are refused then. Otherwise refusals come by chance, and do not lower
// the rate unless more of them come.
type chance struct {
	usual float32 // the part that is refused by chance; 0: none, as far as is known
	spare float32 // how many more refusals are taken for chance
	sure  float32 // that there is a limit: in a trial
	most  float32 // the largest part that is refused by chance, as far as was known before the trial
	was   *rate   // the rate before the trial; nil if there is none
	good  uint16  // answers since the first early refusal, and in trials
	bad   uint16  // the same of refusals
	row   uint16  // good answers since the last refusal
	rare  float32 // the part of answers that were refused among the early refusals before these; 0: there were none
	early uint8   // how many more refusals came at a rate that was borne before than at a higher one
}

// isUsual reports whether some requests are refused by chance.
func (c *chance) isUsual() bool { return c != nil && c.usual > 0 }

// explains reports whether so many bad answers in a row may be chance.
func (c *chance) explains(row uint8) bool {
	return c.isUsual() && float64(row)*math.Log(float64(c.usual)) > oddity/2
}

// isKnown reports whether a refusal may be no incident.
func (c *chance) isKnown() bool { return c != nil && (c.was != nil || c.isUsual()) }

// allowed returns the part of the answers whose refusal is no incident.
func (c *chance) allowed() float32 { return min(1.5*c.usual+0.02, c.usual+0.15) }

// noteGood notes a good answer. It reports whether to try a higher rate: a trial has found no limit, or nothing
// is refused by chance any more. Requests under way, as many as window, may be answered in another order.
func (c *chance) noteGood(window uint16) (higher bool) {
	c.good, c.row = min(c.good, math.MaxUint16-1)+1, min(c.row, math.MaxUint16-1)+1
	switch {
	case c.was != nil:
		if c.sure -= float32(math.Log(leap)); c.sure > sureOfNone {
			return false
		}
		c.usual, c.spare = c.part(), mostSpare
		c.begin()
		return true
	case c.usual > 0 && float32(c.row) > enoughWell*(1+1/c.usual)+float32(window):
		*c = chance{most: c.usual}
		return true
	case c.usual > 0:
		c.spare = min(c.spare+c.allowed()/(1-c.allowed()), max(mostSpare, float32(window)))
	}
	return false
}

// takeSpare reports whether a refusal is no incident.
func (c *chance) takeSpare() bool {
	c.row = 0
	if c.spare >= 1 {
		c.spare--
		return true
	}
	return false
}

// noteEarly notes an incident at a rate, which may be early: the rate was borne before. It reports whether a
// trial is due.
func (c *chance) noteEarly(early bool) bool {
	c.row = 0
	if !early {
		if c.early > 0 {
			c.early--
		}
		return false
	}
	if c.early == 0 {
		c.good, c.bad = 0, 0
	}
	c.early++
	c.bad++
	if c.early < enoughEarly {
		return false
	}
	part, before := float32(c.bad)/(float32(c.bad)+float32(c.good)), c.rare
	c.early, c.rare = 0, part
	if before == 0 || part < noRarer*before || part > mostByChance {
		return false
	}
	c.begin()
	return true
}

// begin begins a trial.
func (c *chance) begin() { c.sure, c.most = 0, c.part() }

// try notes a refusal in a trial, and reports whether it has found a limit.
func (c *chance) try() bool {
	c.bad = min(c.bad, math.MaxUint16-1) + 1
	c.row = 0
	p := float64(c.most)
	c.sure += min(float32(math.Log((1-(1-p)/leap)/p)), mostOfOne)
	if c.sure < sureOfLimit {
		return false
	}
	*c = chance{usual: c.usual}
	return true
}

// part returns the largest part of the answers that is refused by chance, as far as is known: few that were
// counted may have been fewer than usual.
func (c *chance) part() float32 {
	bad := float64(c.bad)
	return min(float32((bad+math.Sqrt(bad))/max(bad+float64(c.good), 1)), mostByChance)
}
