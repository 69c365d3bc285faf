package lint

import (
	"maps"
	"slices"

	"github.com/go-polite/polite/robots/internal/match"
)

var overruledForOne = &check{
	Check:   Check{"overruled-for-one", Warning, "a rule never decides for a crawler, because of another group that names it"},
	example: "user-agent: a\nallow: /\n\nuser-agent: a\nuser-agent: b\ndisallow: /",
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
	l.findPairs(&s, &all, rules)
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
