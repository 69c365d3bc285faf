package robots

import "slices"

// checkGroups looks at how groups and their rules go together.
func (l *linter) checkGroups() {
	l.checkNames()
	f, blocks := l.merge()
	for _, b := range blocks {
		l.checkBlock(f, b)
	}
	l.checkEveryone(f, blocks)
	l.checkDoubts(f)
}

// checkEveryone looks at the rules for "*", and at the groups that replace them.
func (l *linter) checkEveryone(f *File, blocks []*block) {
	rules := l.rulesFor("*")
	if all, ok := f.disallowsAll(rules); ok {
		if !slices.ContainsFunc(blocks, func(b *block) bool { return f.lets(b) }) {
			l.onValuef(everythingDisallowed, all.line(), `a crawler without a group of its own may fetch nothing; write "Disallow:" if that is not meant`)
		}
		return
	}
	l.checkGoogle(f)
	if slices.ContainsFunc(rules, func(r rule) bool { return !r.allow() }) && !slices.ContainsFunc(rules, f.isForAll) {
		for _, b := range blocks {
			l.checkReplaced(f, b, rules)
		}
	}
}

// disallowsAll returns the rule that disallows everything, if one does and none
// allows a thing.
func (f *File) disallowsAll(rules []rule) (all rule, ok bool) {
	if slices.ContainsFunc(rules, func(r rule) bool { return r.allow() && !f.isForRobotsTxt(r) }) {
		return 0, false
	}
	i := slices.IndexFunc(rules, f.isForAll)
	if i < 0 {
		return 0, false
	}
	return rules[i], true
}

// isForAll reports whether r disallows everything.
func (f *File) isForAll(r rule) bool {
	return r != 0 && !r.allow() && isEverything(f.str(r.pattern()))
}

// lets reports whether a block lets its crawlers fetch something: where the rest
// is disallowed, it lists those that may.
func (f *File) lets(b *block) bool {
	_, nothing := f.disallowsAll(f.rules[b.agent.first:b.agent.end])
	return !nothing && b.tokens[len(b.tokens)-1] != "*" // they are sorted
}

// checkGoogle looks for what takes a site out of the search that most use.
func (l *linter) checkGoogle(f *File) {
	if all, ok := f.disallowsAll(l.rulesFor("googlebot")); ok {
		l.onValuef(everythingDisallowed, all.line(), `Googlebot may fetch nothing, and so Google finds nothing; write "Disallow:" if that is not meant`)
	}
}

// rulesFor returns the rules of all groups for a token.
func (l *linter) rulesFor(token string) []rule {
	var rules []rule
	for _, g := range l.groups {
		switch of := l.rules[g.first:g.end:g.end]; {
		case !slices.ContainsFunc(g.names, func(n named) bool { return n.token == token }):
		case rules == nil:
			rules = of // mostly there is one group
		default:
			rules = append(rules, of...)
		}
	}
	return rules
}

func (n named) isEveryone() bool { return n.token == "*" }

// checkReplaced looks at a block for which the rules for "*" do not count.
func (l *linter) checkReplaced(f *File, b *block, everyones []rule) {
	if b.partial || b.tokens[0] == "*" {
		return
	}
	own := slices.DeleteFunc(slices.Clone(f.rules[b.agent.first:b.agent.end]), func(r rule) bool { return r == 0 })
	first := &l.groups[b.groups[0]]
	switch {
	case len(own) == 0 && l.onlyHasRecords(b):
		l.onValuef(groupWithoutRules, first.names[0].line, `%v may fetch everything, as a group without rules keeps those for * away; repeat them here, or write "Disallow:" if that is meant`, quoted(first.names[0].written))
	case len(own) > 0 && l.onlyAdds(f, own, everyones):
		l.onValuef(notInherited, first.names[0].line, "the rules for * do not count for %v besides its own; repeat them here if they should", quoted(first.names[0].written))
	}
}

func (l *linter) onlyHasRecords(b *block) bool {
	records := false
	for _, i := range b.groups {
		if l.groups[i].empties > 0 {
			return false
		}
		records = records || l.groups[i].records
	}
	return records
}

// onlyAdds reports whether own disallows a few things that have nothing to do with
// the rules for everyone: those that write them know better than to leave a rule
// for * out where they change or repeat one.
func (l *linter) onlyAdds(f *File, own, everyones []rule) bool {
	if slices.ContainsFunc(own, func(r rule) bool { return r.allow() || f.isForAll(r) }) {
		return false
	}
	for _, r := range own {
		for _, e := range everyones {
			if !l.spend(8*int(r.pattern().size+e.pattern().size)) || f.covers(e, r) || f.covers(r, e) {
				return false
			}
		}
	}
	return true
}
