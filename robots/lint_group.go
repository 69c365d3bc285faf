package robots

import (
	"slices"
	"strings"
)

// checkGroups looks at how groups and their rules go together.
func (l *linter) checkGroups() {
	l.checkNames()
	f, blocks := l.merge()
	for _, b := range blocks {
		l.checkBlock(f, b)
	}
	l.checkEveryone(f, blocks)
}

// A block is groups that name the same product tokens, and so count as one: each
// of their rules can only make another more useless, whatever other groups the
// crawlers read besides.
type block struct {
	tokens  []string
	groups  []int
	partial bool  // one of the tokens is in another block too
	agent   agent // the rules, in the merged file
	wild    int   // the number of them that have wildcards
	stars   int   // and of all their wildcards
}

// merge returns the blocks of the file, and their rules as a File in which those
// of a block stand together.
func (l *linter) merge() (*File, []*block) {
	var blocks []*block
	byTokens := make(map[string]*block)
	for i := range l.groups {
		tokens := l.groups[i].tokens()
		if len(tokens) == 0 {
			continue
		}
		key := strings.Join(tokens, " ")
		if byTokens[key] == nil {
			byTokens[key] = &block{tokens: tokens}
			blocks = append(blocks, byTokens[key])
		}
		byTokens[key].groups = append(byTokens[key].groups, i)
	}
	markPartial(blocks)
	merged := parser{rules: make([]rule, 0, len(l.rules)), tags: make([]tag, 0, len(l.tags))}
	for _, b := range blocks {
		l.addBlock(&merged, b)
	}
	return merged.file(view(l.text)), blocks
}

// file returns the rules as a File that nobody may ask for agents.
func (p *parser) file(text string) *File {
	f := &File{text: text, rules: p.rules, tags: p.tags}
	if len(p.longGroups) > 0 {
		p.rules, p.tags = slices.Clone(p.rules), slices.Clone(p.tags)
	}
	for _, group := range p.longGroups {
		f.indexes = append(f.indexes, p.buildIndex(f, group[0], group[1]))
	}
	return f
}

// markPartial finds the blocks that some crawler reads together with others.
func markPartial(blocks []*block) {
	reader := make(map[string]*block)
	for _, b := range blocks {
		for _, token := range b.tokens {
			_, short := tokens(token)
			for _, t := range []string{token, short} {
				if other := reader[t]; other != nil && other != b {
					other.partial, b.partial = true, true
				}
				reader[t] = b
			}
		}
	}
}

// manyRules is the number of rules up to which all may be compared with all.
const manyRules = 1000

// addBlock adds the rules of a block to those of the merged file. Of a long block
// those that it has already are left out, for else many could share a bucket.
func (l *linter) addBlock(merged *parser, b *block) {
	b.agent.first = uint32(len(merged.rules))
	for _, group := range b.groups {
		first, end := l.groups[group].first, l.groups[group].end
		merged.rules, merged.tags = append(merged.rules, l.rules[first:end]...), append(merged.tags, l.tags[first:end]...)
	}
	if len(merged.rules)-int(b.agent.first) > manyRules {
		l.dropRepeated(merged, int(b.agent.first))
	}
	b.agent.end = uint32(len(merged.rules))
	if b.agent.end-b.agent.first > longGroup {
		merged.longGroups = append(merged.longGroups, [2]uint32{b.agent.first, b.agent.end})
	}
}

// dropRepeated takes the rules out that another from first on repeats.
func (l *linter) dropRepeated(merged *parser, first int) {
	type content struct {
		pattern string
		allow   bool
	}
	seen := make(map[content]rule, len(merged.rules)-first)
	kept := first
	for i, r := range merged.rules[first:] {
		pattern := r.pattern()
		c := content{view(l.text[pattern.at:][:pattern.size]), r.allow()}
		if before, ok := seen[c]; ok {
			l.reportRepeated(r, before)
			continue
		}
		seen[c] = r
		merged.rules[kept], merged.tags[kept] = r, merged.tags[first+i]
		kept++
	}
	merged.rules, merged.tags = merged.rules[:kept], merged.tags[:kept]
}

// reportRepeated reports a rule that another one repeats. Not in another group:
// without its rules a group would go on with the next.
func (l *linter) reportRepeated(r, before rule) {
	if l.sameGroup(r, before) {
		l.onValuef(duplicateRule, r.line(), "line %d says the same; leave this one out", before.line())
	}
}

func (l *linter) sameGroup(a, b rule) bool { return l.groupOf(a) == l.groupOf(b) }

// groupOf returns the place of the group of a rule.
func (l *linter) groupOf(r rule) int {
	place, _ := slices.BinarySearchFunc(l.rules, r.line(), func(r rule, line uint32) int { return int(r.line()) - int(line) })
	group, _ := slices.BinarySearchFunc(l.groups, place, func(g namedGroup, place int) int {
		if g.end <= place {
			return -1
		}
		return 1
	})
	return group
}

// maxEffort bounds the comparing of rules with rules, in octets or so.
const maxEffort = 50_000_000

// spend reports whether there is effort left for n more.
func (l *linter) spend(n int) bool {
	l.effort += n
	return l.effort <= maxEffort
}

// checkBlock looks for rules that have no effect. It takes those out of f that
// never win.
func (l *linter) checkBlock(f *File, b *block) {
	rules := f.rules[b.agent.first:b.agent.end]
	b.countWildcards(f, rules)
	l.next = slices.Grow(l.next[:0], len(rules))
	next := l.next[:len(rules)] // what decides where a rule does, without it
	for i, r := range rules {
		if next[i] = l.decideWithout(f, b, i); next[i] > r {
			l.reportBeaten(f, r, next[i])
			rules[i] = 0
		}
	}
	if b.partial {
		return // another group may give a rule the effect that it lacks here
	}
	allows, disallows := divide(rules)
	for i, r := range rules {
		others := allows
		if r.allow() {
			others = disallows
		}
		if r != 0 {
			l.checkEffect(f, b, i, next[i], others)
		}
	}
}

