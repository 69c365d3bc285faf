package robots

import (
	"cmp"
	"slices"
	"strings"
)

// maxEffort bounds the comparing of rules with rules, in octets or so.
const maxEffort = 50_000_000

// spend reports whether there is effort left for n more.
func (l *linter) spend(n int) bool {
	l.effort += n
	return l.effort <= maxEffort
}

// checkBlock looks for rules that have no effect.
func (l *linter) checkBlock(f *File, b *block) {
	rules := f.rules[b.agent.first:b.agent.end]
	b.countWildcards(f, rules)
	order := l.orderOf(rules, b)
	next := slices.Grow(l.next[:0], len(rules))[:len(rules)] // what decides where a rule does, without it
	l.next = next
	l.dropLosers(f, b, order, next)
	l.reportLosers(f)
	if b.partial {
		return // another group may give a rule the effect that it lacks here
	}
	allows, disallows := divide(inOrder(rules, order))
	for _, i := range order {
		r, others := rules[i], allows
		if r.allow() {
			others = disallows
		}
		if r != 0 && !l.winners[r] {
			l.checkEffect(f, b, int(i), next[i], others)
		}
	}
}

// dropLosers takes the rules out of f that never win. What decides instead it
// writes to next.
func (l *linter) dropLosers(f *File, b *block, order []uint32, next []rule) {
	rules := f.rules[b.agent.first:b.agent.end]
	ordered := !l.affords(b, rules) // else it takes less time in the order of an index
	l.losers = l.losers[:0]
	for i := range rules {
		if ordered {
			i = int(order[i])
		}
		r := rules[i]
		if f.isForRobotsTxt(r) {
			next[i] = unknown
			l.losers = append(l.losers, loser{r, unknown})
		} else if next[i] = l.decideWithout(f, b, i); next[i] > r {
			rules[i] = 0
			l.losers = append(l.losers, loser{r, next[i]})
		}
	}
}

// affords reports whether there is effort left to look at all rules of a block.
func (l *linter) affords(b *block, rules []rule) bool {
	effort := l.effort
	for _, r := range rules {
		effort += b.effort(r)
	}
	return effort <= maxEffort
}

// orderOf returns the places of a block's rules in the order of their lines, which
// an index does not keep.
func (l *linter) orderOf(rules []rule, b *block) []uint32 {
	l.order = slices.Grow(l.order[:0], len(rules))
	if len(rules) <= longGroup {
		for i := range rules {
			l.order = append(l.order, uint32(i))
		}
		return l.order
	}
	if l.places == nil {
		l.places = make([]uint32, l.line+1)
	}
	for i, r := range rules {
		l.places[r.line()] = uint32(i) + 1
	}
	for _, g := range b.groups {
		for _, r := range l.rules[l.groups[g].first:l.groups[g].end] {
			if place := l.places[r.line()]; place != 0 {
				l.order = append(l.order, place-1)
			}
		}
	}
	return l.order
}

// inOrder returns rules in the order that orderOf returned for them.
func inOrder(rules []rule, order []uint32) []rule {
	if len(rules) <= longGroup || !slices.ContainsFunc(rules, rule.allow) {
		return rules // in which they are, or to no avail
	}
	ordered := make([]rule, len(order))
	for i, place := range order {
		ordered[i] = rules[place]
	}
	return ordered
}

// A loser is a rule that never decides, because of another one; or because it is
// for robots.txt itself, and then of an unknown one.
type loser struct{ rule, winner rule }

func (l *linter) reportLosers(f *File) {
	slices.SortFunc(l.losers, func(a, b loser) int { return cmp.Compare(a.rule.line(), b.rule.line()) })
	for _, lost := range l.losers {
		if lost.winner == unknown {
			l.reportRobotsTxt(f, lost.rule)
		} else {
			l.reportBeaten(f, lost.rule, lost.winner)
			l.keepWinner(lost.winner, lost.rule)
		}
	}
}

