package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-polite/polite/robots/internal/match"
)

// checkBlock looks for rules that have no effect.
func (l *linter) checkBlock(s *match.Set, b *block) {
	rules := s.Rules[b.section.First:b.section.End]
	l.prepare(s, b)
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
	l.reportNoEffect(s, r, next, len(others) > 0)
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

func (l *linter) reportNoEffect(s *match.Set, r, next match.Rule, disallows bool) {
	switch {
	case next != 0:
		l.reportRedundant(s, r, next)
	case disallows:
		advice, edit := l.leaveIdle(l.groupOf(r), r.Line(), "leave it out")
		l.onValuef(allowWithoutEffect, r.Line(), "the group disallows nothing that this matches, so that it is allowed anyhow; %s", advice).with(edit)
	case !isEverything(s.Pattern(r)):
		l.onValuef(allowWithoutEffect, r.Line(), `the group disallows nothing, so that everything is allowed; write "Disallow: /" as well if the rest is not meant to be`)
	}
}

// dropLosers takes the rules that never win out of s. For each rule, it writes to next
// the rule that would decide instead.
func (l *linter) dropLosers(s *match.Set, b *block, next []match.Rule) {
	rules := s.Rules[b.section.First:b.section.End]
	l.losers = l.losers[:0]
	for i, r := range rules {
		if isForRobotsTxt(s, r) {
			next[i] = unknown
			l.losers = append(l.losers, loser{r, unknown})
		} else if next[i] = l.decideWithout(s, b, i); next[i] > r {
			rules[i] = 0
			l.losers = append(l.losers, loser{r, next[i]})
			if next[i].Allow() != r.Allow() {
				l.groups[l.groupOf(r)].inDoubt = true
			}
		}
	}
}

func (l *linter) reportLosers(s *match.Set) {
	slices.SortFunc(l.losers, func(a, b loser) int { return cmp.Compare(a.rule.Line(), b.rule.Line()) })
	for _, lost := range l.losers {
		if lost.winner == unknown {
			l.reportRobotsTxt(s, lost.rule)
		} else {
			l.reportBeaten(s, lost.rule, lost.winner)
			l.keepWinner(lost.winner, lost.rule)
		}
	}
}

// keepWinner notes a rule that beats a rule which says the opposite. Without the winner,
// the beaten rule would decide.
func (l *linter) keepWinner(winner, beaten match.Rule) {
	if winner.Allow() == beaten.Allow() {
		return
	}
	if l.winners == nil {
		l.winners = make(map[match.Rule]bool)
	}
	l.winners[winner] = true
}

func (l *linter) reportBeaten(s *match.Set, r, winner match.Rule) {
	own, other := s.Pattern(r), s.Pattern(winner)
	if winner.Allow() == r.Allow() {
		if own == other {
			l.reportRepeated(r, winner)
		} else {
			l.reportRedundant(s, r, winner)
		}
		return
	}
	advice, _ := l.leaveOut(l.groupOf(r), r.Line(), "leave this one out") // the author chooses which one to change
	if len(own) == len(other) {
		l.onValuef(neverWins, r.Line(), "the rule never decides: line %d matches all that it does, and of two patterns of the same length, an Allow wins; %s, or change that", winner.Line(), advice)
	} else {
		l.onValuef(neverWins, r.Line(), "the rule never decides: %v in line %d matches all that it does, and is longer; %s, or change that", quoted(other), winner.Line(), advice)
	}
}

// An overruled is a rule that never decides for some crawlers, and the one that decides for the first.
type overruled struct {
	winner match.Rule
	tokens []string
}

// checkMerged looks for rules that never decide for a crawler which several blocks name. In its own
// block, such a rule may decide.
func (l *linter) checkMerged(blocks []*block) {
	in := make(map[string][]*block)
	for _, b := range blocks {
		for _, token := range b.tokens {
			in[token] = append(in[token], b)
		}
	}
	found := make(map[uint32]overruled)
	for _, token := range slices.Sorted(maps.Keys(in)) {
		if len(in[token]) > 1 {
			l.compareMerged(token, in[token], found)
		}
	}
	for _, line := range slices.Sorted(maps.Keys(found)) {
		lost, who := found[line], ""
		first := slices.IndexFunc(l.names, func(n named) bool { return n.token == lost.tokens[0] })
		if n := len(lost.tokens) - 1; n > 0 {
			who = " and others"
		}
		l.onValuef(overruledForOne, line, "the rule never decides for %s%s, as another group for it says the opposite in line %d, and all groups for one crawler count as one; leave it out of one of them, or change that rule",
			quoted(l.names[first].written), who, lost.winner.Line())
	}
}

// compareMerged adds what never decides for the crawler with a token to found, by line.
func (l *linter) compareMerged(token string, blocks []*block, found map[uint32]overruled) {
	all, home := block{tokens: []string{token}}, make(map[uint32]*block)
	for _, b := range blocks {
		for _, group := range b.groups {
			all.groups = append(all.groups, group)
			for _, r := range l.read.Rules[l.groups[group].first:l.groups[group].end] {
				home[r.Line()] = b
			}
		}
	}
	if len(home) > manyRules || !l.spend(64*len(home)) {
		return
	}
	var merged match.Builder
	l.addBlock(&merged, &all)
	var s match.Set
	merged.Build(&s, match.Text(match.View(l.read.Text)))
	rules := s.Rules[all.section.First:all.section.End]
	l.prepare(&s, &all)
	all.countWildcards(&s, rules)
	for i, r := range rules {
		winner := l.decideWithout(&s, &all, i)
		if winner <= r || winner.Allow() == r.Allow() || home[winner.Line()] == home[r.Line()] || isForRobotsTxt(&s, r) {
			continue
		}
		lost := found[r.Line()]
		if lost.tokens = append(lost.tokens, token); len(lost.tokens) == 1 {
			lost.winner = winner
		}
		found[r.Line()] = lost
	}
}

// reportRepeated reports a rule that says the same as another one.
func (l *linter) reportRepeated(r, before match.Rule) {
	if group := l.groupOf(r); l.mayGo(group, r, before) {
		advice, edit := l.leaveIdle(group, r.Line(), "leave this one out")
		l.onValuef(duplicateRule, r.Line(), "line %d says the same; %s", before.Line(), advice).with(edit)
	}
}

// reportRedundant reports a rule that says what another one says, too. Where that one disallows everything, it is
// told of the closed site, and not of the rules that were there before.
func (l *linter) reportRedundant(s *match.Set, r, by match.Rule) {
	if isForAll(s, by) {
		return
	}
	if group := l.groupOf(r); l.mayGo(group, r, by) {
		advice, edit := l.leaveIdle(group, r.Line(), "leave this one out")
		l.onValuef(redundantRule, r.Line(), "line %d says the same for all that this matches; %s", by.Line(), advice).with(edit)
	}
}

func (l *linter) reportRobotsTxt(s *match.Set, r match.Rule) {
	effect, advice := "counts only for longer paths that begin so", "leave it out if none are meant"
	if r.Anchored() {
		effect, advice = "has no effect", "leave it out"
	}
	advice, edit := l.leaveOut(l.groupOf(r), r.Line(), advice)
	if !r.Anchored() {
		edit = nil // only the author knows which paths are meant
	}
	l.onValuef(robotsTxtRule, r.Line(), "robots.txt may always be fetched, so the rule %s; %s", effect, advice).with(edit)
}

// checkEmptyRules looks for rules without a pattern that have no effect.
func (l *linter) checkEmptyRules() {
	for _, e := range l.empties {
		group := l.groups[e.group]
		switch alone := group.first == group.end; {
		case e.allow && alone:
			l.report(emptyRuleWithoutEffect, int(e.line), e.column, `an empty "Allow" allows nothing and forbids nothing; write "Disallow:" to allow everything, or "Disallow: /" to forbid it`)
		case !alone:
			advice, edit := l.leaveOut(e.group, e.line, "leave it out")
			l.report(emptyRuleWithoutEffect, int(e.line), e.column, "an empty rule has no effect, and does not undo the others of its group; "+advice).with(edit)
		default:
			if name, other := l.sharesName(e.group); other != nil {
				l.report(emptyRuleWithoutEffect, int(e.line), e.column, fmt.Sprintf("an empty rule does not undo the rules of the other group for %v, in line %d: all groups for one crawler count as one; leave this group out", quoted(name), other.names[0].line))
			}
		}
	}
}

// sharesName returns a name of a group that another group with rules has, too, and that group. It is nil
// if there is none.
func (l *linter) sharesName(group int) (name string, other *namedGroup) {
	for i := range l.groups {
		g := &l.groups[i]
		if i == group || g.first == g.end || !l.spend(len(g.names)*len(l.groups[group].names)) {
			continue
		}
		for _, own := range l.groups[group].names {
			if slices.ContainsFunc(g.names, func(n named) bool { return n.token == own.token }) {
				return string(own.written), g
			}
		}
	}
	return "", nil
}

// leaveOut returns the advice to leave a rule out of a group, and the edit that does it.
// If all other rules are to be left out already, it returns other advice: a group without
// rules would become one with the next. There is no edit if the rules are in doubt.
func (l *linter) leaveOut(group int, line uint32, advice string) (string, *Edit) {
	g := &l.groups[group]
	instead := ""
	if g.kept == 1 {
		advice, instead = `write "Disallow:" instead`, "Disallow:"
	} else {
		g.kept--
	}
	if g.inDoubt {
		return advice, nil
	}
	return advice, l.instead(line, instead)
}

// leaveIdle is leaveOut for a rule that others of its group make needless. Where these are in doubt, the author has to
// mend them first.
func (l *linter) leaveIdle(group int, line uint32, advice string) (any, *Edit) {
	advice, edit := l.leaveOut(group, line, advice)
	if l.groups[group].inDoubt {
		return waiting(advice), edit
	}
	return advice, edit
}

// A waiting is an advice that may be wrong before the other lines of the group are mended.
type waiting string

func (w waiting) String() string {
	return string(w) + " if this is still found once the group has no errors and warnings"
}

// mayGo reports whether r can be left out of its group because another rule says the
// same. It cannot if the other rule is in another group, as some crawlers read only one
// group. Nor can it if some crawlers do not read both patterns as the same.
func (l *linter) mayGo(group int, r, because match.Rule) bool {
	rules := l.read.Rules[l.groups[group].first:l.groups[group].end]
	first, last := rules[0].Line(), rules[len(rules)-1].Line()
	return first <= because.Line() && because.Line() <= last && !l.isDisputed(r) && !l.isDisputed(because)
}

// isDisputed reports whether crawlers differ about the normal form of a pattern, because
// r is written with other percent-encoded octets: Google's parser encodes only octets
// beyond ASCII, and decodes none.
func (l *linter) isDisputed(r match.Rule) bool {
	written, ok := l.read.Written(r)
	return ok && slices.ContainsFunc([]byte(written), func(c byte) bool { return traits[c]&(hasPercent|hasSpace|hasRaw) != 0 })
}

// written returns the pattern of r as the file has it.
func (l *linter) written(s *match.Set, r match.Rule) string {
	if written, ok := l.read.Written(r); ok {
		return written
	}
	return s.Pattern(r)
}

// groupOf returns the index of a rule's group in l.groups.
func (l *linter) groupOf(r match.Rule) int {
	position, _ := slices.BinarySearchFunc(l.read.Rules, r.Line(), func(r match.Rule, line uint32) int { return int(r.Line()) - int(line) })
	group, _ := slices.BinarySearchFunc(l.groups, position, func(g namedGroup, position int) int {
		if g.end <= position {
			return -1
		}
		return 1
	})
	return group
}

// doubt is like say, for a finding that another rule may settle. The edit may be nil.
func (l *linter) doubt(c *check, part []byte, message string, settled settler, edit *Edit) {
	l.doubts = append(l.doubts, doubt{c, l.line, l.column(part), message, settled, edit})
}

// checkDoubts reports the doubts that no other rule settles.
func (l *linter) checkDoubts(s *match.Set) {
	if len(l.doubts) == 0 {
		return
	}
	allows, disallows := divide(l.read.Rules)
	position := 0
	for _, d := range l.doubts {
		for l.read.Rules[position].Line() < d.line {
			position++
		}
		r, others := l.read.Rules[position], allows
		if r.Allow() {
			others = disallows
		}
		if !d.settled(l, s, r, others) {
			l.report(d.check, int(d.line), d.column, d.message).with(d.edit)
		}
	}
}

// lengthDecides reports whether r might lose to one of others if its pattern were
// shorter by n octets.
func (l *linter) lengthDecides(s *match.Set, r match.Rule, n int, others []match.Rule) bool {
	if len(others) > 0 && !l.spend(8*len(others)) {
		return true
	}
	shorter := r.Shorter(n)
	return slices.ContainsFunc(others, func(o match.Rule) bool { return shorter < o && o < r && mayMeet(s, o, r) })
}

// inGroup reports whether is returns true for a rule in the group of r. It also returns
// true if no effort is left to find out.
func (l *linter) inGroup(r match.Rule, is func(match.Rule) bool) bool {
	group := l.groups[l.groupOf(r)]
	rules := l.read.Rules[group.first:group.end]
	return !l.spend(8*len(rules)) || slices.ContainsFunc(rules, is)
}
