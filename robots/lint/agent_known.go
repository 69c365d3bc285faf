package lint

import (
	"slices"
	"strings"

	"github.com/go-polite/polite/robots/crawlers"
)

var misspelledCrawler = &check{
	Check:   Check{"misspelled-crawler", Warning, "no crawler has this name, but a well-known one has nearly the same"},
	example: "user-agent: Googlebto",
}

var unreadCrawler = &check{
	Check:   Check{"unread-crawler", Warning, "a user-agent line has the name of a company or of a product, which no crawler reads"},
	example: "user-agent: ChatGPT\ndisallow: /",
}

// unread are names of companies and products that none of their pages on crawlers has. Others may read theirs:
// Yandex does.
var unread = []string{"openai", "chatgpt", "gpt", "anthropic", "claude", "google", "gemini", "bard", "microsoft", "bing", "copilot"}

// checkKnown looks for a slip in a product token, and for what is none.
func (l *linter) checkKnown(name named) {
	if name.isEveryone() {
		return
	}
	if slices.Contains(unread, name.token) {
		var names []string
		for _, c := range crawlers.OfOwner(name.token) {
			names = append(names, c.Name)
		}
		const most = 8
		rest := ""
		if len(names) > most {
			names, rest = names[:most], " and others"
		}
		l.sayf(unreadCrawler, name.written, "no crawler reads the name %v; those of its owner are %s%s", quoted(name.written), strings.Join(names, ", "), rest)
		return
	}
	if meant := crawlers.Meant(name.token); meant != "" {
		l.sayf(misspelledCrawler, name.written, "no crawler of the name %v is known; write %s if that is meant", quoted(name.written), meant)
	}
}
