package robots

import (
	"slices"
	"strings"
)

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

// divide returns the rules of each kind; those that disallow only if there are
// others to compare with them.
func divide(rules []rule) (allows, disallows []rule) {
	if !slices.ContainsFunc(rules, rule.allow) {
		return nil, nil
	}
	for _, r := range rules {
		if r.allow() {
			allows = append(allows, r)
		} else if r != 0 {
			disallows = append(disallows, r)
		}
	}
	return allows, disallows
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
