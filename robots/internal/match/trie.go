package match

import "slices"

// A trie finds, in one walk over a path, the longest literal that ends at each octet (Aho
// and Corasick, 1975). Its nodes are the beginnings of literals, from the empty string
// on. For "ab", "abc", "bd" and "ac":
//
//	node     0   1   2   3     4   5     6
//	octet    ·   a ─ b ─ c     b ─ d     c      a run goes on with the first child
//	string       a   ab  abc   b   bd    ac
//	fail         0   4   0     0   0     0      the longest other node that the string ends with
//	longest      –   ab  abc   –   bd    ac     the longest literal that the string ends with
//
// A node is one word, and most of a literal is one run of them, so that the next node is
// in the same cache line. The children that begin a run are in tables: the children of
// node 0 by octet, the others, such as node 6 by node 1 and "c", in a map. A walk takes
// one step forward for each octet of the path, and no more steps back, along fail, than
// forward. So it takes at most two steps for an octet, whatever the literals.
type trie struct {
	nodes []node
	forks map[uint32]uint32 // see fork
	root  [256]uint32       // the children of node 0 by octet, or 0
}

// A node is packed into one word.
//
//	51     32    31      30     29    22       0
//	┌────────┬───────┬──────┬────────┬──────────┐
//	│longest │ forks │ next │ octet  │ fail     │
//	└────────┴───────┴──────┴────────┴──────────┘
//
// The literals of a file and their decoded forms have less than 2^22 octets in all. All
// octets in normal form are below 0x80.
type node uint64

const (
	failMask     = 1<<22 - 1
	octetShift   = 22
	nextBit      = 1 << 30 // it is a child of the node before it
	forksBit     = 1 << 31 // it has children in trie.forks
	longestShift = 32
)

func (n node) fail() uint32 { return uint32(n) & failMask }
func (n node) octet() byte  { return byte(n>>octetShift) & 0x7F }

// longest returns the longest literal that the node's string ends with, or none.
func (n node) longest() uint32         { return uint32(n>>longestShift) - 1 }
func (n *node) setLongest(word uint32) { *n = *n&(1<<longestShift-1) | node(word+1)<<longestShift }

// none is no literal.
const none = ^uint32(0)

// child returns the node for the string of at followed by c, or 0.
func (t *trie) child(at uint32, c byte) uint32 {
	if at == 0 {
		return t.root[c]
	}
	two := t.nodes[at:][:2]
	if two[1]&(nextBit|0x7F<<octetShift) == nextBit|node(c)<<octetShift {
		return at + 1
	}
	if two[0]&forksBit != 0 {
		return t.forks[fork(at, c)]
	}
	return 0
}

// step appends c to the string of at. It returns the longest node that the result ends
// with, and the number of nodes that it looked at.
func (t *trie) step(at uint32, c byte) (to uint32, looks int) {
	for looks = 1; ; looks++ {
		if to = t.child(at, c); to != 0 || at == 0 {
			return to, looks
		}
		at = t.nodes[at].fail()
	}
}

// size returns the number of bytes of t.
func (t *trie) size() int { return SizeOf(t.nodes) + forkSize*len(t.forks) }

// forkSize is about the number of bytes that a map takes for a fork.
const forkSize = 16

// fork is the key of a child that does not follow its parent.
func fork(parent uint32, c byte) uint32 { return parent<<7 | uint32(c) }

// A trieBuilder makes a trie, and learns on the way how its literals are nested.
type trieBuilder struct {
	trie
	branches []branch
	sizes    []uint32 // of the literals, by number
	parents  []uint32 // of the literals: the longest other one that each ends with, or none
	order    []uint32 // the literals from the shortest
}

// A branch begins a run of nodes that does not follow its parent.
type branch struct{ node, parent, depth uint32 }

// newTrieBuilder returns a builder for literals with so many octets in all.
func newTrieBuilder(octets int) *trieBuilder {
	return &trieBuilder{trie: trie{nodes: make([]node, 1, octets+2), forks: make(map[uint32]uint32)}}
}

// add adds a literal, and returns its number. A literal that was added before keeps its
// number.
func (b *trieBuilder) add(literal string) uint32 {
	at := uint32(0)
	for i := range len(literal) {
		child := b.growing(at, literal[i])
		if child == 0 {
			at = b.extend(at, i, literal[i:])
			break
		}
		at = child
	}
	if b.nodes[at].longest() == none {
		b.nodes[at].setLongest(uint32(len(b.sizes)))
		b.sizes = append(b.sizes, uint32(len(literal)))
	}
	return b.nodes[at].longest()
}

// growing is child for a trie whose last node may be at.
func (b *trieBuilder) growing(at uint32, c byte) uint32 {
	if at > 0 && int(at)+1 == len(b.nodes) {
		return 0
	}
	return b.child(at, c)
}

// extend adds the rest of a literal after the node at. Depth is the depth of that node.
// It returns the last node.
func (b *trieBuilder) extend(at uint32, depth int, rest string) uint32 {
	first := uint32(len(b.nodes))
	b.nodes = slices.Grow(b.nodes, len(rest))[:int(first)+len(rest)]
	for i, run := 0, b.nodes[first:]; i < len(run); i++ {
		run[i] = node(rest[i])<<octetShift | nextBit
	}
	switch {
	case at == 0:
		b.root[rest[0]] = first
	case first != at+1:
		b.nodes[at] |= forksBit
		b.forks[fork(at, rest[0])] = first
	default:
		return uint32(len(b.nodes)) - 1
	}
	b.nodes[first] &^= nextBit
	b.branches = append(b.branches, branch{first, at, uint32(depth) + 1})
	return uint32(len(b.nodes)) - 1
}

// finish links the nodes, the shortest strings first: a link always leads to a shorter
// string.
func (b *trieBuilder) finish() {
	b.nodes = exactly(append(b.nodes, 0)) // so that each has one after it
	b.parents = make([]uint32, len(b.sizes))
	b.order = make([]uint32, 0, len(b.sizes))
	branches := b.branches
	slices.SortFunc(branches, func(a, b branch) int { return int(a.depth) - int(b.depth) })
	var level []uint32 // the nodes of one depth
	for depth := uint32(1); len(level) > 0 || len(branches) > 0; depth++ {
		longer := level[:0]
		for _, at := range level {
			if b.nodes[at+1]&nextBit != 0 {
				b.link(at+1, at)
				longer = append(longer, at+1)
			}
		}
		for ; len(branches) > 0 && branches[0].depth == depth; branches = branches[1:] {
			b.link(branches[0].node, branches[0].parent)
			longer = append(longer, branches[0].node)
		}
		level = longer
	}
}

// link sets the longest node and the longest literal that the string of a node ends with.
func (b *trieBuilder) link(at, parent uint32) {
	fail := uint32(0)
	if parent != 0 {
		fail, _ = b.step(b.nodes[parent].fail(), b.nodes[at].octet())
	}
	b.nodes[at] |= node(fail)
	shorter := b.nodes[fail].longest()
	if own := b.nodes[at].longest(); own != none {
		b.parents[own] = shorter
		b.order = append(b.order, own)
	} else {
		b.nodes[at].setLongest(shorter)
	}
}
