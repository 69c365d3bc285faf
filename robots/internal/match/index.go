package match

import "hash/maphash"

// An index tells which rules of a long group may match a path: those that begin as
// it does. The rules of such a group are ordered by a hash of what stands before
// their first wildcard.
type index struct {
	first   uint32   // the group's first rule
	lengths []length // of the rules' literals, from the shortest
	buckets []uint32 // bucket b is Table.Rules[buckets[b]:buckets[b+1]]
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

// bucket returns the place in x.buckets for rules that begin with literal.
func (x *index) bucket(literal string) int {
	return int(maphash.String(x.seed, literal) % uint64(len(x.buckets)-1))
}

// newIndex writes the rules of a section from one table to another, in the order of
// their buckets.
func newIndex(to, from *Table, section Section) index {
	rules, tags := from.Rules[section.First:section.End], from.Tags[section.First:section.End]
	text, orderedRules, orderedTags := to.Text, to.Rules, to.Tags
	x := index{first: section.First, buckets: make([]uint32, len(rules)+1), seed: maphash.MakeSeed()}
	places := make([]uint32, len(rules))
	seen := make([]uint64, 128) // tags, by length
	for i, r := range rules {
		literal := text.Literal(r)
		if grow := len(literal) + 1 - len(seen); grow > 0 {
			seen = append(seen, make([]uint64, grow)...)
		}
		seen[len(literal)] |= tags[i].bit()
		places[i] = uint32(x.bucket(literal))
		x.buckets[places[i]+1]++
	}
	for size, tags := range seen {
		if tags != 0 {
			x.lengths = append(x.lengths, length{uint32(size), tags})
		}
	}
	x.lengths = exactly(x.lengths)

	// A counting sort: the sizes of the buckets become their beginnings, which
	// move on as they are filled, and then back.
	x.buckets[0] = section.First
	for i := range rules {
		x.buckets[i+1] += x.buckets[i]
	}
	for i, r := range rules {
		at := x.buckets[places[i]]
		x.buckets[places[i]]++
		orderedRules[at], orderedTags[at] = r, tags[i]
	}
	copy(x.buckets[1:], x.buckets)
	x.buckets[0] = section.First
	return x
}
