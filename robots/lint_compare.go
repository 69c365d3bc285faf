package robots

import "strings"

// maxEffort bounds the comparing of rules with rules, in octets or so.
const maxEffort = 50_000_000

// spend reports whether there is effort left for n more.
func (l *linter) spend(n int) bool {
	l.effort += n
	return l.effort <= maxEffort
}

func (b *block) countWildcards(f *File, rules []rule) {
	stars := 0
	for _, r := range rules {
		if r.wild() {
			b.wild++
			stars += strings.Count(f.str(r.pattern()), "*")
		}
	}
	b.stars = stars / max(b.wild, 1)
}

// effort returns what it takes to compare r with the rules of a block, whatever an
// index spares.
func (b *block) effort(r rule) int {
	size := int(r.pattern().size)
	return 16*size + b.wild*(1+size/4+4*b.stars)
}

// unknown is no rule, and less than all of them.
const unknown rule = 1

// decideWithout returns the rule that decides on all that the i-th rule of a block
// matches, if that is not in f: 0 if none is known to, unknown if it is not known.
//
// A rule matches all that another one matches if it matches the pattern of that,
// written as a path: only a wildcard takes the pattern's wildcards, and whatever
// they stand for.
func (l *linter) decideWithout(f *File, b *block, i int) rule {
	rules := f.rules[b.agent.first:b.agent.end]
	r := rules[i]
	if !isComparable(f, r) {
		return unknown
	}
	if !l.spend(b.effort(r)) {
		return unknown
	}
	var room [256]byte
	subject := appendSubject(room[:0], f, r)
	rules[i] = 0
	t := target{path: view(subject), tag: tagOf(subject)}
	best := f.decide(&b.agent, &t, 0)
	rules[i] = r
	return best
}

// isComparable reports whether what r matches can be written as a path. It can
// not where a wildcard may lead into the query, if the rest has another normal form
// there.
func isComparable(f *File, r rule) bool {
	pattern := f.str(r.pattern())
	return r != 0 && (pattern[0] == '/' || pattern[0] == '*') && !(r.wild() && hasQueryForm(pattern))
}

// appendSubject appends the pattern of r as a path. Paths begin with "/".
func appendSubject(dst []byte, f *File, r rule) []byte {
	pattern := f.str(r.pattern())
	if pattern[0] == '*' && (len(pattern) == 1 || pattern[1] != '/' && pattern[1] != '*') {
		dst = append(dst, '/')
	}
	dst = append(dst, pattern...)
	if r.anchored() {
		return dst[:len(dst)-1]
	}
	return append(dst, '*')
}

// covers reports whether a is known to match all that b matches.
func (f *File) covers(a, b rule) bool {
	if !isComparable(f, b) {
		return a == b
	}
	var room [256]byte
	subject := appendSubject(room[:0], f, b)
	return a != 0 && f.matches(a, &target{path: view(subject)})
}

// mayMeet reports whether there may be a path that both rules match.
func (f *File) mayMeet(a, b rule) bool {
	x, y := f.literal(a), f.literal(b)
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
