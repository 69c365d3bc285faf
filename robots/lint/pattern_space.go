package lint

import (
	"bytes"

	"github.com/go-polite/polite/robots/internal/syntax"
)

var twoPatterns = &check{
	Check:   Check{"two-patterns", Error, "a rule has two patterns"},
	example: "user-agent: *\ndisallow: /a /b",
}

var spaceInPattern = &check{
	Check:   Check{"space-in-pattern", Warning, "a pattern has a space"},
	example: "user-agent: *\ndisallow: /a b",
}

func (l *linter) checkSpace(value []byte) {
	at := bytes.IndexAny(value, " \t")
	rest := syntax.Trim(value[at:])
	if l.findsJoined(rest) {
		return
	}
	if bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/* ")) || bytes.HasPrefix(rest, []byte("<!--")) {
		l.sayf(twoPatterns, rest, "%v is no comment to crawlers, so the rule matches only paths with a space in them; write # before a comment", quoted(rest)).with(l.over(rest[:0], "# "))
		return
	}
	if rest[0] == '/' || rest[0] == '*' {
		l.sayf(twoPatterns, rest, "a rule has one pattern, so this one matches only paths with a space in them; write a rule for %v", quoted(rest)).with(l.eachPattern(value[at:]))
		return
	}
	l.say(spaceInPattern, value[at:], "the space is a part of the pattern, and so is what follows; write %20 if that is meant, and # before a comment")
}

// eachPattern returns the edit that writes a rule for each of the patterns in list.
func (l *linter) eachPattern(list []byte) *Edit {
	key, _, _ := syntax.Split(l.current)
	return l.eachOf(list, string(key), " \t\v\f", "", func(pattern string) bool { return pattern[0] == '/' || pattern[0] == '*' })
}
