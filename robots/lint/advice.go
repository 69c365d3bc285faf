package lint

import (
	"slices"

	"github.com/go-polite/polite/robots/internal/match"
)

// leaveOut returns advice to leave a rule out of a group, unless it is the last of
// those that are to stay: without it the group would go on with the next.
func (l *linter) leaveOut(group int, advice string) string {
	g := &l.groups[group]
	if g.kept == 1 {
		return `write "Disallow:" instead`
	}
	g.kept--
	return advice
}

// mayGo reports whether r can be taken out of its group because of another rule
// that says the same. Not if that is in another group, of which some crawlers read only one; nor
// if not all crawlers bring the patterns to normal form.
func (l *linter) mayGo(group int, r, because match.Rule) bool {
	rules := l.read.Rules[l.groups[group].first:l.groups[group].end]
	first, last := rules[0].Line(), rules[len(rules)-1].Line()
	return first <= because.Line() && because.Line() <= last && !l.isDisputed(r) && !l.isDisputed(because)
}

// isDisputed reports whether the pattern of r is written with percent-encoded octets
// that its normal form has not, or the other way round: Google's parser only encodes
// what is beyond ASCII.
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

// groupOf returns the place of the group of a rule.
func (l *linter) groupOf(r match.Rule) int {
	place, _ := slices.BinarySearchFunc(l.read.Rules, r.Line(), func(r match.Rule, line uint32) int { return int(r.Line()) - int(line) })
	group, _ := slices.BinarySearchFunc(l.groups, place, func(g namedGroup, place int) int {
		if g.end <= place {
			return -1
		}
		return 1
	})
	return group
}
