package lint

import (
	"slices"
	"strings"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// A block is all groups that name the same product tokens, and so count as one.
// What never decides in it never does, whatever other groups a crawler reads
// besides.
type block struct {
	tokens  []string
	groups  []int
	partial bool          // one of the tokens is in another block too
	rules   match.Section // the rules, in the merged file
	wild    int           // the number of them that have wildcards
	stars   int           // and of the wildcards of such a rule, on average
}

func (b *block) countWildcards(s *match.Set, rules []match.Rule) {
	stars := 0
	for _, r := range rules {
		if r.Wild() {
			b.wild++
			stars += strings.Count(s.Pattern(r), "*")
		}
	}
	b.stars = stars / max(b.wild, 1)
}

// effort returns what it takes to compare r with the rules of a block, whatever an
// index spares.
func (b *block) effort(r match.Rule) int {
	size := int(r.Pattern().Size)
	return 16*size + b.wild*(1+size/4+4*b.stars)
}

// unknown is no rule, and less than all of them.
const unknown match.Rule = 1

// decideWithout returns the rule that decides on all that the i-th rule of a block
// matches, if that is not in s: 0 if none is known to, unknown if it is not known.
//
// A rule matches all that another one matches if it matches the pattern of that,
// written as a path: only a wildcard takes the pattern's wildcards, and whatever
// they stand for.
func (l *linter) decideWithout(s *match.Set, b *block, i int) match.Rule {
	rules := s.Rules[b.rules.First:b.rules.End]
	r := rules[i]
	if !isComparable(s, r) {
		return unknown
	}
	if !l.spend(b.effort(r)) {
		return unknown
	}
	var room [256]byte
	subject := appendSubject(room[:0], s, r)
	rules[i] = 0
	p := match.Unlimited(match.View(subject))
	best := s.Decide(b.rules, &p, 0)
	rules[i] = r
	l.steps += p.Steps()
	return best
}

// isComparable reports whether what r matches can be written as a path. It can
// not where a wildcard may lead into the query, if the rest has another normal form
// there.
func isComparable(s *match.Set, r match.Rule) bool {
	pattern := s.Pattern(r)
	return r != 0 && (pattern[0] == '/' || pattern[0] == '*') && !(r.Wild() && syntax.HasQueryForm(pattern))
}

// appendSubject appends the pattern of r as a path. Paths begin with "/".
func appendSubject(dst []byte, s *match.Set, r match.Rule) []byte {
	pattern := s.Pattern(r)
	if pattern[0] == '*' && (len(pattern) == 1 || pattern[1] != '/' && pattern[1] != '*') {
		dst = append(dst, '/')
	}
	dst = append(dst, pattern...)
	if r.Anchored() {
		return dst[:len(dst)-1]
	}
	return append(dst, '*')
}

// covers reports whether a is known to match all that b matches.
func covers(s *match.Set, a, b match.Rule) bool {
	if !isComparable(s, b) {
		return a == b
	}
	var room [256]byte
	subject := appendSubject(room[:0], s, b)
	p := match.Unlimited(match.View(subject))
	return a != 0 && s.Matches(a, &p)
}

// mayMeet reports whether there may be a path that both rules match.
func mayMeet(s *match.Set, a, b match.Rule) bool {
	x, y := s.Literal(a), s.Literal(b)
	n := min(len(x), len(y))
	return x[:n] == y[:n]
}

// isEverything reports whether a pattern matches all paths.
func isEverything(pattern string) bool {
	if end := len(pattern) - 2; end >= 0 && pattern[end:] == "*$" {
		pattern = pattern[:end]
	}
	slashes := 0
	for i := range len(pattern) {
		switch pattern[i] {
		case '*':
		case '/':
			slashes++
		default:
			return false
		}
	}
	return slashes <= 1
}

// isForAll reports whether r disallows everything.
func isForAll(s *match.Set, r match.Rule) bool {
	return r != 0 && !r.Allow() && isEverything(s.Pattern(r))
}

// isForRobotsTxt reports whether the path that r is for is one that no rule decides on.
func isForRobotsTxt(s *match.Set, r match.Rule) bool {
	const path = "/robots.txt"
	return r.Pattern().Size <= uint32(len(path+"$")) && strings.TrimSuffix(s.Pattern(r), "$") == path
}

// disallowsAll returns the rule that disallows everything, if one does and none
// allows a thing.
func disallowsAll(s *match.Set, rules []match.Rule) (all match.Rule, ok bool) {
	if slices.ContainsFunc(rules, func(r match.Rule) bool { return r.Allow() && !isForRobotsTxt(s, r) }) {
		return 0, false
	}
	i := slices.IndexFunc(rules, func(r match.Rule) bool { return isForAll(s, r) })
	if i < 0 {
		return 0, false
	}
	return rules[i], true
}

// divide returns the rules of each kind; those that disallow only if there are
// others to compare with them.
func divide(rules []match.Rule) (allows, disallows []match.Rule) {
	if !slices.ContainsFunc(rules, match.Rule.Allow) {
		return nil, nil
	}
	for _, r := range rules {
		if r.Allow() {
			allows = append(allows, r)
		} else if r != 0 {
			disallows = append(disallows, r)
		}
	}
	return allows, disallows
}
