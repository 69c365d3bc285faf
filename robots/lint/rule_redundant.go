package lint

import "github.com/go-polite/polite/robots/internal/match"

var redundantRule = &check{
	Check:   Check{"redundant-rule", Note, "a rule changes nothing, as another says the same"},
	example: "user-agent: *\ndisallow: /x\ndisallow: /x/y",
}

func (l *linter) reportRedundant(r, by match.Rule) {
	if group := l.groupOf(r); l.mayGo(group, r, by) {
		advice, edit := l.leaveOut(group, r.Line(), "leave this one out")
		l.onValuef(redundantRule, r.Line(), "line %d says the same for all that this matches; %s", by.Line(), advice).with(edit)
	}
}
