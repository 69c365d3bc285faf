package match

import (
	"strings"
	"sync"

	"github.com/go-polite/polite/robots/internal/syntax"
)

// Literals are an index of all text after wildcards in a file. With it, one walk over the
// path answers a query, however many rules there are. For two rules:
//
//	disallow: /*ab*c%3A    firstParts │ 0           │ 3  │ 4    where the parts of each begin
//	disallow: *ab*d$       parts      │ ab c%3A c:' │ ab │      its literals, in order
//	                       trie       │ ab c%3A c:  │           each literal once
//
// In the query of a path a literal may have another form. This form is a part of its own,
// with the mark inQuery. Either form matches. The last literal of an anchored rule is no
// part: one look shows whether a path ends with it.
//
// Few files need this index: see Path.afford. The first query that needs it makes it.
type literals struct {
	trie       trie
	chains     chains
	sizes      []uint32 // of the literals
	parts      []part   // of all rules
	firstParts []uint32 // by their positions in Table.Rules: where the parts of each begin; and the end
	walks      sync.Pool
}

// A part is the number of a literal that a rule has after a wildcard.
type part uint32

// inQuery marks a part that is the query form of the part before it.
const inQuery part = 1 << 31

func (p part) literal() uint32 { return uint32(p &^ inQuery) }

func (x *literals) size() int {
	return x.trie.size() + SizeOf(x.chains) + SizeOf(x.sizes) + SizeOf(x.parts) + SizeOf(x.firstParts) + literalsSize
}

// literalsSize is about the number of bytes of a literals by itself.
const literalsSize = 1280

func newLiterals(t *Table) *literals {
	x := &literals{firstParts: make([]uint32, 0, len(t.Rules)+1)}
	octets := 0
	for _, r := range t.Rules {
		if r.Wild() {
			octets += len(t.walked(r))
		}
	}
	b := newTrieBuilder(octets)
	for _, r := range t.Rules {
		x.firstParts = append(x.firstParts, uint32(len(x.parts)))
		if r.Wild() {
			x.addRule(b, t.walked(r))
		}
	}
	x.firstParts = append(x.firstParts, uint32(len(x.parts)))
	x.parts = exactly(x.parts)
	b.finish()
	x.number(b)
	return x
}

// walked returns the text of a pattern that a walk searches for. It begins at the first
// wildcard. It ends with the pattern or, if the pattern is anchored, at the last
// wildcard.
func (t *Table) walked(r Rule) string {
	pattern := t.Pattern(r)
	if r.Anchored() {
		pattern = pattern[:strings.LastIndexByte(pattern, '*')+1]
	}
	return pattern[strings.IndexByte(pattern, '*'):]
}

// addRule adds the literals of a rule.
func (x *literals) addRule(b *trieBuilder, pattern string) {
	for literal := range strings.SplitSeq(pattern, "*") {
		if literal == "" {
			continue
		}
		x.parts = append(x.parts, part(b.add(literal)))
		if strings.Contains(literal, "%") {
			if decoded := syntax.AppendDecoded(nil, literal); len(decoded) < len(literal) {
				x.parts = append(x.parts, part(b.add(View(decoded)))|inQuery)
			}
		}
	}
}

// number takes the trie of b, and numbers the literals anew by their chains.
func (x *literals) number(b *trieBuilder) {
	var numbers []uint32
	x.trie = b.trie
	x.chains, numbers = newChains(b.parents, b.order)
	x.sizes = make([]uint32, len(numbers))
	for old, size := range b.sizes {
		x.sizes[numbers[old]] = size
	}
	for i, p := range x.parts {
		x.parts[i] = p&inQuery | part(numbers[p.literal()])
	}
	for i, n := range x.trie.nodes {
		if old := n.longest(); old != none {
			x.trie.nodes[i].setLongest(numbers[old])
		}
	}
}
