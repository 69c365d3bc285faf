package robots

import (
	"cmp"
	"slices"
	"strings"
)

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
// if not all crawlers bring the patterns to normal form.
func (l *linter) mayGo(group int, r, because rule) bool {
	rules := l.rules[l.groups[group].first:l.groups[group].end]
	first, last := rules[0].line(), rules[len(rules)-1].line()
	return first <= because.line() && because.line() <= last && !l.isDisputed(r) && !l.isDisputed(because)
}

// isDisputed reports whether the pattern of r is written with percent-encoded octets
// that its normal form has not, or the other way round: Google's parser only encodes
// what is beyond ASCII.
func (l *linter) isDisputed(r rule) bool {
	i, ok := l.spellingOf(r)
	return ok && slices.ContainsFunc([]byte(l.spellings[i].text), func(c byte) bool { return traits[c]&(hasPercent|hasSpace|hasRaw) != 0 })
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
