package lint

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

func (l *linter) checkNonASCII(value []byte) {
	at := slices.IndexFunc(value, func(c byte) bool { return c >= 0x80 })
	last, _ := utf8.DecodeLastRune(value)
	if invalidUTF8(value) < 0 && !isInvisible(last) {
		l.sayf(rawNonASCII, value[at:], "RFC 9309 asks for characters beyond ASCII to be percent-encoded; write %v", quoted(encoded(value))).with(l.encode(value))
	}
}

// checkRaw looks for ASCII characters that no URL has unless percent-encoded.
func (l *linter) checkRaw(value []byte) {
	at := slices.IndexFunc(value, func(c byte) bool { return traits[c]&hasRaw != 0 })
	if value[at] != 0 && expressionAt(value) < 0 && invalidUTF8(value) < 0 {
		advice := fmt.Sprintf("most URLs have %v percent-encoded, and Google's parser does not match these; write %v", quoted(value[at:at+1]), quoted(encoded(value)))
		if brace := bracedIn(value); brace != nil {
			advice += fmt.Sprintf(", unless %v stands for something else", quoted(brace))
		}
		l.doubt(rawOctet, value[at:], advice, isWrittenTwice, l.encode(value))
	}
}

// encode returns the edit that percent-encodes a pattern. It is nil where braces may be a placeholder or a part of an
// expression, or a quotation mark the rest of a pair: once encoded, nobody would notice.
func (l *linter) encode(value []byte) *Edit {
	if bracedIn(value) != nil || bytes.Count(value, []byte(`"`))%2 == 1 {
		return nil
	}
	return l.over(value, string(encoded(value)))
}

// bracedIn returns what a pattern first has between braces, with these, or nil.
func bracedIn(value []byte) []byte {
	from := bytes.IndexByte(value, '{')
	if from < 0 {
		return nil
	}
	end := bytes.IndexByte(value[from:], '}')
	if end < 0 {
		return nil
	}
	return value[from:][:end+1]
}

// isWrittenTwice reports whether the group of r has the same rule in another spelling.
func isWrittenTwice(l *linter, s *match.Set, r match.Rule, _ []match.Rule) bool {
	pattern := s.Pattern(r)
	return l.inGroup(r, func(o match.Rule) bool {
		return o.Allow() == r.Allow() && s.Pattern(o) == pattern && l.written(s, o) != l.written(s, r)
	})
}

// encodedBrackets encodes brackets. Raw and encoded ones differ, as they are reserved (RFC 9309 §2.2.2).
var encodedBrackets = strings.NewReplacer("[", "%5B", "]", "%5D")

// checkBrackets looks for a bracket in a pattern, raw or encoded.
func (l *linter) checkBrackets(value []byte) {
	if expressionAt(value) >= 0 {
		return
	}
	for _, spelling := range [][2]string{{"[", "%5B"}, {"]", "%5D"}, {"%5B", "["}, {"%5b", "["}, {"%5D", "]"}, {"%5d", "]"}} {
		if at := bytes.Index(value, []byte(spelling[0])); at >= 0 {
			l.doubt(bracketSpelling, value[at:], fmt.Sprintf("%q does not match %q, which is the same to most servers; write a rule for each if URLs have both", spelling[0], spelling[1]), hasOtherBrackets, nil)
			return
		}
	}
}

// hasOtherBrackets reports whether the group of r has the same rule with its brackets in the other spelling.
func hasOtherBrackets(l *linter, s *match.Set, r match.Rule, _ []match.Rule) bool {
	pattern := s.Pattern(r)
	return l.inGroup(r, func(o match.Rule) bool {
		return o.Allow() == r.Allow() && s.Pattern(o) != pattern && encodedBrackets.Replace(s.Pattern(o)) == encodedBrackets.Replace(pattern)
	})
}

// checkPercent looks at each "%" of a pattern. It reports only the first one for each
// check.
func (l *linter) checkPercent(value []byte) {
	var seen []*check
	query := false
	for i := 0; i < len(value); i++ {
		query = query || value[i] == '?'
		if value[i] != '%' {
			continue
		}
		if c, found := percentCheck(value, i, query); found && !slices.Contains(seen, c) {
			seen = append(seen, c)
			l.reportPercent(c, value, i)
		}
		if syntax.IsTriplet(value, i) {
			i += 2
		}
	}
}

