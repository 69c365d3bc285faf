package lint

import (
	"slices"
	"strings"

	"github.com/go-polite/polite/robots/internal/match"
)

var allowWithoutEffect = &check{
	Check:   Check{"allow-without-effect", Note, "an allow rule in a group that disallows nothing like it"},
	example: "user-agent: *\ndisallow: /x\nallow: /y",
}

var shorterAllow = &check{
	Check:   Check{"shorter-allow", Warning, "an allow rule is shorter than all disallow rules that it might overrule"},
	example: "user-agent: *\ndisallow: /private/\nallow: /*.pdf$",
}

// checkBlock looks for rules that have no effect.
func (l *linter) checkBlock(s *match.Set, b *block) {
	rules := s.Rules[b.section.First:b.section.End]
	l.findPairs(s, b, rules)
	b.countWildcards(s, rules)
	next := slices.Grow(l.next[:0], len(rules))[:len(rules)] // the rule that would decide without each rule
	l.next = next
	l.dropLosers(s, b, next)
	l.reportLosers(s)
	if b.partial {
		return // together with another group, a rule may have an effect that it lacks here
	}
	allows, disallows := divide(rules)
	for i, r := range rules {
		others := allows
		if r.Allow() {
			others = disallows
		}
		if r != 0 && !l.winners[r] {
			l.checkEffect(s, b, i, next[i], others)
		}
	}
}

// checkEffect looks for an effect of the i-th rule of a block. Without it next would
// decide, or one of the others, which all say the opposite.
func (l *linter) checkEffect(s *match.Set, b *block, i int, next match.Rule, others []match.Rule) {
	r := s.Rules[int(b.section.First)+i]
	if !saysTheSame(next, r) {
		return
	}
	if next != 0 && covers(s, r, next) {
		next = l.decideWithout(s, b, i) // that one never wins, and was taken out of s
	}
	if !saysTheSame(next, r) || !l.spend(8*len(others)) {
		return
	}
	for _, o := range others {
		if next < o && o < r && mayMeet(s, o, r) {
			return
		}
	}
	if next == 0 && l.reportShorter(s, r, others) {
		return
	}
	l.reportNoEffect(r, next, len(others) > 0, isEverything(s.Pattern(r)))
}

// reportShorter looks for the reason why an allow rule has no effect: a longer disallow
// rule that it seems meant to overrule, as "/*.css" does. It reports whether there are
// longer disallow rules at all; the others may be exceptions from what is allowed.
func (l *linter) reportShorter(s *match.Set, r match.Rule, disallows []match.Rule) (found bool) {
	for _, d := range disallows {
		if !mayMeet(s, d, r) {
			continue
		}
		if r.Wild() && isBelow(s, d, r) && l.spend(8*int(d.Pattern().Size)) && !covers(s, r, d) {
			l.onValuef(shorterAllow, r.Line(), "the rule has no effect, as %v in line %d is longer, and so wins where both match; make this the longer one", quoted(s.Pattern(d)), d.Line())
			return true
		}
		found = true
	}
	return found
}

// isBelow reports whether the folder of a is below the folder of b.
func isBelow(s *match.Set, a, b match.Rule) bool {
	folder, parent := strings.TrimPrefix(s.Literal(a), "/"), strings.TrimPrefix(s.Literal(b), "/")
	return isComparable(s, a) && len(folder) > len(parent)
}

// saysTheSame reports whether next gives the same verdict as r. If next is no rule,
// everything is allowed.
func saysTheSame(next, r match.Rule) bool {
	return next != unknown && (next == 0 || next.Allow()) == r.Allow()
}

func (l *linter) reportNoEffect(r, next match.Rule, disallows, everything bool) {
	switch {
	case next != 0:
		l.reportRedundant(r, next)
	case disallows:
		advice, edit := l.leaveOut(l.groupOf(r), r.Line(), "leave it out")
		l.onValuef(allowWithoutEffect, r.Line(), "the group disallows nothing that this matches, so that it is allowed anyhow; %s", advice).with(edit)
	case !everything:
		l.onValuef(allowWithoutEffect, r.Line(), `the group disallows nothing, so that everything is allowed; write "Disallow: /" as well if the rest is not meant to be`)
	}
}
