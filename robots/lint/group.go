package lint

import (
	"slices"
	"strings"

	"github.com/go-polite/polite/robots/crawlers"
	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// A namedGroup is a group with the product tokens that its lines name.
type namedGroup struct {
	names      []named
	first, end int // the indices of its rules in linter.read.Rules
	empties    int // how many rules without a pattern it has
	kept       int // how many rules remain if the author follows the findings
	delayed    int // how many of the names have a delay
	from       uint32
	inDoubt    bool // a line may be meant as a rule that is not read, or read otherwise
}

// named is a product token that a user-agent line names.
type named struct {
	token   string // in lower case
	written []byte
	line    uint32
}

func (n named) isEveryone() bool { return n.token == "*" }

// appendTokens appends the group's tokens to dst, sorted and each only once.
func (g *namedGroup) appendTokens(dst []string) []string {
	start := len(dst)
	for _, n := range g.names {
		dst = append(dst, n.token)
	}
	slices.Sort(dst[start:])
	return dst[:start+len(slices.Compact(dst[start:]))]
}

// isForGoogle reports whether one of the tokens is "*" or one of Google's.
func (g *namedGroup) isForGoogle() bool {
	return slices.ContainsFunc(g.names, func(n named) bool {
		return n.token == "*" || strings.HasPrefix(n.token, "googlebot")
	})
}

// A divider separates two user-agent lines for a reader, but not for a crawler.
type divider uint8

const (
	noDivider divider = iota
	blankLine
	otherLine
)

// manyRules is the number of rules of a block up to which each may be compared with all.
const manyRules = 1000

// merge returns the blocks of the file, and a set of their rules, in which the rules of a
// block are together. The linter takes rules out of that set; nobody else uses it.
func (l *linter) merge() (*match.Set, []*block) {
	blocks := l.blocks()
	markPartial(blocks)
	merged := match.Builder{Rules: make([]match.Rule, 0, len(l.read.Rules)), Tags: make([]match.Tag, 0, len(l.read.Tags))}
	for _, b := range blocks {
		l.addBlock(&merged, b)
	}
	var s match.Set
	merged.Build(&s, match.Text(match.View(l.read.Text)))
	return &s, blocks
}

func (l *linter) blocks() []*block {
	blocks := make([]*block, 0, len(l.groups))
	byTokens := make(map[string]*block, len(l.groups))
	rooms, tokens := make([]block, len(l.groups)), make([]string, 0, len(l.names))
	for i := range l.groups {
		start := len(tokens)
		tokens = l.groups[i].appendTokens(tokens)
		if len(tokens) == start {
			continue
		}
		key := strings.Join(tokens[start:], " ")
		b := byTokens[key]
		if b == nil {
			b = &rooms[i]
			b.tokens = tokens[start:]
			byTokens[key] = b
			blocks = append(blocks, b)
		}
		b.groups = append(b.groups, i)
	}
	return blocks
}

// markPartial marks the blocks that some crawler reads together with other blocks.
func markPartial(blocks []*block) {
	if len(blocks) < 2 {
		return
	}
	reader := make(map[string]*block, len(blocks))
	for _, b := range blocks {
		for _, token := range b.tokens {
			_, short := syntax.Tokens(token)
			for _, t := range []string{token, short} {
				if other := reader[t]; other != nil && other != b && t != "" {
					other.partial, b.partial = true, true
				}
				reader[t] = b
			}
		}
	}
}

// addBlock adds the rules of a block to the merged ones. It leaves repeated rules out
// of a long block, as they would all share one bucket of its index.
func (l *linter) addBlock(merged *match.Builder, b *block) {
	b.section.First = uint32(len(merged.Rules))
	for _, group := range b.groups {
		first, end := l.groups[group].first, l.groups[group].end
		merged.Rules, merged.Tags = append(merged.Rules, l.read.Rules[first:end]...), append(merged.Tags, l.read.Tags[first:end]...)
	}
	if len(merged.Rules)-int(b.section.First) > manyRules {
		l.dropRepeated(merged, int(b.section.First))
	}
	b.section.End = uint32(len(merged.Rules))
	merged.EndGroup(b.section)
}

// dropRepeated takes out repeated rules, from the rule at first on.
func (l *linter) dropRepeated(merged *match.Builder, first int) {
	type content struct {
		pattern string
		allow   bool
	}
	seen := make(map[content]match.Rule, len(merged.Rules)-first)
	kept := first
	for i, r := range merged.Rules[first:] {
		pattern := r.Pattern()
		c := content{match.View(l.read.Text[pattern.At:][:pattern.Size]), r.Allow()}
		if before, ok := seen[c]; ok {
			l.reportRepeated(r, before)
			continue
		}
		seen[c] = r
		merged.Rules[kept], merged.Tags[kept] = r, merged.Tags[first+i]
		kept++
	}
	merged.Rules, merged.Tags = merged.Rules[:kept], merged.Tags[:kept]
}

// checkEveryone looks at the rules for "*", and at the groups that replace them.
func (l *linter) checkEveryone(s *match.Set, blocks []*block) {
	rules := l.rulesFor("*")
	isOpen := l.checkEngines(s, rules)
	if all, left, ok := closed(s, rules); ok {
		if !isOpen {
			l.onValuef(everythingDisallowed, all.Line(), `a crawler without a group of its own may fetch nothing%s; write "Disallow:" if that is not meant`, left)
		}
	}
	isPartial := forbidsSome(s, rules)
	for _, b := range blocks {
		switch second := l.secondName(b); {
		case second != "":
			if others := l.rulesFor(strings.ToLower(second)); forbidsSome(s, others) {
				l.checkReplaced(s, b, second, others)
			}
		case isPartial:
			l.checkReplaced(s, b, "*", rules)
		}
	}
}

// forbidsSome reports whether rules disallow something, and no rule disallows everything.
func forbidsSome(s *match.Set, rules []match.Rule) bool {
	return slices.ContainsFunc(rules, func(r match.Rule) bool { return !r.Allow() }) && !slices.ContainsFunc(rules, func(r match.Rule) bool { return isForAll(s, r) })
}

// secondName returns the name by which the crawlers of a block would go without the block, if the file has it:
// Googlebot for Googlebot-News. It returns "" if this is "*".
func (l *linter) secondName(b *block) string {
	second := crawlers.GoesBy(b.tokens[0])
	if second == "" || slices.ContainsFunc(b.tokens, func(token string) bool { return crawlers.GoesBy(token) != second }) {
		return ""
	}
	if !l.spend(32*len(l.names)) || !slices.ContainsFunc(l.names, func(n named) bool { return strings.EqualFold(n.token, second) }) {
		return ""
	}
	return second
}

// A shut is a rule that takes a site out of search engines, and which.
type shut struct {
	all     match.Rule
	left    string // what they may fetch nevertheless: see closed
	engines []string
}

// checkEngines looks for rules that take the whole site out of search engines which the file names. It
// reports whether another engine has a group that lets it in. Such a file seems to be meant as a list of
// those that may come, if it disallows everything for all others.
func (l *linter) checkEngines(s *match.Set, everyones []match.Rule) (isOpen bool) {
	var shuts []shut
	for _, token := range l.engines {
		rules := l.rulesFor(strings.ToLower(token))
		all, left, ok := closed(s, rules)
		i := slices.IndexFunc(shuts, func(other shut) bool { return other.all == all })
		switch {
		case !ok:
			isOpen = true
		case slices.Contains(everyones, all):
		case i >= 0:
			shuts[i].engines = append(shuts[i].engines, token)
		default:
			shuts = append(shuts, shut{all, left, []string{token}})
		}
	}
	for _, each := range shuts {
		c := engineShut
		if slices.ContainsFunc(each.engines, isMain) {
			c = everythingDisallowed
		}
		l.onValuef(c, each.all.Line(), `%s may fetch nothing%s, so that searches find nothing else; write "Disallow:" if that is not meant`, together(each.engines), each.left)
	}
	return isOpen
}

// isMain reports whether hardly anybody means to shut a search engine out.
func isMain(engine string) bool { return engine == "Googlebot" || engine == "bingbot" }

func together(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
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

// checkReplaced looks at a block whose crawlers do not read the rules for another name, such as "*".
func (l *linter) checkReplaced(s *match.Set, b *block, other string, others []match.Rule) {
	if b.partial || b.tokens[0] == "*" {
		return
	}
	own := slices.DeleteFunc(slices.Clone(s.Rules[b.section.First:b.section.End]), func(r match.Rule) bool { return r == 0 })
	switch first, ok := l.groups[b.groups[0]].firstCrawler(); {
	case !ok:
	case len(own) == 0 && !l.hasEmpty(b):
		l.onValuef(groupWithoutRules, first.line, `%v may fetch everything, as a group without rules keeps those for %s away; repeat them here, or write "Disallow:" if that is meant`, quoted(first.written), other)
	case l.opensEngine(s, b, own):
		l.onValuef(notInherited, first.line, `%v may fetch what the rules for %s disallow, as its own group allows everything; repeat them here, or write "Disallow:" alone if that is meant`, quoted(first.written), other)
	case l.onlyAdds(s, own, others):
		l.onValuef(notInherited, first.line, "the rules for %s do not count for %v, which has its own; repeat them here if they should", other, quoted(first.written))
	}
}

func (l *linter) hasEmpty(b *block) bool {
	return slices.ContainsFunc(b.groups, func(i int) bool { return l.groups[i].empties > 0 })
}

// opensEngine reports whether a block with a search engine has "Allow: /" and nothing else. An author who writes
// "Disallow:" means that the engine may fetch everything, and so does one who opens the site to advertisements
// or previews.
func (l *linter) opensEngine(s *match.Set, b *block, own []match.Rule) bool {
	if l.hasEmpty(b) || slices.ContainsFunc(own, func(r match.Rule) bool { return !r.Allow() || !isEverything(s.Pattern(r)) }) {
		return false
	}
	return slices.ContainsFunc(b.tokens, func(token string) bool {
		c, known := crawlers.Find(token)
		return known && isEngine(c)
	})
}

// onlyAdds reports whether own disallows a few things, with exceptions or without, and has nothing in common with the
// rules for others. If an author changes or repeats one of these rules, the author knows that the others do not
// count.
func (l *linter) onlyAdds(s *match.Set, own, others []match.Rule) bool {
	own = slices.DeleteFunc(own, func(r match.Rule) bool { return r.Allow() && isEverything(s.Pattern(r)) })
	for _, r := range own {
		isException := func(d match.Rule) bool { return !d.Allow() && covers(s, d, r) }
		if isForAll(s, r) || r.Allow() && !(l.spend(8*len(own)*int(r.Pattern().Size)) && slices.ContainsFunc(own, isException)) {
			return false
		}
		for _, e := range others {
			if !l.spend(8*int(r.Pattern().Size+e.Pattern().Size)) || covers(s, e, r) || covers(s, r, e) {
				return false
			}
		}
	}
	return len(own) > 0
}
