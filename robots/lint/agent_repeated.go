package lint

var repeatedUserAgent = &check{
	Check:   Check{"repeated-user-agent", Note, "a group names the same product token twice"},
	example: "user-agent: a\nuser-agent: A\ndisallow: /",
}

var repeatedGroup = &check{
	Check:   Check{"repeated-group", Note, "several groups name the same product token"},
	example: "user-agent: a\ndisallow: /\nuser-agent: A\nallow: /x",
}

// checkNames looks for tokens that are named more than once.
func (l *linter) checkNames() {
	if len(l.groups) == 1 && len(l.groups[0].names) == 1 {
		return
	}
	type mention struct {
		group int
		line  uint32
	}
	first := make(map[string]mention, len(l.names))
	for i, group := range l.groups {
		for _, n := range group.names {
			switch before, ok := first[n.token]; {
			case !ok:
				first[n.token] = mention{i, n.line}
			case before.group == i:
				f := l.onValuef(repeatedUserAgent, n.line, "the group names %v in line %d already; leave this one out", quoted(n.written), before.line)
				if n.line == group.names[len(group.names)-1].line { // a blank line within the list would look like its end
					f.with(l.instead(n.line, ""))
				}
			default:
				l.onValuef(repeatedGroup, n.line, "%v has a group in line %d already, and the rules of both count; put them into one, as some crawlers read only one", quoted(n.written), before.line)
			}
		}
	}
}
