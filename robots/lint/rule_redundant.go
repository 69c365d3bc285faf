package lint

import "github.com/go-polite/polite/robots/internal/match"

var ruleRedundantChecks = []*check{redundantRule}

var redundantRule = &check{
	Check: Check{"redundant-rule", Note, "a rule changes nothing, as another says the same"},
	finds: []example{
		{"user-agent: *\ndisallow: /x\ndisallow: /x/y", "3:11"},
		{"user-agent: *\ndisallow: /x\ndisallow: /x*", "2:11"},
		{"user-agent: *\ndisallow: /x\ndisallow: /*.php\ndisallow: /x.php", "4:11"},
		{"user-agent: *\ndisallow: /\nallow: /x\nallow: /x/y", "4:8"},
	},
	not: []string{
		"user-agent: *\ndisallow: /blog\nallow: /blog\nallow: /",
		"user-agent: *\ndisallow: *\nallow: **$\ndisallow: /",
		"user-agent: *\ndisallow: /\nallow: /x\ndisallow: /x/y",
		"user-agent: *\ndisallow: /\nallow: /*.css\ndisallow: /folder",
		"user-agent: *\ndisallow: /x\ndisallow: /xy$\nallow: /x*y",
		"user-agent: a\ndisallow: /x/y\nuser-agent: b\nuser-agent: a\ndisallow: /x",
		"user-agent: MJ12bot\ndisallow: /x\ndisallow: /x/yz\nuser-agent: mj\nallow: /x/y",
	},
}

func (l *linter) reportRedundant(r, by match.Rule) {
	if group := l.groupOf(r); l.mayGo(group, r, by) {
		advice, edit := l.leaveOut(group, r.Line(), "leave this one out")
		l.onValuef(redundantRule, r.Line(), "line %d says the same for all that this matches; %s", by.Line(), advice).with(edit)
	}
}
