package lint

import (
	"github.com/go-polite/polite/robots/crawlers"
)

var misspelledCrawler = &check{
	Check:   Check{"misspelled-crawler", Warning, "no crawler has this name, but a well-known one has nearly the same"},
	example: "user-agent: Googlebto",
}

// checkKnown looks for a slip in a product token.
func (l *linter) checkKnown(name named) {
	if name.isEveryone() {
		return
	}
	if meant := crawlers.Meant(name.token); meant != "" {
		l.sayf(misspelledCrawler, name.written, "no crawler of the name %v is known; write %s if that is meant", quoted(name.written), meant)
	}
}
