// Package match keeps the rules of a file in a compact form, and finds the rule that
// decides on a path.
package match

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"math/bits"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/go-polite/polite/robots/internal/syntax"
)

// A Set is the rules of a file, ready to be matched. It is safe for concurrent use, as
// long as nobody changes its rules.
type Set struct {
	Table
	indexes   []lazyIndex // of the long groups
	spellings []spelling  // by line
	literals  lazy[literals]
	grown     atomic.Int64 // bytes of the indexes and literals that queries have made
}

// A spelling is a rule's pattern as written, if that is not the normal form.
type spelling struct {
	line    uint32
	written Span
}

// writtenIn returns the pattern of a rule as written, if it is among spellings.
func writtenIn(spellings []spelling, text Text, r Rule) (pattern string, ok bool) {
	i, ok := slices.BinarySearchFunc(spellings, r.Line(), func(s spelling, line uint32) int { return int(s.line) - int(line) })
	if !ok {
		return "", false
	}
	return text.Part(spellings[i].written), true
}

// Written returns the pattern of a rule as the file has it.
func (s *Set) Written(r Rule) string {
	if pattern, ok := writtenIn(s.spellings, s.Text, r); ok {
		return pattern
	}
	return s.Pattern(r)
}

// Size returns the number of bytes that the set refers to, without the indexes that
// queries make.
func (s *Set) Size() int {
	return len(s.Text) + SizeOf(s.Rules) + SizeOf(s.Tags) + SizeOf(s.indexes) + SizeOf(s.spellings)
}

// Grown returns the number of bytes of the indexes that queries have made.
func (s *Set) Grown() int { return int(s.grown.Load()) }

// Decide returns the rule of a section that decides on p, or best if that takes
// precedence. If p is overspent afterwards, a walk has to decide.
func (s *Set) Decide(section Section, p *Path, best Rule) Rule {
	if !section.IsLong() {
		return s.scan(section, p, best)
	}
	return s.lookUp(section, s.indexOf(section), p, best)
}

// Prepare makes the index that the first query about a section would make. Call it before you take
// rules out: a rule that is zero matches nothing.
func (s *Set) Prepare(section Section) {
	if section.IsLong() {
		s.indexOf(section)
	}
}

// indexOf returns the index of a long section.
func (s *Set) indexOf(section Section) *index {
	i := sort.Search(len(s.indexes), func(i int) bool { return s.indexes[i].first >= section.First })
	return s.indexes[i].get(func() *index {
		x := newIndex(&s.Table, section)
		s.grown.Add(int64(x.size()))
		return x
	})
}

// scan is Decide for a section that has no index.
func (s *Set) scan(section Section, p *Path, best Rule) Rule {
	p.steps += int(section.End - section.First)
	begins := tagOf(p.path)
	for at := section.First; at < section.End; at += 4 {
		some := begins.amongFour((*[4]Tag)(s.Tags[at : at+4]))
		if left := section.End - at; left < 4 {
			some &= 1<<(16*left) - 1
		}
		for ; some != 0; some &= some - 1 {
			i := at + uint32(bits.TrailingZeros64(some))/16
			if r := s.Rules[i]; r > best && p.mayHave(s.Tags[i]) && s.Matches(r, p) {
				best = r
			}
		}
	}
	return best
}

// lookUp is scan for a section that has an index. It looks up each beginning of the path that is as long as
// the literal of some rule.
func (s *Set) lookUp(section Section, x *index, p *Path, best Rule) Rule {
	rules, tags := s.Rules[section.First:section.End], s.Tags[section.First:section.End]
	begins := tagOf(p.path)
	bit := begins.bit()
	for _, length := range x.lengths {
		if int(length.size) > len(p.path) {
			break
		}
		if length.tags&bit == 0 {
			continue
		}
		p.steps += int(length.size)/octetsAStep + 1
		for i := x.first[x.bucket(p.path[:length.size])]; i != 0; i = x.next[i-1] {
			p.steps++
			r, tag := rules[i-1], tags[i-1]
			if r <= best || tag != begins && tag&innerTag == 0 || !p.mayHave(tag) {
				continue
			}
			// A rule that shares the bucket by chance has its turn at the length of its own literal:
			// tried twice, it would spend the budget twice.
			if len(s.Literal(r)) == int(length.size) && s.Matches(r, p) {
				best = r
			}
		}
	}
	return best
}

