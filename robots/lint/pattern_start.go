package lint

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-polite/polite/robots/internal/match"
)

var patternWithoutSlash = &check{
	Check:   Check{"pattern-without-slash", Error, "a pattern begins with neither / nor *"},
	example: "user-agent: *\ndisallow: x",
}

var urlAsPattern = &check{
	Check:   Check{"url-as-pattern", Error, "a pattern is a whole URL"},
	example: "user-agent: *\ndisallow: HTTPS://example.com/x",
}

func (l *linter) reportBadStart(value []byte) {
	first, _ := utf8.DecodeRune(value)
	plain := withoutExpression(value)
	switch {
	case isInvisible(first) || l.findsJoined(value):
	case first == '<' && isWebURL(value[1:]):
		l.reportURL(bytes.TrimRight(value[1:], ">"))
	case strings.ContainsRune(quotationMarks, first):
		l.say(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/"; leave the quotation marks out`).with(l.unquote(value, strings.Trim(string(value), quotationMarks)))
	case string(value) == "$":
		l.say(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/"; write "/$" for the home page alone`).with(l.over(value[:0], "/"))
	case isWebURL(value) || beginsWithHost(value):
		l.reportURL(value)
	case value[0] == '\\':
		slashed := bytes.ReplaceAll(value, []byte(`\`), []byte("/"))
		l.sayf(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/"; write %v`, quoted(slashed)).with(l.over(value, string(slashed)))
	case (plain[0] == '/' || plain[0] == '*') && expressionAt(plain) < 0:
		l.sayf(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/", and a pattern is no regular expression; write %v`, quoted(plain)).with(l.over(value[:len(value)-len(plain)], ""))
	case expressionAt(value) >= 0:
		l.say(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/", and a pattern is no regular expression; write the beginning of the paths, and * for any text`)
	default:
		l.sayf(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/"; write %v, or %v for any folder`, quoted("/"+string(value)), quoted(anywhere(value)))
	}
}

const quotationMarks = "\"'“”„‘’«»"

// unquote returns the edit that writes plain in place of value, if it is a pattern.
func (l *linter) unquote(value []byte, plain string) *Edit {
	if plain == "" || plain[0] != '/' && plain[0] != '*' {
		return nil
	}
	return l.over(value, plain)
}

// reportURL reports a pattern that is a URL, with or without its scheme.
func (l *linter) reportURL(value []byte) {
	rest := value
	if isWebURL(value) {
		_, rest, _ = bytes.Cut(value, []byte("//"))
	}
	path := rest[len(rest):]
	if slash := bytes.IndexByte(rest, '/'); slash >= 0 {
		path = rest[slash:]
	}
	if isEverything(match.View(path)) {
		l.say(urlAsPattern, value, "the rule matches nothing, as a pattern is a path; a rule for another host has to stand in the robots.txt of that host")
		return
	}
	advice := "what follows the host"
	if len(path) <= longestQuote {
		advice = quoted(path).String()
	}
	l.sayf(urlAsPattern, value, "the rule matches nothing, as a pattern is a path; write %s if the host is this one", advice)
}

// anywhere returns a pattern that matches value in any folder: only as a whole name, if
// it begins as a name does.
func anywhere(value []byte) string {
	if !beginsName(value) {
		return "*" + string(value)
	}
	return "*/" + string(value)
}

// beginsName reports whether value looks like the beginning of a path, without its slash.
func beginsName(value []byte) bool {
	return isStrictOrDigit(value[0]) && bytes.IndexByte(value, '=') < 0
}
