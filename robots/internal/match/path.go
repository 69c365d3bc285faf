package match

// A Path is what rules are matched against, with what is known of it.
type Path struct {
	path    string // path and query, in normal form
	tag     Tag
	tries   int    // of rules with wildcards
	octets  octets // those in path, from when it pays to know
	pairs   pairs  // likewise
	limited bool   // rules with wildcards are matched within a budget: see afford
	left    int64  // of that
	steps   int    // that matching has taken
}

// Budget is the number of patterns with wildcards that a path of up to some thousand
// octets is matched with in full: 100 is the most that a query about a real file is
// known to take. Beyond it a walk over the literals of all rules takes less time,
// however many rules there are.
const Budget = 128

// Within returns a path in normal form, to be matched within a budget. It does not
// keep the string for longer than it is used.
func Within(budget int64, path string) Path {
	return Path{path: path, tag: tagOf(path), limited: true, left: budget}
}

// Unlimited returns a path in normal form, to be matched whatever it takes.
func Unlimited(path string) Path { return Path{path: path, tag: tagOf(path)} }

// String returns the path, in normal form.
func (p *Path) String() string { return p.path }

// Steps returns the number of steps that matching has taken.
func (p *Path) Steps() int { return p.steps }

// Overspent reports whether a pattern could not be afforded: from then on, rules with
// wildcards are left to a walk.
func (p *Path) Overspent() bool { return p.limited && p.left < 0 }

// afford spends what matching a pattern with wildcards takes, and reports whether
// there was enough left. Long patterns cost more, for it may take as long as both
// lengths multiplied to look for a long literal, though 32 octets are compared at once.
func (p *Path) afford(pattern string) bool {
	work := int64(len(p.path)) * int64(32+len(pattern)) / 32
	p.left -= 1 + work>>12
	if p.limited && p.left < 0 {
		return false
	}
	p.steps += int(work)
	return true
}

// octetsAStep is the number of octets that are compared in a step.
const octetsAStep = 16

// worthwhile is the number of rules with wildcards from which on it takes less
// time to collect the octets of a path than to match all these rules.
const worthwhile = 5

// trying counts a rule with wildcards, and reports whether the octets are known.
func (p *Path) trying() bool {
	p.tries++
	if p.tries == worthwhile {
		p.steps += len(p.path)
		p.octets, p.pairs = collect(p.path)
	}
	return p.tries >= worthwhile
}
