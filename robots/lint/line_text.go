package lint

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-polite/polite/robots/internal/syntax"
)

var notUTF8 = &check{
	Check:   Check{"not-utf-8", Warning, "a line is not UTF-8"},
	example: "user-agent: *\ndisallow: /soci\xE9t\xE9",
}

var nulFound = &check{
	Check:   Check{"nul", Warning, "a line has a NUL, where Google's parser ends it"},
	example: "user-agent: *\ndisallow: /a\x00b",
}

var invisibleCharacter = &check{
	Check:   Check{"invisible-character", Error, "an invisible character is part of a key, or begins or ends a value"},
	example: "user-agent: *\ndisallow: /x\u00a0",
}

var longLine = &check{
	Check:   Check{"long-line", Warning, "a line is longer than the 16,663 octets that Google's parser reads"},
	example: "user-agent: *\ndisallow: /(a)×16663",
}

// checkText looks at the octets of a line, whatever the line means.
func (l *linter) checkText(kind syntax.Kind, key, value []byte) {
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
		l.say(nulFound, content[at:], "Google's parser ends the line at this NUL; remove it, and see whether the rest of the line is meant")
	}
	l.checkDirection(kind, key, value)
	l.checkInvisible(key)
	if kind != syntax.Other {
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

// invalidUTF8 returns the index of the first octet that is not UTF-8, or -1.
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

// checkInvisible looks for a character at either end of a key or value that looks like
// white space, or like nothing.
func (l *linter) checkInvisible(part []byte) {
	first, _ := utf8.DecodeRune(part)
	last, size := utf8.DecodeLastRune(part)
	switch {
	case isInvisible(first):
		end := len(part) - len(bytes.TrimLeftFunc(part, isInvisible))
		l.sayf(invisibleCharacter, part, "the invisible character %U is read as a part of what follows it; remove it", first).with(l.over(part[:end], ""))
	case isInvisible(last):
		l.sayf(invisibleCharacter, part[len(part)-size:], "the invisible character %U is read as a part of what precedes it; remove it", last).with(l.over(part[len(bytes.TrimRightFunc(part, isInvisible)):], ""))
	}
}

func hasInvisibleEdge(part []byte) bool {
	first, _ := utf8.DecodeRune(part)
	last, _ := utf8.DecodeLastRune(part)
	return isInvisible(first) || isInvisible(last)
}
