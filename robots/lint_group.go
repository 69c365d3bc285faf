package robots

import "strings"

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
	merged := parser{text: l.text, spellings: l.spellings}
	for _, b := range blocks {
		l.addBlock(&merged, b)
	}
	return merged.compile(false), blocks
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

// addBlock adds the rules of a block to those of the merged file, but for those
// that it has already.
func (l *linter) addBlock(merged *parser, b *block) {
	type content struct {
		pattern string
		allow   bool
	}
	seen := make(map[content]rule)
	b.agent.first = uint32(len(merged.rules))
	for _, group := range b.groups {
		for i := l.groups[group].first; i < l.groups[group].end; i++ {
			r := l.rules[i]
			pattern := r.pattern()
			c := content{view(l.text[pattern.at:][:pattern.size]), r.allow()}
			if first, ok := seen[c]; ok {
				l.onValue(duplicateRule, r.line(), "line %d says the same; leave this one out", first.line())
				continue
			}
			seen[c] = r
			merged.rules, merged.tags = append(merged.rules, r), append(merged.tags, l.tags[i])
		}
	}
	b.agent.end = uint32(len(merged.rules))
	if b.agent.end-b.agent.first > longGroup {
		merged.longGroups = append(merged.longGroups, [2]uint32{b.agent.first, b.agent.end})
	}
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
	for _, r := range rules {
		if r.wild() {
			b.wild++
		}
	}
	for i, r := range rules {
		if winner := l.decideOn(f, b, r); winner > r {
			l.reportBeaten(f, r, winner)
			rules[i] = 0
		}
	}
	if b.partial {
		return // another group may give a rule the effect that it lacks here
	}
	var others [2][]rule // those that say the opposite
	for _, r := range rules {
		if r != 0 {
			others[kindIndex(!r.allow())] = append(others[kindIndex(!r.allow())], r)
		}
	}
	for i, r := range rules {
		rules[i] = 0 // what decides without it?
		l.checkEffect(f, b, r, others[kindIndex(r.allow())])
		rules[i] = r
	}
}

func kindIndex(allow bool) int {
	if allow {
		return 1
	}
	return 0
}

func (l *linter) reportBeaten(f *File, r, winner rule) {
	switch {
	case winner.allow() == r.allow():
		l.onValue(redundantRule, r.line(), "line %d says the same for all that this matches; leave this one out", winner.line())
	case winner.pattern().size == r.pattern().size:
		l.onValue(neverWins, r.line(), "the rule never decides, as that of line %d matches the same, and of patterns as long as each other that of an Allow wins; leave one out", winner.line())
	default:
		l.onValue(neverWins, r.line(), "the rule never decides, as that of line %d, %v, matches all that it does, and is longer; leave one out", winner.line(), quoted(f.str(winner.pattern())))
	}
}

// checkEffect looks at a rule that is not in f for the moment. Those that say the
// opposite are others.
func (l *linter) checkEffect(f *File, b *block, r rule, others []rule) {
	next := l.decideOn(f, b, r)
	if next == r || next == 0 && !r.allow() || next != 0 && next.allow() != r.allow() || !l.spend(len(others)) {
		return
	}
	for _, o := range others {
		if (next == 0 || next < o && o < r) && f.mayMeet(o, r) {
			return
		}
	}
	switch {
	case next != 0:
		l.onValue(redundantRule, r.line(), "line %d says the same for all that this matches; leave this one out", next.line())
	case len(others) > 0:
		l.onValue(allowWithoutEffect, r.line(), "the group disallows nothing that this matches, so that it is allowed anyhow; leave it out")
	case !isEverything(f.str(r.pattern())):
		l.onValue(allowWithoutEffect, r.line(), `the group disallows nothing, so that everything is allowed; write "Disallow: /" as well if the rest is not meant to be`)
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

// decideOn returns the rule that decides on all that r matches, or r if none is
// known to do so.
//
// A rule matches all that r matches if it matches r's pattern, written as a path:
// only a wildcard takes the pattern's wildcards, and whatever they stand for.
func (l *linter) decideOn(f *File, b *block, r rule) rule {
	if !isComparable(f, r) {
		return r
	}
	var room [256]byte
	subject := appendSubject(room[:0], f, r)
	t := target{path: view(subject), tag: tagOf(subject)}
	if !l.spend(b.wild + len(subject)*16) {
		return r
	}
	best := f.decide(&b.agent, &t, 0)
	l.spend(len(subject) * t.tries)
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
