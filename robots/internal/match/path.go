package match

import "math"

// A Path is the path and query that rules are matched against, with all that matching has
// learned about it.
type Path struct {
	path   string // path and query, in normal form
	left   int64  // of the budget for rules with wildcards: see afford
	tries  int    // rules with wildcards that were tried
	octets octets // in path, once it pays to know them
	pairs  pairs  // in path, once it pays to know them
	steps  int    // that matching has taken
}

// Budget is the number of patterns with wildcards that are matched one by one with a
// path of up to some thousand octets. No query about a real file is known to take more
// than 100. Beyond the budget a walk over the literals of all rules takes less time.
const Budget = 128

// Within returns a path, which is in normal form, to be matched within a budget.
func Within(budget int64, path string) Path { return Path{path: path, left: budget} }

// Unlimited returns a path, which is in normal form, to be matched at any cost.
func Unlimited(path string) Path { return Within(math.MaxInt64, path) }

// String returns the path, in normal form.
func (p *Path) String() string { return p.path }

// Steps returns the number of steps that matching has taken.
func (p *Path) Steps() int { return p.steps }

// Overspent reports whether the budget was too small. If so, a walk has to match the
// rules with wildcards.
func (p *Path) Overspent() bool { return p.left < 0 }

// afford spends the cost of matching a pattern with wildcards, and reports whether the
// budget was large enough. At worst the cost is the product of both lengths, though 32
// octets are compared at once.
func (p *Path) afford(pattern string) bool {
	work := int64(len(p.path)) * int64(32+len(pattern)) / 32
	p.left -= 1 + work>>12
	if p.Overspent() {
		return false
	}
	p.steps += int(work)
	return true
}

// octetsAStep is the number of octets that are compared in a step.
const octetsAStep = 16

// worthwhile is the number of rules with wildcards at which it takes less time to
// collect the octets of a path than to match all these rules. With five, the slowest
// queries took 1.1 times as long.
const worthwhile = 2

// mayHave reports whether the path may have the octets of a tag.
func (p *Path) mayHave(tag Tag) bool {
	return tag&innerTag == 0 || p.tries < worthwhile || p.pairs.has(tag)
}

// trying counts a rule with wildcards, and reports whether the octets are known.
func (p *Path) trying() bool {
	p.tries++
	if p.tries == worthwhile {
		p.steps += len(p.path)
		p.octets, p.pairs = collect(p.path)
	}
	return p.tries >= worthwhile
}