// Matches reports whether r matches p. If p is overspent, it returns false for a rule
// with wildcards.
func (s *Set) Matches(r Rule, p *Path) bool {
	pattern := s.Pattern(r)
	if r.Anchored() {
		pattern = pattern[:len(pattern)-1]
	}
	if !r.Wild() {
		p.steps += len(pattern)/octetsAStep + 1
		return strings.HasPrefix(p.path, pattern) && (!r.Anchored() || len(pattern) == len(p.path))
	}
	literal := s.Literal(r)
	if p.steps += len(literal)/octetsAStep + 1; p.Overspent() || !strings.HasPrefix(p.path, literal) {
		return false
	}
	if p.trying() {
		p.steps += len(pattern) + 1
		if !p.octets.all(pattern) {
			return false
		}
	}
	if !p.afford(pattern) {
		return false
	}
	return matchesWild(pattern, p.path, r.Anchored())
}

// newWalk returns a walk over a path that is overspent, for rules that take precedence
// over best.
func (s *Set) newWalk(p *Path, best Rule) *walk {
	x := s.literals.get(func() *literals {
		x := newLiterals(&s.Table)
		s.grown.Add(int64(x.size()))
		return x
	})
	return x.newWalk(&s.Table, p.path, best)
}

// A Section is the rules of one group: Table.Rules[First:End].
type Section struct{ First, End uint32 }

// A Table is rules, each with its tag, and the text that their patterns are in:
//
//	Rules   │ /admin/ │ /*.php$ │ /     │ /news     │  size, allow, line, where in text
//	Tags    │ "ad"    │ *".p"   │ –     │ "ne"      │  two octets that it takes
//	Text    │ */admin//*.php$/googlebot/newsSitemaphttps://example.com/s.xml
//
// Most rules that cannot match are ruled out by their tag, without a look at their text.
type Table struct {
	Rules []Rule // by group
	Tags  []Tag  // with room for three more, so that four can be read at each position
	Text  Text
}

// Pattern returns the pattern of a rule, in normal form.
func (t *Table) Pattern(r Rule) string { return t.Text.Part(r.Pattern()) }

// Literal returns the text of a rule before its first wildcard or its anchor.
func (t *Table) Literal(r Rule) string { return t.Text.Literal(r) }

// A Builder collects the rules of a file, in their order, for a Set. The zero Builder is
// ready to use; its slices may be given room.
type Builder struct {
	Text      []byte
	Rules     []Rule
	Tags      []Tag
	spellings []spelling
	long      []Section
}

// Add adds a rule with a pattern as written. The pattern is not empty.
func (b *Builder) Add(line uint32, allow bool, pattern []byte) {
	start := len(b.Text)
	b.Text = syntax.AppendNormal(b.Text, pattern, true)
	b.addLast(line, allow, len(b.Text)-start, 0, pattern[len(pattern)-1] == '$')
	if !bytes.Equal(b.Text[start:], pattern) {
		b.spellings = append(b.spellings, spelling{line, b.Keep(pattern)})
	}
}

// AddPlain adds a rule with a pattern that is in normal form, and not empty. Its first
// literal octets have no wildcard among them.
func (b *Builder) AddPlain(line uint32, allow bool, pattern []byte, literal int) {
	b.Text = append(b.Text, pattern...)
	b.addLast(line, allow, len(pattern), literal, pattern[len(pattern)-1] == '$')
}

// addLast adds a rule whose pattern is the last size octets of the text.
func (b *Builder) addLast(line uint32, allow bool, size, literal int, anchored bool) {
	pattern := b.Text[len(b.Text)-size:]
	var wild bool
	var inner Tag
	if literal < size {
		literal = size
		if anchored {
			literal--
		}
		if star := bytes.IndexByte(pattern, '*'); star >= 0 {
			inner = innerTagOf(pattern[star+1 : literal])
			literal, wild = star, true
		}
	}
	b.Rules = append(b.Rules, newRule(b.since(len(b.Text)-size), line, allow, wild, anchored))
	b.Tags = append(b.Tags, cmp.Or(tagOf(pattern[:literal]), inner, anyTag))
}

// Keep adds a text that is no pattern.
func (b *Builder) Keep(part []byte) Span {
	b.Text = append(b.Text, part...)
	return b.since(len(b.Text) - len(part))
}

func (b *Builder) since(start int) Span {
	return Span{At: uint32(start), Size: uint32(len(b.Text) - start)}
}

// EndGroup adds a group, which has the rules of a section. Groups are added in their
// order.
func (b *Builder) EndGroup(section Section) {
	if section.IsLong() {
		b.long = append(b.long, section)
	}
}

// Room returns the number of bytes that the Builder has room for.
func (b *Builder) Room() int {
	return cap(b.Text) + SizeOf(b.Rules) + SizeOf(b.Tags) + SizeOf(b.spellings) + SizeOf(b.long)
}

