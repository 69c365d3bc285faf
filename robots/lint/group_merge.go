package lint

import (
	"strings"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
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
