package match

import (
	"math/bits"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
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
	x := s.indexOf(section)
	bit := tagOf(p.path).bit()
	for _, length := range x.lengths {
		if int(length.size) > len(p.path) {
			break
		}
		if length.tags&bit != 0 {
			p.steps += int(length.size)/octetsAStep + 1
			best = s.pick(section, int(length.size), x.in(x.bucket(p.path[:length.size])), p, best)
		}
	}
	return best
}

// Prepare makes the index that the first query about a section would make. Call it before
// you change the rules.
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

// pick is scan for those rules at some positions of a section whose literals have a size. Others share
// the bucket by chance, and have their turn at their own size.
func (s *Set) pick(section Section, size int, positions []uint16, p *Path, best Rule) Rule {
	p.steps += len(positions)
	begins := tagOf(p.path)
	rules, tags := s.Rules[section.First:section.End], s.Tags[section.First:section.End]
	for _, i := range positions {
		if tag := tags[i]; tag != begins && (tag&innerTag == 0 || !p.mayHave(tag)) {
			continue
		}
		if r := rules[i]; r > best && len(s.Literal(r)) == size && s.Matches(r, p) {
			best = r
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
	literal := s.Literal(r) // it may be another's, since rules of an index share buckets by chance
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

// NewWalk returns a walk over a path that is overspent, for rules that take precedence
// over best.
func (s *Set) NewWalk(p *Path, best Rule) *Walk {
	x := s.literals.get(func() *literals {
		x := newLiterals(&s.Table)
		s.grown.Add(int64(x.size()))
		return x
	})
	return x.newWalk(&s.Table, p.path, best)
}
