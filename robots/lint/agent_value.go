package lint

import (
	"bytes"
	"strings"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/crawlers"
	"github.com/go-polite/polite/robots/internal/syntax"
)

var emptyUserAgent = &check{
	Check:   Check{"empty-user-agent", Error, "a user-agent line names nobody"},
	example: "user-agent:",
}

var unusableUserAgent = &check{
	Check:   Check{"unusable-user-agent", Error, "the value of a user-agent line does not begin as a product token does"},
	example: "user-agent: *bot",
}

var userAgentList = &check{
	Check:   Check{"user-agent-list", Error, "of several names in a user-agent line only the first counts"},
	example: "user-agent: a, b",
}

var cutUserAgent = &check{
	Check:   Check{"cut-user-agent", Warning, "the value of a user-agent line has more than a product token"},
	example: "user-agent: a b",
}

var versionInUserAgent = &check{
	Check:   Check{"version-in-user-agent", Note, "a version or a * follows the product token of a user-agent line"},
	example: "user-agent: googlebot/1.2",
}

var digitsInUserAgent = &check{
	Check:   Check{"digits-in-user-agent", Note, "a product token has digits or dots, which RFC 9309 does not allow"},
	example: "user-agent: My12bot",
}

// checkUserAgent looks at a user-agent line.
func (l *linter) checkUserAgent(value []byte) {
	if !l.naming {
		l.groups = append(l.groups, namedGroup{first: len(l.read.Rules)})
	} else if l.divider != noDivider {
		l.reportJoined(value)
	}
	l.divider, l.said.delays = noDivider, [syntax.Kinds]bool{}
	long, short := syntax.Tokens(value)
	rest := syntax.Trim(value[len(long):])
	switch {
	case l.findsJoined(value):
	case len(value) == 0:
		l.say(emptyUserAgent, value, `the line names nobody, so the rules below count for nobody; write "User-agent: *" for all crawlers`)
		return
	case len(long) == 0:
		l.sayf(unusableUserAgent, value, "%v names nobody: a product token has no characters but letters, _ and -; write the crawler's token, or * for all", quoted(value))
		return
	case len(rest) > 0 && (rest[0] == ',' || rest[0] == ';') && startsToken(syntax.Trim(rest[1:])):
		l.sayf(userAgentList, rest, "only %v is read; write a user-agent line for each crawler", quoted(long)).with(l.eachAgent(value[len(long):]))
	case string(rest) == "*":
		l.sayf(versionInUserAgent, rest, "only %v is read: a * adds nothing to a product token, and crawlers with a longer one are not meant; write their whole token", quoted(long))
	case isVersion(rest) && !strings.EqualFold(string(long), "mozilla"):
		l.sayf(versionInUserAgent, rest, "only %v is read, which seems to be what is meant; write that alone", quoted(long)).with(l.over(value[len(long):], ""))
	case len(rest) > 0:
		l.reportCut(long, value)
	case isKnown(long): // its owner has chosen the name, and the author has no other
	case len(short) == 0:
		l.sayf(digitsInUserAgent, value, "RFC 9309 allows no %v in a product token: some crawlers ignore the line", quoted(value[:1]))
	case len(short) < len(long):
		l.sayf(digitsInUserAgent, value[len(short):], "RFC 9309 allows no %v in a product token: some crawlers read it as %v", quoted(value[len(short):len(short)+1]), quoted(short))
	}
	if len(long) > 0 {
		l.addName(long)
		l.checkKnown(l.names[len(l.names)-1], len(rest) == 0 || isVersion(rest))
	}
}

// reportCut reports that crawlers read only long, the beginning of value.
func (l *linter) reportCut(long, value []byte) {
	advice, edit := "the crawler's token alone", (*Edit)(nil)
	if token := robots.ProductToken(string(value)); token != "" && token != string(long) {
		advice, edit = quoted(token).String(), l.over(value, token)
	} else if meant := crawlers.Meant(string(value)); meant != "" {
		advice = meant + " if that is meant"
	}
	l.sayf(cutUserAgent, value[len(long):], "only %v is read: a product token ends there; write %s", quoted(long), advice).with(edit)
}

// eachAgent returns the edit that writes a line for each of the names in list.
func (l *linter) eachAgent(list []byte) *Edit {
	return l.eachOf(list, rightKeys[syntax.UserAgent], ",;", " \t\v\f", func(name string) bool {
		token, _ := syntax.Tokens(name)
		return token == name
	})
}

func isKnown(token []byte) bool {
	_, known := crawlers.Find(string(token))
	return known
}

func startsToken(b []byte) bool { return len(b) > 0 && syntax.IsStrictTokenByte(b[0]) }

// isVersion reports whether rest is a version, as crawlers send it after their product
// token.
func isVersion(rest []byte) bool {
	if len(rest) == 0 || rest[0] != '/' {
		return false
	}
	version, comment, _ := bytes.Cut(bytes.TrimPrefix(rest[1:], []byte("v")), []byte(" "))
	return len(version) > 0 && syntax.IsDigit(version[0]) && !bytes.ContainsAny(version, ",;") && (len(comment) == 0 || comment[0] == '(')
}
