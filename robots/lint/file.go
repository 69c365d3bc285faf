package lint

import (
	"bytes"

	"github.com/go-polite/polite/robots/internal/syntax"
)

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

// manyRulesInAll is the number of rules that probably all crawlers read.
const manyRulesInAll = 5000

func (l *linter) checkFile(truncated bool) {
	switch {
	case truncated:
		l.report(tooLarge, int(l.line)+1, 1, "from here on the file is ignored, as it is larger than 500 KiB; make it shorter")
	case !l.said.anything:
		l.report(emptyFile, 1, 1, "the file says nothing: everything is allowed")
	case len(l.groups) == 0 && l.said.pointless && !l.said.outside:
		l.report(noGroupAtAll, 1, 1, `the file has no user-agent line, and so no rules: everything is allowed; begin with "User-agent: *"`).with(l.begin("User-agent: *"))
	}
}

// checkMark looks at the byte order mark. The file has size octets of it.
func (l *linter) checkMark(size int) {
	edit := &Edit{To: size} // and each mark that would then begin the file
	for more := size; more > 0; edit.To += more {
		more = syntax.MarkSize(l.body[edit.To:])
	}
	if l.isWithin(edit.To) {
		edit = nil // a character begins as a mark does
	}
	switch size {
	case 0:
	case len(syntax.ByteOrderMark):
		l.report(byteOrderMarkFound, 1, 1, "the file begins with a byte order mark, which some crawlers take for a part of the first line; save it as UTF-8 without one").with(edit)
	default:
		l.report(byteOrderMarkFound, 1, 1, "the file begins with a part of a byte order mark, which some crawlers take for a part of the first line; remove it").with(edit)
	}
	if edit != nil && edit.To > size { // a mark after the first is a part of the first key, which is read without it
		edit.Changes = true
	}
}

// begin returns the edit that writes a line above all others. It is nil if the first
// character of the file begins as a byte order mark does.
func (l *linter) begin(line string) *Edit {
	at := l.margin(1)
	if l.isWithin(at) {
		return nil
	}
	return &Edit{From: at, To: at, Text: line + l.newLine()}
}

// checkLineEnd looks at how the current line ends. It is not called for the last one.
func (l *linter) checkLineEnd(end []byte) {
	switch {
	case string(end) == "\r":
		l.sayOnce(loneReturn, "the line ends in a carriage return alone, where some crawlers do not end it; end lines with a line feed")
	case l.said.lineEnd == "":
		l.said.lineEnd = string(end)
	case l.said.lineEnd != string(end):
		l.sayOnce(mixedLineEnds, "the line ends in another way than those before, which editors and tools may get wrong; end all with a line feed")
	}
}
