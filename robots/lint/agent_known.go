package lint

import (
	"github.com/go-polite/polite/robots/crawlers"
)

var agentKnownChecks = []*check{misspelledCrawler}

var misspelledCrawler = &check{
	Check: Check{"misspelled-crawler", Warning, "no crawler has this name, but a well-known one has nearly the same"},
	finds: []example{
		{"user-agent: Googlebto", "1:13"},
		{"user-agent: GPT-Bot", "1:13"},
		{"user-agent: Gogglebot/2.1", "1:13"},
		{"user-agent: Googlebot_News", "1:13"},
	},
	not: []string{
		"user-agent: googlebot",
		"user-agent: GPTBot",
		"user-agent: ExampleBot",
		"user-agent: roverbot",
		"user-agent: *",
		"user-agent: Google Bot",
	},
}

// checkKnown looks for a slip in a product token.
func (l *linter) checkKnown(name named) {
	if name.isEveryone() {
		return
	}
	if meant := crawlers.Meant(name.token); meant != "" {
		l.sayf(misspelledCrawler, name.written, "no crawler of the name %v is known; write %s if that is meant", quoted(name.written), meant).with(l.over(name.written, meant))
	}
}
