package lint

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/go-polite/polite/robots/internal/syntax"
)

// checkUnread looks at a line that has no key and value.
func (l *linter) checkUnread() {
	content, _, _ := bytes.Cut(l.current, []byte("#"))
	content = syntax.Trim(content)
	if len(content) == 0 {
		if len(syntax.Trim(l.current)) == 0 {
			l.widen(blankLine)
		}
		return
	}
	l.said.anything, l.said.pointless = true, true
	l.widen(otherLine)
	word := content[:syntax.TokenEnd(content, syntax.IsStrictTokenByte)]
	rest := syntax.Trim(content[len(word):])
	kind := syntax.Classify(word)
	switch {
	case content[0] == ':':
		l.say(missingKey, content, `nothing precedes the colon, so the line is ignored; write "Disallow: ", "Allow: " or what is meant`)
	case bytes.HasPrefix(rest, []byte(fullWidthColon)):
		l.reportWideColon(rest)
	case len(rest) == 0 && isRuleKey(word):
		l.sayf(missingColon, content, `the line has no colon and no path, so it is ignored; write "%[1]s: /" if everything is meant, or "%[1]s:" and the path`, rightKeys[kind])
	case kind != syntax.Other:
		l.sayf(missingColon, content, `the line has no colon, so it is ignored; write "%s:" and one value`, rightKeys[kind]).with(l.addColon(kind, content, rest))
	case string(content) == syntax.ByteOrderMark:
		l.checkInvisible(content)
	case isMeantUsage(content):
		l.sayf(missingColon, content, "the line has no colon, so it says nothing about use; write %q", string(word)+":").with(l.over(content[len(word):len(word)], ":"))
	default:
		l.sayf(missingColon, content, "%v is ignored, as it has no colon; write it as a comment, with # before it, if it is one", quoted(content)).with(l.over(content[:0], "# "))
	}
}

// isMeantUsage reports whether a line without a colon is meant to say something about use.
func isMeantUsage(line []byte) bool {
	kind, _, _ := syntax.SplitMeantUsage(line)
	return kind != syntax.Other
}

// addColon returns the edit that writes the colon between a known key and what follows
// it, if that can be a value.
func (l *linter) addColon(kind syntax.Kind, content, rest []byte) *Edit {
	if len(rest) == 0 || rest[0] != '/' && rest[0] != '*' && !syntax.IsDigit(rest[0]) || bytes.ContainsFunc(rest, unicode.IsSpace) {
		return nil
	}
	return l.over(content[:len(content)-len(rest)], rightKeys[kind]+": ")
}

const fullWidthColon = "："

func (l *linter) reportWideColon(at []byte) {
	l.say(wideColon, at, `this full-width colon is no colon to crawlers, so the line does not say what it seems to; write ":"`).with(l.over(at[:len(fullWidthColon)], ":"))
}

// checkKey looks at how a line's key is written.
func (l *linter) checkKey(kind syntax.Kind, key, value []byte) {
	between := l.current[l.offset(key)+len(key) : l.offset(value)]
	switch {
	case kind == syntax.Other:
		l.checkOtherKey(key, value)
	case bytes.IndexByte(between, ':') < 0:
		l.sayf(leftOutColon, between, `the colon is missing: many crawlers ignore the line; write "%s: %s"`, rightKeys[kind], clipped(value)).with(l.over(l.current[l.offset(key):l.offset(value)], rightKeys[kind]+": "))
	case !isRightKey(kind, key):
		l.sayf(misspelledKey, key, "%v is read as %s by some crawlers only; write %q", quoted(key), rightKeys[kind], rightKeys[kind]).with(l.over(key, rightKeys[kind]))
	}
}

// findsJoined looks for a second record in a value, and reports whether there is one.
func (l *linter) findsJoined(value []byte) bool {
	at := secondRecord(value)
	if at >= 0 {
		l.grave = Error
		l.sayf(joinedLines, value[at:], "%v is not read here; write it in a line of its own", quoted(value[at:])).with(l.ownLine(value[at:]))
	}
	return at >= 0
}

// ownLine returns the edit that ends the line before a second record, unless that would
// leave the first without a value.
func (l *linter) ownLine(record []byte) *Edit {
	at := l.offset(record)
	first := len(bytes.TrimRight(l.current[:at], " \t\v\f"))
	if l.current[first-1] == ':' {
		return nil
	}
	return l.over(l.current[first:at], l.newLine())
}

// secondRecord returns the index in a value of a known key with a colon, or -1.
func secondRecord(value []byte) int {
	if bytes.IndexByte(value, ':') < 0 {
		return -1 // as for most values
	}
	for at := range value {
		if syntax.IsSpace(value[at]) || at > 0 && !syntax.IsSpace(value[at-1]) {
			continue // not the beginning of a word
		}
		word := value[at:][:syntax.TokenEnd(value[at:], syntax.IsStrictTokenByte)]
		rest := syntax.Trim(value[at+len(word):])
		if len(rest) > 0 && rest[0] == ':' && syntax.Classify(word) != syntax.Other {
			return at
		}
	}
	return -1
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

// checkDirection looks for characters with which a line is shown in another order than it is
// read (UAX #9). At the ends of what crawlers read, checkInvisible finds them.
func (l *linter) checkDirection(kind syntax.Kind, key, value []byte) {
	key = bytes.TrimFunc(key, isInvisible)
	if kind != syntax.Other {
		value = bytes.TrimFunc(value, isInvisible)
	}
	for _, part := range [][]byte{key, value} {
		if at := bytes.IndexFunc(part, isDirection); at >= 0 {
			first, _ := utf8.DecodeRune(part[at:])
			l.sayf(directionCharacter, part[at:], "editors show the line in another order than crawlers read it, because of the character %U; remove it, or percent-encode it if URLs have it", first)
			return
		}
	}
}

// isInvisible reports whether r is white space beyond ASCII, or has no width.
func isInvisible(r rune) bool {
	switch r {
	case 0x85, 0xA0, 0x1680, 0x202F, 0x205F, 0x3000, 0xFEFF, 0xAD, 0x2060:
		return true
	}
	return 0x2000 <= r && r <= 0x200F || 0x2028 <= r && r <= 0x2029 || isDirection(r)
}

// isDirection reports whether r changes the direction of the text around it.
func isDirection(r rune) bool {
	return r == 0x61C || r == 0x200E || r == 0x200F || 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069
}
