package lint

import "github.com/go-polite/polite/robots/internal/match"

var ruleDuplicateChecks = []*check{duplicateRule}

var duplicateRule = &check{
	Check: Check{"duplicate-rule", Note, "a group has the same rule twice"},
	finds: []example{
		{"user-agent: *\ndisallow: /x\ndisallow: /x", "3:11"},
		{"user-agent: *\nallow: /x\ndisallow: /\nallow: /x # too", "4:8"},
	},
	not: []string{
		"user-agent: *\ndisallow: /x\ndisallow: /X",
		"user-agent: *\ndisallow: /x\ndisallow: /%78",
		"user-agent: *\ndisallow: /{\ndisallow: /%7B",
		"user-agent: *\ndisallow: /a%20b\ndisallow: /a b",
		"user-agent: a\ndisallow: /x\nuser-agent: b\ndisallow: /x",
		"user-agent: a\ndisallow: /x\nuser-agent: a\ndisallow: /x",
	},
}

// reportRepeated reports a rule that says the same as another one.
func (l *linter) reportRepeated(r, before match.Rule) {
	if group := l.groupOf(r); l.mayGo(group, r, before) {
		advice, edit := l.leaveOut(group, r.Line(), "leave this one out")
		l.onValuef(duplicateRule, r.Line(), "line %d says the same; %s", before.Line(), advice).with(edit)
	}
}
