package match

import (
	"math"

	"github.com/go-polite/polite/robots/internal/syntax"
)

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

// A Tag is two octets that a path must have if a rule is to match it. If the rule fixes
// the second and the third octet of the path, the Tag is these. Otherwise it has the bit
// innerTag, and is two octets that stand side by side somewhere. If the rule has no such
// two, it is anyTag.
type Tag uint16

const (
	innerTag Tag = 1 << 15
	anyTag       = innerTag // every path counts as having it
)

// amongFour compares t with four tags at once: so the slowest queries take 0.9 of the
// time. From the lowest tag on, it returns the high bit of each that is t or has the bit
// innerTag.
func (t Tag) amongFour(tags *[4]Tag) uint64 {
	const each = 1<<48 | 1<<32 | 1<<16 | 1
	four := uint64(tags[0]) | uint64(tags[1])<<16 | uint64(tags[2])<<32 | uint64(tags[3])<<48
	differs := (four^uint64(t)*each)&(0x7FFF*each) + 0x7FFF*each
	return (^differs | four) & (0x8000 * each)
}

// tagOf returns the tag of rules that begin with literal.
func tagOf[T string | []byte](literal T) Tag {
	if len(literal) < 3 {
		return 0
	}
	return Tag(literal[1]) | Tag(literal[2])<<8
}

// innerTagOf returns the tag of a rule that has rest after its first wildcard: the first
// two octets that stand side by side in it.
func innerTagOf(rest []byte) Tag {
	for i := 0; i+1 < len(rest); i++ {
		if a, b := rest[i], rest[i+1]; a == '%' && syntax.IsTriplet(rest, i) {
			i += 2 // may be decoded: see syntax.QueryFrom
		} else if a != '*' && a != '%' && b != '*' && b != '%' {
			return pairTag(a, b)
		}
	}
	return anyTag
}

func pairTag(a, b byte) Tag { return innerTag | Tag(a) | Tag(b)<<7 }

// bit returns one of 64 bits for a tag of the second and the third octet. For any other tag, which says
// nothing of these, it returns all 64.
func (t Tag) bit() uint64 {
	if t&innerTag != 0 {
		return math.MaxUint64
	}
	return 1 << ((t ^ t>>6) & 63)
}

// hash returns a number below 512.
func (t Tag) hash() uint { return uint(t^t>>6) & 511 }

// octets is a set of ASCII characters. pairs is a set of pairs of characters that stand
// side by side. It may also have a few other pairs.
type (
	octets [2]uint64
	pairs  [8]uint64
)

// collect returns the octets and the pairs of a path.
func collect(path string) (set octets, two pairs) {
	for i := range len(path) {
		set[path[i]>>6&1] |= 1 << (path[i] & 63)
		if i > 0 {
			two.add(pairTag(path[i-1], path[i]))
		}
	}
	// The characters of %3A, %2F, %3F and %40, which a query may have decoded:
	// see syntax.QueryFrom.
	if set[0]&(1<<'?') != 0 {
		for _, c := range "%234AF0" {
			set[c>>6] |= 1 << (c & 63)
		}
	}
	set[0] |= 1 << '*'
	two.add(anyTag)
	return set, two
}

// all reports whether all octets of a pattern are in the set.
func (set *octets) all(pattern string) bool {
	for i := len(pattern) - 1; i >= 0; i-- {
		if c := pattern[i]; set[c>>6&1]>>(c&63)&1 == 0 {
			return false
		}
	}
	return true
}

func (two *pairs) add(t Tag)      { two[t.hash()>>6] |= 1 << (t.hash() & 63) }
func (two *pairs) has(t Tag) bool { return two[t.hash()>>6]>>(t.hash()&63)&1 != 0 }