// isForRobotsTxt reports whether the path that r is for is one that no rule decides on.
func (f *File) isForRobotsTxt(r rule) bool {
	const path = "/robots.txt"
	return r.pattern().size <= uint32(len(path+"$")) && strings.TrimSuffix(f.str(r.pattern()), "$") == path
}

func (l *linter) reportRobotsTxt(f *File, r rule) {
	if r.anchored() {
		l.onValuef(robotsTxtRule, r.line(), "robots.txt may always be fetched, so the rule has no effect; %s", l.leaveOut(l.groupOf(r), "leave it out"))
		return
	}
	l.onValuef(robotsTxtRule, r.line(), "robots.txt may always be fetched, so the rule counts only for longer paths that begin so; %s", l.leaveOut(l.groupOf(r), "leave it out if none are meant"))
}

// keepWinner notes a rule that beats one which says the opposite: without it that
// one would decide.
func (l *linter) keepWinner(winner, beaten rule) {
	if winner.allow() == beaten.allow() {
		return
	}
	if l.winners == nil {
		l.winners = make(map[rule]bool)
	}
	l.winners[winner] = true
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

func countIf(rules []rule, is func(rule) bool) (n int) {
	for _, r := range rules {
		if is(r) {
			n++
		}
	}
	return n
}

// divide returns the rules of each kind; those that disallow only if there are
// others to compare with them.
func divide(rules []rule) (allows, disallows []rule) {
	n := countIf(rules, rule.allow)
	if n == 0 {
		return nil, nil
	}
	allows, disallows = make([]rule, 0, n), make([]rule, 0, len(rules)-n)
	for _, r := range rules {
		if r.allow() {
			allows = append(allows, r)
		} else if r != 0 {
			disallows = append(disallows, r)
		}
	}
	return allows, disallows
}

func (l *linter) reportBeaten(f *File, r, winner rule) {
	own, other := f.str(r.pattern()), f.str(winner.pattern())
	switch {
	case winner.allow() == r.allow() && own == other:
		l.reportRepeated(r, winner)
	case winner.allow() == r.allow():
		l.reportRedundant(r, winner)
	case len(own) == len(other):
		l.onValuef(neverWins, r.line(), "the rule never decides: line %d matches all that it does, and of patterns of the same length that of an Allow wins; %s, or change that", winner.line(), l.leaveOut(l.groupOf(r), "leave this one out"))
	default:
		l.onValuef(neverWins, r.line(), "the rule never decides: %v in line %d matches all that it does, and is longer; %s, or change that", quoted(other), winner.line(), l.leaveOut(l.groupOf(r), "leave this one out"))
	}
}

// reportRepeated reports a rule that another one repeats.
func (l *linter) reportRepeated(r, before rule) {
	if group := l.groupOf(r); l.mayGo(group, r, before) {
		l.onValuef(duplicateRule, r.line(), "line %d says the same; %s", before.line(), l.leaveOut(group, "leave this one out"))
	}
}

func (l *linter) reportRedundant(r, by rule) {
	if group := l.groupOf(r); l.mayGo(group, r, by) {
		l.onValuef(redundantRule, r.line(), "line %d says the same for all that this matches; %s", by.line(), l.leaveOut(group, "leave this one out"))
	}
}

// mayGo reports whether r can be taken out of its group because of another rule
// that says the same. Not if that is in another group, of which some crawlers read only one; nor
// if not all crawlers decode the patterns as RFC 9309 does.
func (l *linter) mayGo(group int, r, because rule) bool {
	rules := l.rules[l.groups[group].first:l.groups[group].end]
	first, last := rules[0].line(), rules[len(rules)-1].line()
	return first <= because.line() && because.line() <= last && !l.isDecoded(r) && !l.isDecoded(because)
}

// isDecoded reports whether the pattern of r is written with percent-encoded
// octets that its normal form has not.
func (l *linter) isDecoded(r rule) bool {
	i, ok := l.spellingOf(r)
	return ok && strings.Contains(l.spellings[i].text, "%")
}

// spellingOf returns the place in spellings of that of r, if it has one.
func (l *linter) spellingOf(r rule) (int, bool) {
	return slices.BinarySearchFunc(l.spellings, r.line(), func(s spelling, line uint32) int { return int(s.line) - int(line) })
}

// groupOf returns the place of the group of a rule.
func (l *linter) groupOf(r rule) int {
	place, _ := slices.BinarySearchFunc(l.rules, r.line(), func(r rule, line uint32) int { return int(r.line()) - int(line) })
	group, _ := slices.BinarySearchFunc(l.groups, place, func(g namedGroup, place int) int {
		if g.end <= place {
			return -1
		}
		return 1
	})
	return group
}

// checkEffect looks at the i-th rule of a block. Without it next would decide, if
// none of the others does, which say the opposite.
func (l *linter) checkEffect(f *File, b *block, i int, next rule, others []rule) {
	r := f.rules[int(b.agent.first)+i]
	if !saysTheSame(next, r) {
		return
	}
	if next != 0 && f.covers(r, next) {
		next = l.decideWithout(f, b, i) // that one never wins, and is out of f by now
	}
	if !saysTheSame(next, r) || !l.spend(8*len(others)) {
		return
	}
	for _, o := range others {
		if next < o && o < r && f.mayMeet(o, r) {
			return
		}
	}
	if next == 0 && l.reportShorter(f, r, others) {
		return
	}
	l.reportNoEffect(r, next, len(others) > 0, isEverything(f.str(r.pattern())))
}

// reportShorter looks for the reason of an allow rule that has no effect, among
// disallow rules that are all longer where they match what it does. It tells of
// those that a pattern as "/*.css" seems to be meant to overrule. Others may be
// exceptions from what is allowed.
func (l *linter) reportShorter(f *File, r rule, disallows []rule) (found bool) {
	for _, d := range disallows {
		if !f.mayMeet(d, r) {
			continue
		}
		if r.wild() && f.isBelow(d, r) && l.spend(8*int(d.pattern().size)) && !f.covers(r, d) {
			l.onValuef(shorterAllow, r.line(), "the rule has no effect, as %v in line %d is longer, and so wins where both match; make this the longer one", quoted(f.str(d.pattern())), d.line())
			return true
		}
		found = true
	}
	return found
}

// isBelow reports whether a is for one folder of those that b is for.
func (f *File) isBelow(a, b rule) bool {
	folder, parent := strings.TrimPrefix(f.literal(a), "/"), strings.TrimPrefix(f.literal(b), "/")
	return isComparable(f, a) && len(folder) > len(parent)
}

// saysTheSame reports whether next, which may be no rule, gives the verdict of r.
func saysTheSame(next, r rule) bool {
	return next != unknown && (next == 0 || next.allow()) == r.allow()
}

func (l *linter) reportNoEffect(r, next rule, disallows, everything bool) {
	switch {
	case next != 0:
		l.reportRedundant(r, next)
	case disallows:
		l.onValuef(allowWithoutEffect, r.line(), "the group disallows nothing that this matches, so that it is allowed anyhow; %s", l.leaveOut(l.groupOf(r), "leave it out"))
	case !everything:
		l.onValuef(allowWithoutEffect, r.line(), `the group disallows nothing, so that everything is allowed; write "Disallow: /" as well if the rest is not meant to be`)
	}
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

// effort returns what it takes to compare r with the rules of a block, whatever an
// index spares.
func (b *block) effort(r rule) int {
	size := int(r.pattern().size)
	return 16*size + b.wild*(1+size/4+4*b.stars)
}

// isComparable reports whether what r matches can be written as a path. It can
// not where a wildcard may lead into the query, in whose normal form the rest
// has other octets.
func isComparable(f *File, r rule) bool {
	pattern := f.str(r.pattern())
	return r != 0 && (pattern[0] == '/' || pattern[0] == '*') && !(r.wild() && strings.Contains(pattern, "%"))
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
