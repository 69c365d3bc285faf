package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// A block is all groups that name the same product tokens, and so count as one group.
// A rule that never decides in its block never decides, whatever other groups a
// crawler reads as well.
type block struct {
	tokens  []string
	groups  []int
	partial bool          // one of the tokens is in another block too
	section match.Section // its rules, in the merged set
	wild    int           // how many of them have wildcards
	stars   int           // how many wildcards each of these has, on average
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

// effort returns what it takes to compare r with all rules of a block, without an index.
func (b *block) effort(r match.Rule) int {
	size := int(r.Pattern().Size)
	return 16*size + b.wild*(1+size/4+4*b.stars)
}

// unknown stands for a rule that is not known. It is less than every rule.
const unknown match.Rule = 1

// decideWithout returns the rule that would decide, without the i-th rule of a block,
// on every path that this one matches. It returns 0 if no such rule is known, and
// unknown if it cannot tell.
//
// Rule a matches every path that rule b matches if a matches the pattern of b, read as a
// path: only a wildcard of a matches a wildcard of b, and so any text in its place.
func (l *linter) decideWithout(s *match.Set, b *block, i int) match.Rule {
	rules := s.Rules[b.section.First:b.section.End]
	r := rules[i]
	if !isComparable(s, r) {
		return unknown
	}
	if !l.spend(b.effort(r)) {
		return unknown
	}
	var room [256]byte
	p := match.Unlimited(match.View(appendSubject(room[:0], s, r)))
	rules[i] = 0
	best := l.decide(s, b, &p)
	rules[i] = r
	l.steps += p.Steps()
	return best
}

// mostPaired is the number of rules of a block up to which a look at all their pairs takes less time than the
// index of the block.
const mostPaired = 2000

// prepare prepares a block for decide. Call it before you take rules out: a rule that is zero matches nothing.
func (l *linter) prepare(s *match.Set, b *block) {
	rules := s.Rules[b.section.First:b.section.End]
	if len(rules) > mostPaired {
		s.Prepare(b.section)
		return
	}
	l.pairs = slices.Grow(l.pairs[:0], len(rules))
	for _, r := range rules {
		l.pairs = append(l.pairs, neededPairs(s, r))
	}
}

// decide returns the rule of a block that decides on p.
func (l *linter) decide(s *match.Set, b *block, p *match.Path) (best match.Rule) {
	rules := s.Rules[b.section.First:b.section.End]
	if len(rules) > mostPaired {
		return s.Decide(b.section, p, 0)
	}
	l.steps += len(rules)
	has := pairsOf(p.String())
	for i, needed := range l.pairs {
		if needed&^has == 0 && rules[i] > best && s.Matches(rules[i], p) {
			best = rules[i]
		}
	}
	return best
}

// isComparable reports whether the pattern of r can be read as a path. It cannot if a
// wildcard may lead into the query, and the text after it has another normal form there.
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

// covers reports whether a is known to match every path that b matches.
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

// isEveryFolder reports whether a pattern matches all paths but those in no folder.
func isEveryFolder(pattern string) bool {
	return pattern == "/*/" || pattern == "/*/*"
}

// isForAll reports whether r disallows everything.
func isForAll(s *match.Set, r match.Rule) bool {
	return r != 0 && !r.Allow() && isEverything(s.Pattern(r))
}

// isForRobotsTxt reports whether r is for /robots.txt, on which no rule decides.
func isForRobotsTxt(s *match.Set, r match.Rule) bool {
	const path = "/robots.txt"
	return r.Pattern().Size <= uint32(len(path+"$")) && strings.TrimSuffix(s.Pattern(r), "$") == path
}

// isShut reports whether rules allow nothing, or the home page alone.
func isShut(s *match.Set, rules []match.Rule) bool {
	return slices.ContainsFunc(rules, func(r match.Rule) bool { return isForAll(s, r) }) &&
		!slices.ContainsFunc(rules, func(r match.Rule) bool { return r.Allow() && !isForRobotsTxt(s, r) && s.Pattern(r) != "/$" })
}

// closed returns the rule that disallows everything, and what other rules allow nevertheless, as the end
// of a sentence. ok is false if no rule does, or if one allows everything, too.
func closed(s *match.Set, rules []match.Rule) (all match.Rule, left string, ok bool) {
	i := slices.IndexFunc(rules, func(r match.Rule) bool { return isForAll(s, r) })
	var allowed []string
	if i < 0 {
		i = slices.IndexFunc(rules, func(r match.Rule) bool { return !r.Allow() && isEveryFolder(s.Pattern(r)) })
		allowed = []string{"what is in no folder"}
	}
	if i < 0 {
		return 0, "", false
	}
	const most = 3 // that are told
	for _, r := range rules {
		switch {
		case !r.Allow() || isForRobotsTxt(s, r):
		case isEverything(s.Pattern(r)):
			return 0, "", false
		default:
			allowed = append(allowed, quoted([]byte(s.Pattern(r))).String())
		}
	}
	switch n := len(allowed); {
	case n == 0:
	case n == 1 && allowed[0] == `"/$"`:
		left = " but the home page"
	default:
		if left = " but " + strings.Join(allowed[:min(n, most)], ", "); n > most {
			left += fmt.Sprintf(" and %d more", n-most)
		}
	}
	return rules[i], left, true
}

// divide returns the allow rules and the disallow rules. If there is no allow rule, there
// is nothing to compare: it returns nil for both.
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

// A pairs is a set of pairs of octets that stand side by side. Several pairs share one of its 64 bits. A
// pattern matches no path that lacks one of its pairs. The path of a rule is a pattern, so that few other
// rules have all their pairs in it: Lint takes 0.83 of the time.
type pairs uint64

// pairsOf returns the pairs of a text. A "*" is part of none.
func pairsOf(text string) (set pairs) {
	for i := 1; i < len(text); i++ {
		if a, b := text[i-1], text[i]; a != '*' && b != '*' {
			set |= 1 << ((7*a + 11*b) & 63)
		}
	}
	return set
}

// neededPairs returns the pairs that every path has if a rule matches it. It returns none for a pattern with a
// "%", which may have another form in a query.
func neededPairs(s *match.Set, r match.Rule) pairs {
	pattern := s.Pattern(r)
	if strings.Contains(pattern, "%") {
		return 0
	}
	if r.Anchored() {
		pattern = pattern[:len(pattern)-1]
	}
	return pairsOf(pattern)
}
