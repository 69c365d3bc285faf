package corpus

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/go-polite/polite/robots"
)

// A Cause is a rule that Google's open-source parser does not follow as
// RFC 9309 and Google's own documentation state it.
type Cause string

// Causes lists all of them, the narrowest first.
func Causes() []Cause {
	causes := make([]Cause, len(differences))
	for i, d := range differences {
		causes[i] = d.cause
	}
	return causes
}

// Cause returns the first cause for which a verdict on c may differ from Google's, given
// the body of the robots.txt. If there is no such cause, it returns "".
func (c Case) Cause(body []byte) Cause {
	for _, d := range differences {
		if d.applies(c, body) {
			return d.cause
		}
	}
	return ""
}

// differences lists the causes as the documentation of package robots does, each with
// a condition that all its cases meet.
var differences = []struct {
	cause   Cause
	applies condition
}{
	{"product token with digits or dots", func(c Case, _ []byte) bool {
		return robots.IsProductToken(c.Agent) && strings.ContainsAny(c.Agent, "0123456789.")
	}},
	{"/robots.txt is always allowed", inURL(`^([^/?;#]*://)?[^/?;#]*/robots\.txt(#|$)`)},
	{"file of more than 500 KiB", func(_ Case, body []byte) bool { return len(body) > robots.MaxSize }},
	{"unreserved character percent-encoded", either(inURL(unreserved), inFile(unreserved))},
	{"lower-case hexadecimal digit in the URL", inURL(`%([a-f].|.[a-f])`)},
	{"non-ASCII character in the URL", inURL(`[^\x00-\x7F]`)},
	{"space or control in the URL", inURL(`[\x00-\x20\x7F]|%([01].|20|7F)`)},
	{"one of \"<>\\^`{|} in the URL", inURL("[\"<>\\\\^`{|}]|%(22|3[CE]|5[CE]|60|7[BCD])")},
	{"* or $ percent-encoded", either(inURL(`%2[4A]`), both(inURL(`[*$]`), inFile(`%`)))},
	{": / ? @ percent-encoded in the query", either(inURL(`\?.*%(3A|2F|3F|40)`), both(inURL(`\?.*[:/?@]`), inFile(`%(3A|2F|3F|40)`)))},
	{"allow rule for index.htm", both(inURL(`/(#|$)|^[^/?;#]*(://[^/?;#]*)?(#|$)`), inFile(`/index\.htm`))},
	{"key that begins as a known one", longerKey},
	{"line of more than 16,663 octets", longLine},
	{"NUL in the file", inFile(`\x00`)},
	{"; in the authority", inURL(`^[^/?;]*://[^/?]*;`)},
	{"path that begins with //", inURL(`^//`)},
}

const unreserved = `(?i)%(2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])`

// A condition reports whether a case may have a cause, given its robots.txt.
type condition func(c Case, body []byte) bool

func inURL(pattern string) condition {
	re := regexp.MustCompile(pattern)
	return func(c Case, _ []byte) bool { return re.MatchString(c.URL) }
}

func inFile(pattern string) condition {
	re := regexp.MustCompile("(?i)" + pattern)
	return func(_ Case, body []byte) bool { return re.Match(body) }
}

func either(a, b condition) condition {
	return func(c Case, body []byte) bool { return a(c, body) || b(c, body) }
}

func both(a, b condition) condition {
	return func(c Case, body []byte) bool { return a(c, body) && b(c, body) }
}

// knownKey matches each text that Google's parser takes for the key of a rule or a
// user-agent line. The group is the part of the key that the parser does not look at.
var knownKey = regexp.MustCompile(`(?i)^(?:user[- ]?agent|allow|diss?al?low|diasllow|disallaw)(.*)$`)

func longerKey(_ Case, body []byte) bool {
	for _, line := range robots.Lines(body) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		line = bytes.Trim(line, " \t\v\f")
		end := bytes.IndexByte(line, ':')
		if end < 0 {
			end = max(0, bytes.IndexAny(line, " \t"))
		}
		if m := knownKey.FindSubmatch(bytes.TrimRight(line[:end], " \t\v\f")); m != nil && len(m[1]) > 0 {
			return true
		}
	}
	return false
}

func longLine(_ Case, body []byte) bool {
	for _, line := range robots.Lines(body) {
		if len(line) > 16_663 {
			return true
		}
	}
	return false
}
