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

// Cause returns the first cause for which a verdict on c may differ from
// Google's, given the body of the robots.txt; "" if there is none.
func (c Case) Cause(body []byte) Cause {
	for _, d := range differences {
		if d.applies(c, body) {
			return d.cause
		}
	}
	return ""
}

var differences = []struct {
	cause   Cause
	applies func(c Case, body []byte) bool
}{
	{"product token with digits or dots", func(c Case, _ []byte) bool {
		return robots.IsProductToken(c.Agent) && strings.ContainsAny(c.Agent, "0123456789.")
	}},
	{"/robots.txt is always allowed", func(c Case, _ []byte) bool { return robotsTxt.MatchString(c.URL) }},
	{"file of more than 500 KiB", func(_ Case, body []byte) bool { return len(body) > robots.MaxSize }},
	{"unreserved character percent-encoded in the URL", inURL(`%(2[DdEe]|3[0-9]|4[1-9A-Fa-f]|5[0-9AaFf]|6[1-9A-Fa-f]|7[0-9AaEe])`)},
	{"lower-case hexadecimal digit in the URL", inURL(`%([a-f].|.[a-f])`)},
	{"non-ASCII character in the URL", inURL(`[^\x00-\x7F]`)},
	{"space or control in the URL", inURL(`[\x00-\x20\x7F]|%([01].|20|7F)`)},
	{"one of \"<>\\^`{|} in the URL", inURL("[\"<>\\\\^`{|}]|%(22|3[CE]|5[CE]|60|7[BCD])")},
	{"* or $ percent-encoded", inURL(`%2[4A]`)},
	{": / ? @ percent-encoded in the query", inURL(`\?.*%(3A|2F|3F|40)`)},
	{"allow rule for index.htm", func(c Case, body []byte) bool {
		return c.Allowed && strings.HasSuffix(c.URL, "/") && bytes.Contains(body, []byte("/index.htm"))
	}},
	{"NUL in the file", func(_ Case, body []byte) bool { return bytes.IndexByte(body, 0) >= 0 }},
}

var robotsTxt = regexp.MustCompile(`^[a-z]+://[^/?#]*/robots\.txt(#|$)`)

func inURL(pattern string) func(Case, []byte) bool {
	re := regexp.MustCompile(pattern)
	return func(c Case, _ []byte) bool { return re.MatchString(c.URL) }
}
