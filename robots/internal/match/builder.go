package match

import (
	"bytes"
	"cmp"

	"github.com/go-polite/polite/robots/internal/syntax"
)

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
