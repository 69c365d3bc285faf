package lint

import (
	"slices"

	"github.com/go-polite/polite/robots/internal/match"
)

var everythingDisallowed = &check{
	Check:   Check{"everything-disallowed", Warning, "the group for * or Googlebot disallows everything"},
	example: "user-agent: *\ndisallow: /",
}

var groupWithoutRules = &check{
	Check:   Check{"group-without-rules", Warning, "a group has records but no rules, and keeps the rules for * away"},
	example: "user-agent: *\ndisallow: /x\nuser-agent: b\ncrawl-delay: 3",
}

var notInherited = &check{
	Check:   Check{"not-inherited", Note, "a group only adds to the rules for *, which it replaces"},
	example: "user-agent: *\ndisallow: /x\nuser-agent: b\ndisallow: /y",
}

// checkEveryone looks at the rules for "*", and at the groups that replace them.
func (l *linter) checkEveryone(s *match.Set, blocks []*block) {
	rules := l.rulesFor("*")
	l.checkGoogle(s, rules)
	if all, ok := disallowsAll(s, rules); ok {
		if !slices.ContainsFunc(blocks, func(b *block) bool { return lets(s, b) }) {
			l.onValuef(everythingDisallowed, all.Line(), `a crawler without a group of its own may fetch nothing%s; write "Disallow:" if that is not meant`, butHome(s, rules))
		}
		return
	}
	if slices.ContainsFunc(rules, func(r match.Rule) bool { return !r.Allow() }) && !slices.ContainsFunc(rules, func(r match.Rule) bool { return isForAll(s, r) }) {
		for _, b := range blocks {
			l.checkReplaced(s, b, rules)
		}
	}
}

// lets reports whether a block names crawlers and lets them fetch something. A file that
// disallows everything for all others seems to be meant as a list of such crawlers.
func lets(s *match.Set, b *block) bool {
	_, nothing := disallowsAll(s, s.Rules[b.section.First:b.section.End])
	return !nothing && b.tokens[len(b.tokens)-1] != "*" // they are sorted
}

// checkGoogle looks for a rule that takes the whole site out of Google's search.
func (l *linter) checkGoogle(s *match.Set, everyones []match.Rule) {
	rules := l.rulesFor("googlebot")
	if all, ok := disallowsAll(s, rules); ok && !slices.Contains(everyones, all) {
		l.onValuef(everythingDisallowed, all.Line(), `Googlebot may fetch nothing%[1]s, and so Google finds nothing%[1]s; write "Disallow:" if that is not meant`, butHome(s, rules))
	}
}

// butHome says that rules which disallow everything allow the home page, if they do.
func butHome(s *match.Set, rules []match.Rule) string {
	if slices.ContainsFunc(rules, func(r match.Rule) bool { return isForHome(s, r) }) {
		return " but the home page"
	}
	return ""
}

// rulesFor returns the rules of all groups for a token.
func (l *linter) rulesFor(token string) []match.Rule {
	var rules []match.Rule
	for _, g := range l.groups {
		switch of := l.read.Rules[g.first:g.end:g.end]; {
		case !slices.ContainsFunc(g.names, func(n named) bool { return n.token == token }):
		case rules == nil:
			rules = of // mostly there is one group
		default:
			rules = append(rules, of...)
		}
	}
	return rules
}

// checkReplaced looks at a block whose crawlers do not read the rules for "*".
func (l *linter) checkReplaced(s *match.Set, b *block, everyones []match.Rule) {
	if b.partial || b.tokens[0] == "*" {
		return
	}
	own := slices.DeleteFunc(slices.Clone(s.Rules[b.section.First:b.section.End]), func(r match.Rule) bool { return r == 0 })
	first := &l.groups[b.groups[0]]
	switch {
	case len(own) == 0 && l.onlyHasRecords(b):
		l.onValuef(groupWithoutRules, first.names[0].line, `%v may fetch everything, as a group without rules keeps those for * away; repeat them here, or write "Disallow:" if that is meant`, quoted(first.names[0].written))
	case len(own) > 0 && l.onlyAdds(s, own, everyones):
		l.onValuef(notInherited, first.names[0].line, "the rules for * do not count for %v, which has its own; repeat them here if they should", quoted(first.names[0].written))
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

// onlyAdds reports whether own disallows a few things, and has nothing in common with the rules for
// everyone. If an author changes or repeats one of these rules, the author knows that the others do not
// count.
func (l *linter) onlyAdds(s *match.Set, own, everyones []match.Rule) bool {
	if slices.ContainsFunc(own, func(r match.Rule) bool { return r.Allow() || isForAll(s, r) }) {
		return false
	}
	for _, r := range own {
		for _, e := range everyones {
			if !l.spend(8*int(r.Pattern().Size+e.Pattern().Size)) || covers(s, e, r) || covers(s, r, e) {
				return false
			}
		}
	}
	return true
}
