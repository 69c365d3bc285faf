package lint

var joinedGroups = &check{
	Check:   Check{"joined-groups", Warning, "a record does not end a list of user agents, nor does a blank line before or after *"},
	example: "user-agent: a\n \nuser-agent: *\ndisallow: /",
}

var blankInAgents = &check{
	Check:   Check{"blank-in-agents", Note, "a blank line does not end a list of user agents"},
	example: "user-agent: a\n \nuser-agent: b\ndisallow: /",
}

func (l *linter) reportJoined(value []byte) {
	group := &l.groups[len(l.groups)-1]
	if len(group.names) == 0 {
		return
	}
	last := group.names[len(group.names)-1]
	if l.divider == blankLine && !last.isEveryone() && string(value) != "*" {
		l.sayf(blankInAgents, value, `this adds to the list of user agents of line %d; leave the blank line out if that is meant, and else write "Disallow:" in its place if %v may fetch everything, "Disallow: /" if nothing`, last.line, quoted(last.written))
		return
	}
	l.sayf(joinedGroups, value, `this adds to the list of user agents of line %d, as only "Allow" and "Disallow" end it; write "Disallow:" above if %v may fetch everything, "Disallow: /" if nothing`, last.line, quoted(last.written))
}
