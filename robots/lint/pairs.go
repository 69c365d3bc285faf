package lint

import (
	"strings"

	"github.com/go-polite/polite/robots/internal/match"
)

// A pairs is a set of pairs of octets that stand side by side. Several pairs share one of
// its 64 bits. A pattern matches no path that lacks one of its pairs.
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

// neededPairs returns pairs that every path has if a rule matches it. For a pattern with
// a "%" it returns none: the pattern may have another form in a query.
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
