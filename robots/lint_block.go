package robots

import (
	"slices"
	"strings"
)

// A block is all groups that name the same product tokens, and so count as one.
// What never decides in it never does, whatever other groups a crawler reads
// besides.
type block struct {
	tokens  []string
	groups  []int
	partial bool  // one of the tokens is in another block too
	agent   agent // the rules, in the merged file
	wild    int   // the number of them that have wildcards
	stars   int   // and of the wildcards of such a rule, on average
}

// merge returns the blocks of the file, and their rules as a File in which those
// of a block stand together.
func (l *linter) merge() (*File, []*block) {
	blocks := l.blocks()
	markPartial(blocks)
	merged := parser{rules: make([]rule, 0, len(l.rules)), tags: make([]tag, 0, len(l.tags))}
	for _, b := range blocks {
		l.addBlock(&merged, b)
	}
	return merged.file(view(l.text)), blocks
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
	if len(blocks) < 2 {
		return
	}
	reader := make(map[string]*block, len(blocks))
	for _, b := range blocks {
		for _, token := range b.tokens {
			_, short := tokens(token)
			for _, t := range []string{token, short} {
				if other := reader[t]; other != nil && other != b && t != "" {
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