func (b *block) countWildcards(f *File, rules []rule) {
	for _, r := range rules {
		if r.wild() {
			b.wild++
			b.stars += strings.Count(f.str(r.pattern()), "*")
		}
	}
}

func countIf(rules []rule, is func(rule) bool) (n int) {
	for _, r := range rules {
		if is(r) {
			n++
		}
	}
	return n
}

// divide returns the rules of each kind; those that disallow only if there are
// others to compare with them.
func divide(rules []rule) (allows, disallows []rule) {
	n := countIf(rules, rule.allow)
	if n == 0 {
		return nil, nil
	}
	allows, disallows = make([]rule, 0, n), make([]rule, 0, len(rules)-n)
	for _, r := range rules {
		if r.allow() {
			allows = append(allows, r)
		} else if r != 0 {
			disallows = append(disallows, r)
		}
	}
	return allows, disallows
}

func (l *linter) reportBeaten(f *File, r, winner rule) {
	own, other := f.str(r.pattern()), f.str(winner.pattern())
	switch {
	case winner.allow() == r.allow() && own == other:
		l.reportRepeated(r, winner)
	case winner.allow() == r.allow():
		l.reportRedundant(r, winner)
	case len(own) == len(other):
		l.onValuef(neverWins, r.line(), "the rule never decides: line %d matches the same, and of patterns of the same length that of an Allow wins; leave one out", winner.line())
	default:
		l.onValuef(neverWins, r.line(), "the rule never decides: %v in line %d matches all that it does, and is longer; leave one out", quoted(other), winner.line())
	}
}

func (l *linter) reportRedundant(r, by rule) {
	if l.sameGroup(r, by) {
		l.onValuef(redundantRule, r.line(), "line %d says the same for all that this matches; leave this one out", by.line())
	}
}

// checkEffect looks at the i-th rule of a block. Without it next would decide, if
// no rule that says the opposite does.
func (l *linter) checkEffect(f *File, b *block, i int, next rule, others []rule) {
	r := f.rules[int(b.agent.first)+i]
	if next == unknown || next != 0 && next.allow() != r.allow() || next == 0 && !r.allow() {
		return
	}
	if next != 0 && f.covers(r, next) {
		next = l.decideWithout(f, b, i) // for that one never wins, and is out of f by now
	}
	if next == unknown || next != 0 && next.allow() != r.allow() || next == 0 && !r.allow() || !l.spend(8*len(others)) {
		return
	}
	for _, o := range others {
		if (next == 0 || next < o && o < r) && f.mayMeet(o, r) {
			return
		}
	}
	switch {
	case next != 0:
		l.reportRedundant(r, next)
	case len(others) > 0:
		l.onValuef(allowWithoutEffect, r.line(), "the group disallows nothing that this matches, so that it is allowed anyhow; leave it out")
	case !isEverything(f.str(r.pattern())):
		l.onValuef(allowWithoutEffect, r.line(), `the group disallows nothing, so that everything is allowed; write "Disallow: /" as well if the rest is not meant to be`)
	}
}

// mayMeet reports whether there may be a path that both rules match.
func (f *File) mayMeet(a, b rule) bool {
	x, y := f.literal(a), f.literal(b)
	n := min(len(x), len(y))
	return x[:n] == y[:n]
}

// isEverything reports whether a pattern matches all paths.
func isEverything(pattern string) bool {
	rest := strings.Trim(pattern, "*")
	return rest == "" || rest == "/"
}

// unknown is no rule, and less than all of them.
const unknown rule = 1

// decideWithout returns the rule that decides on all that the i-th rule of a block
// matches, if that is not in f: 0 if none is known to, unknown if it is not known.
//
// A rule matches all that another one matches if it matches the pattern of that,
// written as a path: only a wildcard takes the pattern's wildcards, and whatever
// they stand for.
func (l *linter) decideWithout(f *File, b *block, i int) rule {
	rules := f.rules[b.agent.first:b.agent.end]
	r := rules[i]
	if !isComparable(f, r) {
		return unknown
	}
	var room [256]byte
	subject := appendSubject(room[:0], f, r)
	if !l.spend(b.wild + len(subject)*16) {
		return unknown
	}
	rules[i] = 0
	t := target{path: view(subject), tag: tagOf(subject)}
	best := f.decide(&b.agent, &t, 0)
	rules[i] = r
	l.spend(t.tries * (len(subject) + 16*b.stars/max(b.wild, 1)))
	return best
}

// isComparable reports whether what r matches can be written as a path. It can
// not where a wildcard may lead into the query, in whose normal form the rest
// has other octets.
func isComparable(f *File, r rule) bool {
	pattern := f.str(r.pattern())
	return r != 0 && (pattern[0] == '/' || pattern[0] == '*') && !(r.wild() && strings.Contains(pattern, "%"))
}

// appendSubject appends the pattern of r as a path. Paths begin with "/".
func appendSubject(dst []byte, f *File, r rule) []byte {
	pattern := f.str(r.pattern())
	if pattern[0] == '*' && (len(pattern) == 1 || pattern[1] != '/' && pattern[1] != '*') {
		dst = append(dst, '/')
	}
	dst = append(dst, pattern...)
	if r.anchored() {
		return dst[:len(dst)-1]
	}
	return append(dst, '*')
}
