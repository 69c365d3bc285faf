package robots

import (
	"cmp"
	"slices"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// sortAgents orders the agents, so that all groups for a token stand together.
func (f *File) sortAgents() {
	for i := range f.agents {
		f.agents[i].key = keyOf(f.str(f.agents[i].token))
	}
	if len(f.agents) < 2 {
		return
	}
	shortened := f.shortened()
	slices.SortFunc(f.agents, func(a, b agent) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		if order := syntax.CompareFold(f.str(a.token), f.str(b.token)); order != 0 {
			return order
		}
		if a.group != b.group {
			return cmp.Compare(a.group, b.group)
		}
		return cmp.Compare(a.token.At, b.token.At)
	})
	f.mergeAgents(shortened)
}

// mergeAgents makes one agent of those that a group names twice, with the first one's
// delay. It keeps the token as a line writes it, rather than a shortened one.
func (f *File) mergeAgents(shortened []uint32) {
	isShort := func(a agent) bool {
		_, found := slices.BinarySearch(shortened, a.token.At)
		return found
	}
	merged := f.agents[:1]
	for _, a := range f.agents[1:] {
		last := &merged[len(merged)-1]
		switch same := a.key == last.key && a.group == last.group && syntax.CompareFold(f.str(a.token), f.str(last.token)) == 0; {
		case !same:
			merged = append(merged, a)
		case isShort(*last) && !isShort(a):
			last.token = a.token
		}
	}
	if len(merged) < len(f.agents) {
		f.agents = slices.Clip(slices.Clone(merged))
	}
}

// shortened returns the places of the tokens that shorten the one before. The agents
// are still in the order of the file.
func (f *File) shortened() (at []uint32) {
	for i := 1; i < len(f.agents); i++ {
		if f.shortens(f.agents[i].token, f.agents[i-1].token) {
			at = append(at, f.agents[i].token.At)
		}
	}
	return at
}

// shortens reports whether token is the short form of long, kept just after it: how a
// crawler with a token as in RFC 9309 reads the same line.
func (f *File) shortens(token, long match.Span) bool {
	return token.At == long.At+long.Size && syntax.TokenEnd(f.str(long), syntax.IsStrictTokenByte) == int(token.Size) && token.Size < long.Size
}
