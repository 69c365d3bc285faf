package lint

import (
	"slices"
	"strings"
)

// A namedGroup is a group with the product tokens that its lines name.
type namedGroup struct {
	names      []named
	first, end int  // the indices of its rules in linter.read.Rules
	records    bool // it has records
	empties    int  // how many rules without a pattern it has
	kept       int  // how many rules remain if the author follows the findings
	delayed    int  // how many of the names have a delay
}

// named is a product token that a user-agent line names.
type named struct {
	token   string // in lower case
	written []byte
	line    uint32
}

func (n named) isEveryone() bool { return n.token == "*" }

// appendTokens appends the group's tokens to dst, sorted and each only once.
func (g *namedGroup) appendTokens(dst []string) []string {
	start := len(dst)
	for _, n := range g.names {
		dst = append(dst, n.token)
	}
	slices.Sort(dst[start:])
	return dst[:start+len(slices.Compact(dst[start:]))]
}

// isForGoogle reports whether one of the tokens is "*" or one of Google's.
func (g *namedGroup) isForGoogle() bool {
	return slices.ContainsFunc(g.names, func(n named) bool {
		return n.token == "*" || strings.HasPrefix(n.token, "googlebot")
	})
}

// A divider separates two user-agent lines for a reader, but not for a crawler.
type divider uint8

const (
	noDivider divider = iota
	blankLine
	otherLine
)
