package lint

import (
	"slices"

	"github.com/go-polite/polite/robots/internal/match"
)

// leaveOut returns the advice to leave a rule out of a group, and the edit that does it.
// If all other rules are to be left out already, it returns other advice: a group without
// rules would become one with the next.
func (l *linter) leaveOut(group int, line uint32, advice string) (string, *Edit) {
	g := &l.groups[group]
	if g.kept == 1 {
		return `write "Disallow:" instead`, l.instead(line, "Disallow:")
	}
	g.kept--
	return advice, l.instead(line, "")
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
