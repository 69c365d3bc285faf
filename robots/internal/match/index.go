package match

import (
	"hash/maphash"
	"unsafe"
)

// An index tells which rules of a long group may match a path: those that begin as it
// does. It has the places of the rules in buckets, by a hash of what stands before their
// first wildcard. A place counts from the group's first rule, and there are less than
// 2^16 of them: a rule of a file of syntax.MaxSize takes at least eight octets.
type index struct {
	lengths []length // of the rules' literals, from the shortest
	places  []uint16 // of the rules, by bucket
	buckets []uint16 // bucket b is places[buckets[b]:buckets[b+1]]
	seed    maphash.Seed
}

// A length is that of the literals of some rules in an index.
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
	return int(maphash.String(x.seed, literal) % uint64(len(x.places)))
}

// in returns the places of the rules in a bucket.
func (x *index) in(bucket int) []uint16 { return x.places[x.buckets[bucket]:x.buckets[bucket+1]] }

func (x *index) size() int {
	return indexSize + SizeOf(x.lengths) + SizeOf(x.places) + SizeOf(x.buckets)
}

// indexSize is the number of bytes of an index by itself.
const indexSize = int(unsafe.Sizeof(index{}))

// newIndex returns the index of a section.
func newIndex(t *Table, section Section) *index {
	rules, tags := t.Rules[section.First:section.End], t.Tags[section.First:section.End]
	x := &index{places: make([]uint16, len(rules)), buckets: make([]uint16, len(rules)+1), seed: maphash.MakeSeed()}
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

// fill puts each place into the bucket chosen for it. The buckets are as long as they
// say; afterwards they say where they begin.
func (x *index) fill(chosen []uint16) {
	for i := 1; i < len(x.buckets); i++ {
		x.buckets[i] += x.buckets[i-1]
	}
	for place := len(chosen) - 1; place >= 0; place-- {
		bucket := &x.buckets[chosen[place]]
		*bucket--
		x.places[*bucket] = uint16(place)
	}
}

// A lazyIndex is the index of a long group, made by the first query about the group: a
// crawler asks about one group of a file. Parse takes 0.8 of the time.
type lazyIndex struct {
	first uint32 // the group's first rule
	lazy[index]
}
