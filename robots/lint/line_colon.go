package lint

import (
	"bytes"
	"unicode"

	"github.com/go-polite/polite/robots/internal/syntax"
)

var missingColon = &check{
	Check:   Check{"missing-colon", Error, "a line without a colon is ignored"},
	example: "user-agent: *\n  disallow /x y",
}

var leftOutColon = &check{
	Check:   Check{"left-out-colon", Warning, "the colon between a known key and its value is missing"},
	example: "user-agent *\ndisallow: /x",
}

var wideColon = &check{
	Check:   Check{"wide-colon", Error, "the key ends in a full-width colon"},
	example: "user-agent: *\ndisallow：/x",
}

var missingKey = &check{
	Check:   Check{"missing-key", Error, "a line begins with its colon"},
	example: "user-agent: *\n : /x",
}

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