// percentCheck returns the check that finds something about the "%" at value[i].
func percentCheck(value []byte, i int, query bool) (c *check, found bool) {
	if !syntax.IsTriplet(value, i) {
		return malformedPercent, true
	}
	octet := syntax.Unhex(value[i+1])<<4 | syntax.Unhex(value[i+2])
	switch {
	case octet == '*' || octet == '$':
		return encodedWildcard, true
	case syntax.IsPlain(octet, query) && !syntax.CompletesTriplet(value[:i], octet):
		return encodedPlain, true
	}
	return lowerCaseHex, 'a' <= value[i+1] || 'a' <= value[i+2]
}

func (l *linter) reportPercent(c *check, value []byte, i int) {
	part := value[i:]
	if c == malformedPercent {
		l.say(c, part, "no two hexadecimal digits follow, so this % matches no %25, which most URLs have in its place; write %25 if that is meant")
		return
	}
	triplet := quoted(part[:3])
	octet := quoted([]byte{syntax.Unhex(part[1])<<4 | syntax.Unhex(part[2])})
	switch c {
	case encodedWildcard:
		l.sayf(c, part, "%v matches %v itself by RFC 9309, but Google's parser matches only URLs that have it encoded", triplet, octet)
	case encodedPlain:
		l.doubt(c, part, fmt.Sprintf("%v is the same as %v by RFC 9309, but not for Google's parser; write a rule for each if URLs have both", triplet, octet), isWrittenTwice, nil)
	case lowerCaseHex:
		l.doubt(c, part, fmt.Sprintf("some crawlers take %v for another octet than %v; write upper case", triplet, quoted(bytes.ToUpper(part[:3]))), isWrittenTwice, l.over(part, upperHex(part)))
	}
}

// delimiters decodes the delimiters of which a path may have others, percent-encoded. They differ (RFC 9309 §2.2.2, RFC 3986 §2.2).
var delimiters = strings.NewReplacer("%2F", "/", "%2f", "/", "%3F", "?", "%3f", "?", "%26", "&", "%3D", "=", "%3d", "=")

// checkDelimiters looks for a percent-encoded delimiter where only a path can be, and no URL within it: paths seldom have one.
func (l *linter) checkDelimiters(value []byte) {
	path := value
	if end := bytes.IndexAny(value, "?*"); end >= 0 {
		path = value[:end]
	}
	for at := range path {
		if path[at] != '%' || !syntax.IsTriplet(path, at) {
			continue
		}
		triplet := string(path[at : at+3])
		if one := delimiters.Replace(triplet); one != triplet {
			plain := delimiters.Replace(string(path))
			if !strings.Contains(strings.ReplaceAll(strings.ToUpper(plain), "%3A", ":"), ":/") {
				l.doubt(encodedDelimiter, value[at:], fmt.Sprintf("%q matches no %q, and few paths have it; write %v if that is meant", triplet, one, quoted(plain+string(value[len(path):]))), hasPlainDelimiters, nil)
			}
			return
		}
	}
}

// hasPlainDelimiters reports whether the group of r has the same rule with plain delimiters.
func hasPlainDelimiters(l *linter, s *match.Set, r match.Rule, _ []match.Rule) bool {
	pattern := s.Pattern(r)
	return l.inGroup(r, func(o match.Rule) bool {
		return o.Allow() == r.Allow() && s.Pattern(o) != pattern && delimiters.Replace(s.Pattern(o)) == delimiters.Replace(pattern)
	})
}

// upperHex returns a pattern with all of its percent-encoded octets in upper case.
func upperHex(pattern []byte) string {
	upper := bytes.Clone(pattern)
	for i := range upper {
		if upper[i] == '%' && syntax.IsTriplet(upper, i) {
			copy(upper[i:], bytes.ToUpper(upper[i:i+3]))
		}
	}
	return string(upper)
}