// Reset empties the Builder, which keeps its room.
func (b *Builder) Reset() {
	b.Text, b.Rules, b.Tags = b.Text[:0], b.Rules[:0], b.Tags[:0]
	b.spellings, b.long = b.spellings[:0], b.long[:0]
}

// Build fills s with the rules. Their patterns are in text.
func (b *Builder) Build(s *Set, text Text) {
	s.Table = Table{Text: text, Rules: exactly(b.Rules), Tags: exactly(append(b.Tags, 0, 0, 0))[:len(b.Tags)]}
	s.spellings = exactly(b.spellings)
	if len(b.long) > 0 {
		s.indexes = make([]lazyIndex, len(b.long))
		for i, section := range b.long {
			s.indexes[i].first = section.First
		}
	}
}

// Written returns the pattern of a rule as it was added; ok is false if it was in normal
// form.
func (b *Builder) Written(r Rule) (pattern string, ok bool) {
	return writtenIn(b.spellings, Text(View(b.Text)), r)
}

// An index finds the rules of a long group that may match a path: the rules whose literal, the text before
// the first wildcard, begins the path. It has a list of rules for each hash of a literal. The seed is a
// random one, so that nobody can write a file whose rules are all in one list.
//
//	rules    1 /a   2 /b   3 /a*x   4 /ab        hash("/a") = 2, hash("/b") = hash("/ab") = 0
//	first    4  0  3  0                          by hash
//	next     0  0  1  2                          of rule 1, 2, 3, 4
//
// A rule is known by its position in the group, from 1. There are less than 2^16 positions: a rule of a file
// of syntax.MaxSize takes at least eight octets.
type index struct {
	lengths []length // of the literals, from the shortest
	first   []uint16 // by hash: the first rule, or 0
	next    []uint16 // by rule: the next one with the same hash, or 0
	seed    maphash.Seed
}

// A length is a length that the literals of some rules have.
type length struct {
	size uint32
	tags uint64 // the bits of the rules' tags
}

// longGroup is the number of rules above which looking at all tags takes longer than looking up the
// beginnings of a path. With 64 as with 256, random queries about real files take the same time.
const longGroup = 128

// IsLong reports whether a group has so many rules that it is indexed.
func (s Section) IsLong() bool { return s.End-s.First > longGroup }

// bucket returns the hash of a literal.
func (x *index) bucket(literal string) uint64 {
	bucket, _ := bits.Mul64(maphash.String(x.seed, literal), uint64(len(x.first)))
	return bucket
}

func (x *index) size() int { return indexSize + SizeOf(x.lengths) + SizeOf(x.first) + SizeOf(x.next) }

// indexSize is the number of bytes of an index by itself.
const indexSize = int(unsafe.Sizeof(index{}))

// newIndex returns the index of a section.
func newIndex(t *Table, section Section) *index {
	rules, tags := t.Rules[section.First:section.End], t.Tags[section.First:section.End]
	x := &index{first: make([]uint16, len(rules)), next: make([]uint16, len(rules)), seed: maphash.MakeSeed()}
	var seen []uint64 // the bits of tags, by length
	for i, r := range rules {
		literal := t.Literal(r)
		if grow := len(literal) + 1 - len(seen); grow > 0 {
			seen = append(seen, make([]uint64, grow)...)
		}
		seen[len(literal)] |= tags[i].bit()
		first := &x.first[x.bucket(literal)]
		x.next[i], *first = *first, uint16(i+1)
	}
	for size, tags := range seen {
		if tags != 0 {
			x.lengths = append(x.lengths, length{uint32(size), tags})
		}
	}
	x.lengths = exactly(x.lengths)
	return x
}

// A lazyIndex is the index of a long group. The first query about the group makes it: a
// crawler asks about one group of a file. So Parse takes 0.8 of the time.
type lazyIndex struct {
	first uint32 // the group's first rule
	lazy[index]
}

// A lazy value is made when it is first asked for. It is safe for concurrent use.
type lazy[T any] struct {
	once sync.Once
	made *T
}

// get returns the value. It calls make if there is none yet.
func (l *lazy[T]) get(make func() *T) *T {
	l.once.Do(func() { l.made = make() })
	return l.made
}

// exactly returns a copy of s that is no larger than it has to be.
func exactly[T any](s []T) []T { return append([]T(nil), s...) }

// SizeOf returns the number of bytes that s has room for.
func SizeOf[T any](s []T) int {
	var element T
	return cap(s) * int(unsafe.Sizeof(element))
}

// View returns b as a string without a copy. The string is good until b changes, so
// nobody may keep it for longer.
func View(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
