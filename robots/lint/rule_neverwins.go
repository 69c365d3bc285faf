package lint

import (
	"cmp"
	"slices"

	"github.com/go-polite/polite/robots/internal/match"
)

var neverWins = &check{
	Check:   Check{"never-wins", Error, "a rule is overruled wherever it matches"},
	example: "user-agent: *\ndisallow: /x\nallow: /x",
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
			l.reportRedundant(r, winner)
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
