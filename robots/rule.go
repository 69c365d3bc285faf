package robots

import "github.com/go-polite/polite/robots/internal/syntax"

// A Rule is an allow or disallow line with a pattern. The zero Rule is none.
type Rule struct {
	Allow   bool
	Pattern string // as written
	Line    int    // from 1
}

// String returns the rule as a line of robots.txt, or "" for the zero Rule. The
// pattern is text that the site wrote: print it with %q where it must not act on a
// terminal.
func (r Rule) String() string {
	if r == (Rule{}) {
		return ""
	}
	if r.Allow {
		return "allow: " + r.Pattern
	}
	return "disallow: " + r.Pattern
}

// Len returns the length of the pattern as precedence counts it (RFC 9309 §2.2.2): the
// number of octets of its normal form, with "*" and "$".
func (r Rule) Len() int { return len(syntax.AppendNormal(nil, r.Pattern, true)) }
