package robots

import (
	"bytes"
	"unicode/utf8"
)

// said is what the lines of a file have been so far.
type said struct {
	anything  bool                  // but blank lines and comments
	pointless bool                  // something that no crawler reads
	lineEnd   string                // of the first line
	rules     int                   // with a pattern
	delays    [requestRate + 1]bool // which kinds have been given since the last user-agent line
	unknown   check                 // of the last record that is not known
}

// isOtherFormat reports whether the file is something else than a robots.txt, of
// which there is no more to say.
func (l *linter) isOtherFormat(body []byte) bool {
	switch {
	case isUTF16(body) && !namesAnyone(body):
		l.report(utf16Found, 1, 1, "the file is UTF-16, in which crawlers find no rules: everything is allowed; save it as UTF-8")
	case isHTML(body) && !namesAnyone(body):
		l.report(htmlFound, 1, 1, "the file is a web page, in which crawlers find no rules: everything is allowed; serve plain text, or answer 404 if there is no robots.txt")
	default:
		return false
	}
	return true
}

// isUTF16 reports whether body begins with UTF-16's byte order mark, or with two
// ASCII characters in it.
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

// namesAnyone reports whether there are groups in body, whatever it is else.
func namesAnyone(body []byte) bool { return len(Parse(body).agents) > 0 }

// isHTML reports whether body begins with a tag.
func isHTML(body []byte) bool {
	text := trim(body[markSize(body):])
	if len(text) < 2 || text[0] != '<' {
		return false
	}
	c := text[1]
	return c == '!' || c == '?' || 'a' <= lower(c) && lower(c) <= 'z'
}

func (l *linter) checkFile(truncated bool) {
	switch {
	case truncated:
		l.report(tooLarge, int(l.line)+1, 1, "from here on the file is ignored, as it is larger than 500 KiB; make it shorter")
	case !l.said.anything:
		l.report(emptyFile, 1, 1, "the file says nothing: everything is allowed")
	case l.group == noGroup && l.said.pointless && l.counts[ruleOutsideGroup] == 0:
		l.report(noGroupAtAll, 1, 1, `the file has no user-agent line, and so no rules: everything is allowed; begin with "User-agent: *"`)
	}
}

// checkLineEnd looks at how the current line ends, unless it is the last.
func (l *linter) checkLineEnd(end, rest []byte) {
	switch {
	case len(rest) == 0:
	case string(end) == "\r":
		l.sayOnce(loneReturn, "the line ends in a carriage return alone, where some crawlers do not end it; end lines with a line feed")
	case l.said.lineEnd == "":
		l.said.lineEnd = string(end)
	case l.said.lineEnd != string(end):
		l.sayOnce(mixedLineEnds, "the line ends in another way than those before, which editors and tools may get wrong; end all with a line feed")
	}
}

// sayOnce reports a finding at the end of the current line, if it is the first.
func (l *linter) sayOnce(c check, message string) {
	if l.counts[c] == 0 {
		l.say(c, l.current[len(l.current):], message)
	}
}

// checkText looks at the octets of a line, whatever it means.
func (l *linter) checkText(kind kind, key, value []byte) {
	l.said.anything = true
	content := l.current[:l.offset(value)+len(value)]
	l.checkLength(content)
	if isASCIIText(content) {
		return
	}
	if at := invalidUTF8(content); at >= 0 {
		l.say(notUTF8, content[at:], "the line is not UTF-8 from here on, so that crawlers may read it in different ways; save the file as UTF-8")
	}
	if at := bytes.IndexByte(content, 0); at >= 0 {
		l.say(nulFound, content[at:], "Google's parser ends the line at this NUL; remove it")
	}
	l.checkInvisible(key)
	if kind != other {
		l.checkInvisible(value)
	}
}

func (l *linter) checkLength(content []byte) {
	const longest = 16663 // octets that Google's parser reads of a line
	if len(content) > longest {
		l.sayf(longLine, content[longest:], "Google's parser ignores the rest of the line from here on; make it shorter than %d octets", longest)
	}
}

// isASCIIText reports whether b has printable characters and tabs only.
func isASCIIText(b []byte) bool {
	for _, c := range b {
		if c >= 0x7F || c < ' ' && c != '\t' {
			return false
		}
	}
	return true
}

// invalidUTF8 returns the place of the first octet that is not UTF-8, or -1.
func invalidUTF8(b []byte) int {
	for at := 0; at < len(b); {
		r, size := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// checkInvisible looks for characters round a key or value that look like white
// space, or like nothing.
func (l *linter) checkInvisible(part []byte) {
	first, _ := utf8.DecodeRune(part)
	last, size := utf8.DecodeLastRune(part)
	switch {
	case isInvisible(first):
		l.sayf(invisibleCharacter, part, "the invisible character %U is read as a part of what follows it; remove it", first)
	case isInvisible(last):
		l.sayf(invisibleCharacter, part[len(part)-size:], "the invisible character %U is read as a part of what precedes it; remove it", last)
	}
}

func hasInvisibleEdge(part []byte) bool {
	first, _ := utf8.DecodeRune(part)
	last, _ := utf8.DecodeLastRune(part)
	return isInvisible(first) || isInvisible(last)
}

// isInvisible tells white space that is not ASCII's, and characters of no width.
func isInvisible(r rune) bool {
	switch r {
	case 0x85, 0xA0, 0x1680, 0x202F, 0x205F, 0x3000, 0xFEFF, 0xAD, 0x2060:
		return true
	}
	return 0x2000 <= r && r <= 0x200F || 0x2028 <= r && r <= 0x202E
}
