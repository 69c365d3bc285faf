package lint

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite/robots/internal/syntax"
)

var recordDelayChecks = []*check{badDelay, longDelay, delayOutsideGroup, repeatedDelay, delayForGoogle}

var badDelay = &check{
	Check: Check{"bad-delay", Error, "the value of a crawl-delay or request-rate cannot be used"},
	finds: []example{
		{"user-agent: *\ncrawl-delay: soon", "2:14"},
		{"user-agent: *\ncrawl-delay: -1", "2:14"},
		{"user-agent: *\ncrawl-delay: 99999999", "2:14"},
		{"user-agent: *\ncrawl-delay: 0,5", "2:14"},
		{"user-agent: *\nrequest-rate: 10", "2:15"},
		{"user-agent: *\ncrawl-delay:", "2:13"},
	},
	not: []string{
		"user-agent: *\ncrawl-delay: 1.5\n",
		"user-agent: *\nrequest-rate: 1/10m",
	},
}

var longDelay = &check{
	Check: Check{"long-delay", Warning, "a crawl-delay is longer than 30 seconds"},
	finds: []example{
		{"user-agent: *\ncrawl-delay: 31", "2:14"},
		{"user-agent: *\nrequest-rate: 1/1m", "2:15"},
	},
	not: []string{
		"user-agent: *\ncrawl-delay: 30",
	},
}

var delayOutsideGroup = &check{
	Check: Check{"delay-outside-group", Error, "a crawl-delay or request-rate before the first user-agent line is ignored"},
	finds: []example{
		{"crawl-delay: 3\nuser-agent: *", "1:1"},
	},
	not: []string{
		"user-agent: *\ncrawl-delay: 3",
	},
}

var repeatedDelay = &check{
	Check: Check{"repeated-delay", Warning, "a group has a second crawl-delay or request-rate, which is ignored"},
	finds: []example{
		{"user-agent: *\ncrawl-delay: 3\ncrawl-delay: 4", "3:14"},
		{"user-agent: *\ncrawl-delay: 3\nrequest-rate: 1/3\ndisallow: /x\ncrawl-delay: 4", "5:14"},
	},
	not: []string{
		"user-agent: *\ncrawl-delay: 3\nrequest-rate: 1/3",
		"user-agent: a\ncrawl-delay: 3\nuser-agent: b\ncrawl-delay: 4",
		"user-agent: a\ncrawl-delay: x\ncrawl-delay: 4",
		"user-agent: a\ncrawl-delay: 3\nuser-agent: b\ncrawl-delay: 4",
	},
}

var delayForGoogle = &check{
	Check: Check{"delay-for-google", Note, "a crawl-delay for Googlebot, which ignores it"},
	finds: []example{
		{"user-agent: GoogleBot\ncrawl-delay: 3", "2:14"},
		{"user-agent: googlebot-news\ncrawl-delay: 3", "2:14"},
	},
	not: []string{
		"user-agent: *\ncrawl-delay: 3",
		"crawl-delay: 3",
	},
}

// longestDelay is the longest delay that most crawlers obey.
const longestDelay = 30 * time.Second

func (l *linter) checkDelay(kind syntax.Kind, d syntax.Delay, key, value []byte, form string) {
	switch {
	case len(l.groups) == 0:
		l.sayf(delayOutsideGroup, key, `%s before the first user-agent line is ignored; write it below "User-agent: *"`, key)
	case d == syntax.NoDelay:
		l.reportBadDelay(kind, value, form)
	case l.said.delays[kind]:
		l.sayf(repeatedDelay, value, "the group has a %s already, so this one is ignored; keep one of them", rightKeys[kind])
	case d.Duration() > longestDelay:
		l.sayf(longDelay, value, "%v is more than most crawlers wait, if they heed it at all; write at most %d seconds", quoted(value), int(longestDelay.Seconds()))
	}
	l.said.delays[kind] = l.said.delays[kind] || d != syntax.NoDelay
}

func (l *linter) reportBadDelay(kind syntax.Kind, value []byte, form string) {
	whole, decimals, _ := bytes.Cut(value, []byte(","))
	switch {
	case len(value) == 0:
		l.say(badDelay, value, "the line has no value, so it is ignored; write "+form)
	case l.findsJoined(value):
	case kind == syntax.CrawlDelay && len(decimals) <= 2 && syntax.ParseDelay(string(whole)+"."+string(decimals)) != syntax.NoDelay: // "1,000" may be a thousand
		l.sayf(badDelay, value, "%v is ignored; write %s.%s", quoted(value), clipped(whole), decimals).with(l.over(value[len(whole):len(whole)+1], "."))
	default:
		l.sayf(badDelay, value, "%v is ignored; write %s", quoted(value), form)
	}
}

func (l *linter) checkGoogleDelay(value []byte) {
	if len(l.groups) == 0 {
		return
	}
	names := l.groups[len(l.groups)-1].names
	if slices.ContainsFunc(names, func(n named) bool { return strings.HasPrefix(n.token, "googlebot") }) {
		l.say(delayForGoogle, value, "Googlebot ignores crawl-delay; it slows down when the site answers 429 or 503")
	}
}
