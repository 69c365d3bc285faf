package lint

import (
	"slices"
	"strings"
)

// A namedGroup is a group with the product tokens that its lines name.
type namedGroup struct {
	names      []named
	first, end int  // its rules, in parser.rules
	records    bool // it has some
	empties    int  // its rules without a pattern
	kept       int  // of both, without those that a finding says to leave out
}

// named is a product token, and its line.
type named struct {
	token   string // in lower case
	written []byte
	line    uint32
}

func (n named) isEveryone() bool { return n.token == "*" }

// appendTokens appends the group's tokens, sorted, each of them once.
func (g *namedGroup) appendTokens(dst []string) []string {
	start := len(dst)
	for _, n := range g.names {
		dst = append(dst, n.token)
	}
	slices.Sort(dst[start:])
	return dst[:start+len(slices.Compact(dst[start:]))]
}

// isForGoogle reports whether one of the tokens is "*" or Google's.
func (g *namedGroup) isForGoogle() bool {
	return slices.ContainsFunc(g.names, func(n named) bool {
		return n.token == "*" || strings.HasPrefix(n.token, "googlebot")
	})
}

// A gap is what parts user-agent lines for the eye, and not for crawlers.
type gap uint8

const (
	noGap gap = iota
	blankLine
	otherLine
)
