package match

import (
	"strings"

	"github.com/go-polite/polite/robots/internal/syntax"
)

// A Span is a part of a Text.
type Span struct{ At, Size uint32 }

// A Text is all text of a file, one part after the other: patterns in normal form, the
// same patterns as written if that differs, tokens, and the keys and values of records.
type Text string

// Part returns a part of the text.
func (t Text) Part(s Span) string { return string(t[s.At:][:s.Size]) }

// A Rule is an allow or disallow line with a pattern in normal form. The greater
// of two rules takes precedence: the longer one, then an allow rule (RFC 9309
// §2.2.2), then the one that comes first in the file. Zero is no rule: it says that
// none matched.
//
//	63      43 42    41       23 22       2 1      0
//	┌─────────┬───────┬─────────┬──────────┬──────┬──────────┐
//	│ size    │ allow │ ^line   │ at       │ wild │ anchored │
//	└─────────┴───────┴─────────┴──────────┴──────┴──────────┘
//
// A file of syntax.MaxSize has no more than 2^19 lines, and its text no more than 2^21
// octets: four for each, if all have to be percent-encoded and are kept as written too.
type Rule uint64

const (
	anchoredBit = 1 << 0 // the pattern's final "$" is an anchor
	wildBit     = 1 << 1 // the pattern has a "*"
	atShift     = 2
	lineShift   = 23
	allowBit    = 1 << 42
	sizeShift   = 43
	atMask      = 1<<21 - 1
	lineMask    = 1<<19 - 1
)

func newRule(pattern Span, line uint32, allow, wild, anchored bool) Rule {
	r := Rule(pattern.Size)<<sizeShift | Rule(^line&lineMask)<<lineShift | Rule(pattern.At)<<atShift
	if allow {
		r |= allowBit
	}
	if wild {
		r |= wildBit
	}
	if anchored {
		r |= anchoredBit
	}
	return r
}

// Pattern returns where the rule's pattern is in its file's text.
func (r Rule) Pattern() Span {
	return Span{At: uint32(r>>atShift) & atMask, Size: uint32(r >> sizeShift)}
}

// Line returns the number of the rule's line, from 1.
func (r Rule) Line() uint32 { return ^uint32(r>>lineShift) & lineMask }

// Allow reports whether the rule allows what it matches.
func (r Rule) Allow() bool { return r&allowBit != 0 }

// Wild reports whether the pattern has a wildcard.
func (r Rule) Wild() bool { return r&wildBit != 0 }

// Anchored reports whether the pattern ends in an anchor.
func (r Rule) Anchored() bool { return r&anchoredBit != 0 }

// Shorter returns a rule that has the precedence r would have if its pattern were n
// octets shorter.
func (r Rule) Shorter(n int) Rule { return r - Rule(n)<<sizeShift }

// ahead returns a rule with less precedence than all rules as long as r, and more than
// all shorter ones.
func (r Rule) ahead() Rule { return r &^ (1<<sizeShift - 1) }

// Literal returns the text of r before its first wildcard or its anchor.
func (t Text) Literal(r Rule) string {
	pattern := t.Part(r.Pattern())
	if r.Wild() {
		return pattern[:strings.IndexByte(pattern, '*')]
	}
	if r.Anchored() {
		return pattern[:len(pattern)-1]
	}
	return pattern
}

// matchesWild reports whether a pattern with wildcards matches path, to its end if
// anchored. The literals between wildcards are searched for from left to right. The
// earliest match is as good as any other, so there is no need to go back.
func matchesWild(pattern, path string, anchored bool) bool {
	star := 0 // of the pattern; most begin with one, or with few octets before it
	for ; pattern[star] != '*'; star++ {
		if star == len(path) || path[star] != pattern[star] {
			return false
		}
	}
	at := star
	for {
		pattern = pattern[star+1:]
		if star = strings.IndexByte(pattern, '*'); star < 0 {
			break
		}
		if at = find(path, at, pattern[:star]); at < 0 {
			return false
		}
	}
	if anchored {
		return endsWith(path, at, pattern)
	}
	return find(path, at, pattern) >= 0
}

// find returns the end of the first literal in target that starts at or after
// at, or -1.
func find(target string, at int, literal string) int {
	end := -1
	if i := strings.Index(target[at:], literal); i >= 0 {
		end = at + i + len(literal)
	}
	if from := syntax.QueryFrom(target, at, literal); from >= 0 {
		var room [128]byte
		decoded := syntax.AppendDecoded(room[:0], literal)
		if i := strings.Index(target[from:], View(decoded)); i >= 0 && (end < 0 || from+i+len(decoded) < end) {
			end = from + i + len(decoded)
		}
	}
	return end
}

// endsWith reports whether target ends with a literal that starts at or after at.
func endsWith(target string, at int, literal string) bool {
	if strings.HasSuffix(target[at:], literal) {
		return true
	}
	from := syntax.QueryFrom(target, at, literal)
	if from < 0 {
		return false
	}
	var room [128]byte
	return strings.HasSuffix(target[from:], View(syntax.AppendDecoded(room[:0], literal)))
}
