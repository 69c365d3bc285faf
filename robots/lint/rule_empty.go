package lint

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
		}
	}
}
