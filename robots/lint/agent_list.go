package lint

var agentListChecks = []*check{joinedGroups, blankInAgents}

var joinedGroups = &check{
	Check: Check{"joined-groups", Warning, "a record does not end a list of user agents, nor does a blank line before or after *"},
	finds: []example{
		{"user-agent: a\n \nuser-agent: *\ndisallow: /", "3:13"},
		{"user-agent: *\n\nuser-agent: b\ndisallow: /", "3:13"},
		{"user-agent: a\n\nfoo\nuser-agent: b\ndisallow: /", "4:13"},
		{"user-agent: a\ncrawl-delay: 3\nuser-agent: b\ndisallow: /", "3:13"},
		{"user-agent: a\nsitemap: https://example.com/\n\nuser-agent: b\ndisallow: /\n", "4:13"},
	},
	not: []string{
		"user-agent: a\n# x\nuser-agent: b\ndisallow: /",
		"user-agent: a\ndisallow:\n\nuser-agent: b\ndisallow: /",
		"user-agent: *\n\ndisallow: /x",
		"user-agent:\n\nuser-agent: b\ndisallow: /",
		"user-agent: a\n\nuser-agent: b",
	},
}

var blankInAgents = &check{
	Check: Check{"blank-in-agents", Note, "a blank line does not end a list of user agents"},
	finds: []example{
		{"user-agent: a\n \nuser-agent: b\ndisallow: /", "3:13"},
		{"user-agent: *\nuser-agent: a\n\n\nuser-agent: b", "5:13"},
	},
	not: []string{
		"user-agent: a\n# x\nuser-agent: b",
		"user-agent: a\ndisallow:\n\nuser-agent: b",
		"user-agent: a\n\nuser-agent: *",
		"user-agent: a\n\nfoo\nuser-agent: b",
	},
}

func (l *linter) reportJoined(value []byte) {
	group := &l.groups[len(l.groups)-1]
	if len(group.names) == 0 {
		return
	}
	last := group.names[len(group.names)-1]
	if l.gap == blankLine && !last.isEveryone() && string(value) != "*" {
		l.sayf(blankInAgents, value, `this adds to the list of user agents of line %d; leave the blank line out if that is meant, and else write "Disallow:" in its place if %v may fetch everything, "Disallow: /" if nothing`, last.line, quoted(last.written))
		return
	}
	l.sayf(joinedGroups, value, `this adds to the list of user agents of line %d, as only "Allow" and "Disallow" end it; write "Disallow:" above if %v may fetch everything, "Disallow: /" if nothing`, last.line, quoted(last.written))
}
