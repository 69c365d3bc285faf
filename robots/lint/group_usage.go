package lint

import (
	"slices"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
	"github.com/go-polite/polite/robots/usage"
)

var contradictingUses = &check{
	Check:   Check{"contradicting-uses", Warning, "a group says both yes and no to a use, on the same path"},
	example: "user-agent: *\ncontent-signal: ai-train=yes\ncontent-usage: train-ai=n",
}

var useOfNothing = &check{
	Check:   Check{"use-of-nothing", Warning, "a group says yes to a use of pages, and disallows all of them"},
	example: "user-agent: *\ncontent-signal: search=yes, ai-train=no\ndisallow: /",
}

var unreadUsage = &check{
	Check:   Check{"unread-usage", Error, "what is said about use in a group that names nobody"},
	example: "user-agent:\ncontent-signal: ai-train=no\ndisallow: /x",
}

var usageNotInherited = &check{
	Check:   Check{"usage-not-inherited", Note, "what the group for * says about use does not reach a crawler with a group of its own"},
	example: "user-agent: *\ncontent-signal: ai-train=no\ndisallow: /x\n\nuser-agent: b\ndisallow: /y",
}

// noteUse notes what a statement says about one use, and compares it with what the group
// has said before.
func (l *linter) noteUse(s usage.Said, statement []byte) {
	if s.Preference == usage.NotStated {
		return
	}
	group := len(l.groups) - 1
	l.notePlace(group, s.Preference)
	if l.uses == nil {
		l.uses = make(map[useOn]saidUse)
	}
	on := useOn{group, string(syntax.AppendNormal(nil, s.Path, true)), string(s.Use)}
	switch before, ok := l.uses[on]; {
	case !ok:
		l.uses[on] = saidUse{l.line, s.Preference == usage.No}
	case before.no != (s.Preference == usage.No) && l.hasRoom(contradictingUses, int(l.line)):
		l.sayf(contradictingUses, from(statement, s.Label), "line %d says the opposite about this use, and of the two no counts; write only what you mean", before.line)
	}
}

// notePlace notes in which lines a group says yes, or anything, for the first time.
func (l *linter) notePlace(group int, said usage.Preference) {
	if n := len(l.usages); group >= 0 && (n == 0 || l.usages[n-1].group != group) {
		l.usages = append(l.usages, groupUsage{group: group, line: l.line})
	}
	if group < 0 || said != usage.Yes {
		return
	}
	if g := &l.usages[len(l.usages)-1]; g.yes == 0 {
		g.yes = l.line
	}
}

// checkUsages looks at the groups that say something about use.
func (l *linter) checkUsages(s *match.Set) {
	for _, u := range l.usages {
		g := &l.groups[u.group]
		if len(g.names) == 0 {
			l.onValuef(unreadUsage, u.line, `the group names no crawler, so nobody reads this; write "User-agent: *" above it for all crawlers`)
		} else if u.yes > 0 && l.isShut(s, g) {
			l.onValuef(useOfNothing, u.yes, "the group disallows everything, so there is nothing to use; allow what may be used, or say no")
		}
	}
	l.checkUnreached(s)
}

// checkUnreached looks for a crawler with a group of its own that what "*" says about use does not reach.
func (l *linter) checkUnreached(s *match.Set) {
	speaks := make(map[string]uint32) // by token, the line
	for _, u := range l.usages {
		for _, n := range l.groups[u.group].names {
			if speaks[n.token] == 0 {
				speaks[n.token] = u.line
			}
		}
	}
	line := speaks["*"]
	for i := range l.groups {
		g := &l.groups[i]
		if line == 0 {
			return
		}
		for _, n := range g.names {
			if speaks[n.token] == 0 && !l.isShut(s, g) {
				l.onValuef(usageNotInherited, line, "this does not reach %v, which has a group of its own in line %d; repeat it there, and in all groups of which it should hold", quoted(n.written), n.line)
				return
			}
		}
	}
}

// isShut reports whether the crawlers of a group may fetch nothing. It returns false if
// no effort is left to find out.
func (l *linter) isShut(s *match.Set, g *namedGroup) bool {
	if _, shut := disallowsAll(s, l.read.Rules[g.first:g.end]); !shut {
		return false
	}
	return !slices.ContainsFunc(g.names, func(n named) bool {
		if !l.spend(32 * (len(l.groups) + len(l.read.Rules))) {
			return true
		}
		_, shut := disallowsAll(s, l.rulesFor(n.token))
		return !shut
	})
}
