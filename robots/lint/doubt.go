package lint

import (
	"slices"

	"github.com/go-polite/polite/robots/internal/match"
)

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
