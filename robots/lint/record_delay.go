package lint

import (
	"bytes"
	"strings"
	"time"

	"github.com/go-polite/polite/robots/internal/syntax"
)

var badDelay = &check{
	Check:   Check{"bad-delay", Error, "the value of a crawl-delay or request-rate cannot be used"},
	example: "user-agent: *\ncrawl-delay: soon",
}

var longDelay = &check{
	Check:   Check{"long-delay", Warning, "a crawl-delay is longer than 30 seconds"},
	example: "user-agent: *\ncrawl-delay: 31",
}

var delayOutsideGroup = &check{
	Check:   Check{"delay-outside-group", Error, "a crawl-delay or request-rate before the first user-agent line is ignored"},
	example: "crawl-delay: 3\nuser-agent: *",
}

var repeatedDelay = &check{
	Check:   Check{"repeated-delay", Warning, "a group has a second crawl-delay or request-rate, which is ignored"},
	example: "user-agent: *\ncrawl-delay: 3\ncrawl-delay: 4",
}

var delayForGoogle = &check{
	Check:   Check{"delay-for-google", Note, "a crawl-delay for Googlebot, which ignores it"},
	example: "user-agent: GoogleBot\ncrawl-delay: 3",
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
		l.sayf(longDelay, value, "%v is more than most crawlers wait, if they obey it at all; write at most %d seconds", quoted(value), int(longestDelay.Seconds()))
	}
	l.said.delays[kind] = l.said.delays[kind] || d != syntax.NoDelay
	if d != syntax.NoDelay && len(l.groups) > 0 {
		group := &l.groups[len(l.groups)-1]
		group.delayed = len(group.names)
	}
}

func (l *linter) reportBadDelay(kind syntax.Kind, value []byte, form string) {
	whole, decimals, _ := bytes.Cut(value, []byte(","))
	switch {
	case len(value) == 0:
		l.say(badDelay, value, "the line has no value, so it is ignored; write "+form)
	case l.findsJoined(value):
	case kind == syntax.CrawlDelay && len(decimals) <= 2 && syntax.ParseDelay(string(whole)+"."+string(decimals)) != syntax.NoDelay: // "1,000" may be a thousand
		l.sayf(badDelay, value, "%v is ignored; write %s.%s", quoted(value), clipped(whole), decimals).with(l.over(value[len(whole):len(whole)+1], "."))
	case kind == syntax.CrawlDelay && len(bytes.Trim(value, "0123456789")) == 0:
		l.sayf(badDelay, value, "%v is more than 30 days, so it is ignored; write %s", quoted(value), form)
	default:
		l.sayf(badDelay, value, "%v is ignored; write %s", quoted(value), form)
	}
}

// checkGoogleDelay looks for a delay that nobody but Googlebot gets. The agents of the group that have
// no delay yet get it.
func (l *linter) checkGoogleDelay(d syntax.Delay, value []byte) {
	if len(l.groups) == 0 || d == syntax.NoDelay {
		return
	}
	group := l.groups[len(l.groups)-1]
	for _, n := range group.names[group.delayed:] {
		if !strings.HasPrefix(n.token, "googlebot") {
			return
		}
	}
	if group.delayed < len(group.names) {
		l.say(delayForGoogle, value, "Googlebot ignores crawl-delay; it slows down when the site answers 429 or 503")
	}
}
