package lint

import (
	"strings"

	"github.com/go-polite/polite/robots/internal/match"
)

// A pairs is a set of two octets that stand together, with one bit of 64 for several of
// them. A pattern matches no path that lacks one of its pairs.
type pairs uint64

// pairsOf returns the pairs of a text. A "*" is part of none.
func pairsOf(text string) (set pairs) {
	for i := 1; i < len(text); i++ {
		if a, b := text[i-1], text[i]; a != '*' && b != '*' {
			set |= 1 << ((7*a + 11*b) & 63)
		}
	}
	return set
}

// neededPairs returns the pairs that all paths have that a rule matches. Of a pattern with
// a "%" none is known: it may have another form in a query.
func neededPairs(s *match.Set, r match.Rule) pairs {
	pattern := s.Pattern(r)
	if strings.Contains(pattern, "%") {
		return 0
	}
	if r.Anchored() {
		pattern = pattern[:len(pattern)-1]
	}
	return pairsOf(pattern)
}
