package lint

import "github.com/go-polite/polite/robots/internal/match"

var duplicateRule = &check{
	Check:   Check{"duplicate-rule", Note, "a group has the same rule twice"},
	example: "user-agent: *\ndisallow: /x\ndisallow: /x",
}

// reportRepeated reports a rule that says the same as another one.
func (l *linter) reportRepeated(r, before match.Rule) {
	if group := l.groupOf(r); l.mayGo(group, r, before) {
		advice, edit := l.leaveOut(group, r.Line(), "leave this one out")
		l.onValuef(duplicateRule, r.Line(), "line %d says the same; %s", before.Line(), advice).with(edit)
	}
}
