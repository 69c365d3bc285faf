package limit

const (
	// sixRefusals is over how many refusals it is counted how rare they are.
	sixRefusals = 6

	// noRarer is how many refusals there are at least of those before, if a lower rate was in vain.
	noRarer = 0.8

	// mostByChance is the largest part of the last answers that is refused by chance.
	mostByChance = 0.8

	// enoughWell is how many times the good answers between two refusals come in a row if there are no
	// refusals by chance any more.
	enoughWell = 10
)

// A chance finds out whether a site refuses some requests at any rate. Such a site would be asked less
// and less. A rate that does not help when it is lowered is no limit: each refusal lowers it, and if six
// are no rarer than the six before, they come by chance.
type chance struct {
	before float32 // the part of answers that were refused among the last six refusals; 0: not known
	usual  float32 // the part that is refused by chance; 0: none, as far as is known
	good   uint16  // answers since the first of these refusals
	many   uint8   // refusals so far
}

// bear notes a good answer.
func (c *chance) bear() {
	if c.good++; c.good == 0 {
		c.good--
	}
	if c.usual > 0 && float32(c.good) > enoughWell/c.usual {
		*c = chance{}
	}
}

// refused notes a refusal that lowers the rate. It reports whether refusals come by chance.
func (c *chance) refused() bool {
	if c.many == 0 && c.before == 0 {
		c.good = 0 // before there were refusals
	}
	if c.many++; c.many < sixRefusals {
		return false
	}
	part := sixRefusals / (sixRefusals + float32(c.good))
	byChance := c.before > 0 && part >= noRarer*c.before
	c.before, c.many, c.good = part, 0, 0
	if byChance {
		*c = chance{usual: part}
	}
	return byChance
}

// goesOn reports whether a refusal is one by chance, if so much of the last answers was bad.
func (c *chance) goesOn(share float32) bool {
	if c.usual > 0 && share > min(2*c.usual+0.1, mostByChance) {
		*c = chance{}
	}
	if c.usual > 0 {
		c.good = 0
	}
	return c.usual > 0
}
