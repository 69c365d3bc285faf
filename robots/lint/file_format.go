package lint

import (
	"bytes"

	"github.com/go-polite/polite/robots/internal/syntax"
)

var compressedFound = &check{
	Check:   Check{"compressed", Error, "the file is compressed, and so has no rules"},
	example: "\x1F\x8B\b\x00",
}

var utf16Found = &check{
	Check:   Check{"utf-16", Error, "the file is UTF-16, and so has no rules"},
	example: "\xFF\xFEu\x00s\x00",
}

var htmlFound = &check{
	Check:   Check{"html", Error, "the file is a web page, and so has no rules"},
	example: "<!DOCTYPE html>\n<title>x: y</title>",
}

var otherFormat = &check{
	Check:   Check{"no-robots-txt", Error, "the file is of another kind, and so has no rules"},
	example: "{\"error\": 404}",
}

// isOtherFormat reports whether the file has another format. Then it gets no other
// findings.
func (l *linter) isOtherFormat(body []byte) bool {
	switch what := Format(body); what {
	case "":
		return false
	case gzip:
		l.report(compressedFound, 1, 1, `the file is compressed (gzip), and crawlers find no rules in it: everything is allowed; serve it with "Content-Encoding: gzip", or as plain text`)
	case utf16:
		l.report(utf16Found, 1, 1, "the file is UTF-16, in which crawlers find no rules: everything is allowed; save it as UTF-8")
	case html:
		l.report(htmlFound, 1, 1, "the file is a web page, in which crawlers find no rules: everything is allowed; serve plain text, or answer 404 if there is no robots.txt")
	default:
		l.report(otherFormat, 1, 1, "this is no robots.txt but "+what+", in which crawlers find no rules: everything is allowed; serve plain text, or answer 404 if there is no robots.txt")
	}
	return true
}

const (
	gzip  = "compressed (gzip)"
	utf16 = "UTF-16"
	html  = "a web page"
)

// Format names the format of a file that cannot be a robots.txt: "a web page", "UTF-16", "compressed
// (gzip)", "a PDF", "JSON or the like" or "no text". Crawlers find no rules in such a file. Format returns
// "" if body may be a robots.txt.
func Format(body []byte) string {
	switch {
	case isCompressed(body):
		return gzip
	case isUTF16(body) && !namesAnyone(body):
		return utf16
	case isHTML(body) && !namesAnyone(body):
		return html
	}
	if kind := otherKind(body); kind != "" && !hasKnownKey(body) {
		return kind
	}
	return ""
}

// otherKind names the kind of a file whose beginning is no text, or a text for programs. It is "" for
// others.
func otherKind(body []byte) string {
	text := syntax.Trim(body[syntax.MarkSize(body):])
	switch {
	case bytes.HasPrefix(text, []byte("%PDF-")):
		return "a PDF"
	case len(text) > 0 && (text[0] == '{' || text[0] == '['):
		return "JSON or the like"
	case bytes.ContainsFunc(body[:min(len(body), 512)], func(r rune) bool { return r < ' ' && !syntax.IsSpace(byte(r)) }):
		return "no text"
	}
	return ""
}

// hasKnownKey reports whether a line of body has a key that crawlers read.
func hasKnownKey(body []byte) bool {
	for line := range syntax.Lines(body[syntax.MarkSize(body):]) {
		if key, _, ok := syntax.Split(line.Text); ok && (syntax.Classify(key) != syntax.Other || syntax.ClassifyUsage(key) != syntax.Other) {
			return true
		}
	}
	return false
}

// isCompressed reports whether body begins as gzip does (RFC 1952 §2.3).
func isCompressed(body []byte) bool { return bytes.HasPrefix(body, []byte("\x1F\x8B\b")) }

// isUTF16 reports whether body begins with a byte order mark of UTF-16, or with two
// ASCII characters in UTF-16.
func isUTF16(body []byte) bool {
	if bytes.HasPrefix(body, []byte("\xFF\xFE")) || bytes.HasPrefix(body, []byte("\xFE\xFF")) {
		return true
	}
	if len(body) < 4 {
		return false
	}
	littleEndian := body[0] != 0 && body[1] == 0 && body[2] != 0 && body[3] == 0
	bigEndian := body[0] == 0 && body[1] != 0 && body[2] == 0 && body[3] != 0
	return littleEndian || bigEndian
}

// namesAnyone reports whether body has a user-agent line that names a crawler: then it
// is read as a robots.txt, whatever its format.
func namesAnyone(body []byte) bool {
	for line := range syntax.Lines(body[syntax.MarkSize(body):]) {
		if key, value, ok := syntax.Split(line.Text); ok && syntax.Classify(key) == syntax.UserAgent {
			if token, _ := syntax.Tokens(value); len(token) > 0 {
				return true
			}
		}
	}
	return false
}

// isHTML reports whether body begins with a tag.
func isHTML(body []byte) bool {
	text := syntax.Trim(body[syntax.MarkSize(body):])
	if len(text) < 2 || text[0] != '<' {
		return false
	}
	c := text[1]
	return c == '!' || c == '?' || 'a' <= syntax.Lower(c) && syntax.Lower(c) <= 'z'
}
