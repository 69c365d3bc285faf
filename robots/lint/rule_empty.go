package lint

import (
	"fmt"
	"slices"
)

var emptyRuleWithoutEffect = &check{
	Check:   Check{"empty-rule", Note, "an empty rule has no effect beside others"},
	example: "user-agent: *\ndisallow: /x\ndisallow:",
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
