package match

import (
	"hash/maphash"
	"unsafe"
)

// An index finds the rules of a long group that may match a path: the rules that begin as
// the path does. It keeps the positions of the rules in buckets, by a hash of the text
// before their first wildcard. A position counts from the group's first rule. There are
// less than 2^16 positions: a rule of a file of syntax.MaxSize takes at least eight
// octets.
type index struct {
	lengths   []length // of the rules' literals, from the shortest
	positions []uint16 // of the rules, by bucket
	buckets   []uint16 // bucket b is positions[buckets[b]:buckets[b+1]]
	seed      maphash.Seed
}

// A length is a length that the literals of some rules have.
type length struct {
	size uint32
	tags uint64 // the bits of the rules' tags
}

// longGroup is the number of rules above which looking at all tags takes longer
// than looking up the beginnings of a path.
const longGroup = 64

// IsLong reports whether a group has so many rules that it is indexed.
func (s Section) IsLong() bool { return s.End-s.First > longGroup }

// bucket returns the number of the bucket for rules that begin with literal.
func (x *index) bucket(literal string) int {
	return int(maphash.String(x.seed, literal) % uint64(len(x.positions)))
}

// in returns the positions of the rules in a bucket.
func (x *index) in(bucket int) []uint16 { return x.positions[x.buckets[bucket]:x.buckets[bucket+1]] }

func (x *index) size() int {
	return indexSize + SizeOf(x.lengths) + SizeOf(x.positions) + SizeOf(x.buckets)
}

// indexSize is the number of bytes of an index by itself.
const indexSize = int(unsafe.Sizeof(index{}))

// newIndex returns the index of a section.
func newIndex(t *Table, section Section) *index {
	rules, tags := t.Rules[section.First:section.End], t.Tags[section.First:section.End]
	x := &index{positions: make([]uint16, len(rules)), buckets: make([]uint16, len(rules)+1), seed: maphash.MakeSeed()}
	chosen := make([]uint16, len(rules))
	seen := make([]uint64, 128) // tags, by length
	for i, r := range rules {
		literal := t.Literal(r)
		if grow := len(literal) + 1 - len(seen); grow > 0 {
			seen = append(seen, make([]uint64, grow)...)
		}
		seen[len(literal)] |= tags[i].bit()
		chosen[i] = uint16(x.bucket(literal))
		x.buckets[chosen[i]]++
	}
	for size, tags := range seen {
		if tags != 0 {
			x.lengths = append(x.lengths, length{uint32(size), tags})
		}
	}
	x.lengths = exactly(x.lengths)
	x.fill(chosen)
	return x
}

// fill puts each position into the bucket chosen for it. Before, x.buckets has the size
// of each bucket; afterwards, it has where each begins.
func (x *index) fill(chosen []uint16) {
	for i := 1; i < len(x.buckets); i++ {
		x.buckets[i] += x.buckets[i-1]
	}
	for position := len(chosen) - 1; position >= 0; position-- {
		bucket := &x.buckets[chosen[position]]
		*bucket--
		x.positions[*bucket] = uint16(position)
	}
}

// A lazyIndex is the index of a long group. The first query about the group makes it: a
// crawler asks about one group of a file. So Parse takes 0.8 of the time.
type lazyIndex struct {
	first uint32 // the group's first rule
	lazy[index]
}
