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

var retiredCrawler = &check{
	Check:   Check{"retired-crawler", Note, "a user-agent line has a name that its owner no longer uses"},
	example: "user-agent: anthropic-ai\ndisallow: /",
}

// checkKnown looks for a slip in a product token, and for one that no crawler has. If it is not alone in its
// line, it may be the begin of another name: Microsoft URL Control.
func (l *linter) checkKnown(name named, alone bool) {
	if name.isEveryone() {
		return
	}
	known, _ := crawlers.Find(name.token)
	switch {
	case crawlers.IsUnread(name.token) && alone:
		l.sayf(unreadCrawler, name.written, "no crawler reads the name %v; those of its owner are %s", quoted(name.written), listed(crawlers.OfOwner(name.token)))
		return
	case known.Status == crawlers.Retired && known.Source != "": // else nobody has looked up what the owner says
		though := ""
		if strings.Contains(known.Manners, "obeys its groups") {
			though = ", though " + known.Manners
		}
		now := slices.DeleteFunc(crawlers.OfOwner(known.Owner), func(c crawlers.Crawler) bool {
			return !slices.ContainsFunc(c.Kinds, func(k crawlers.Kind) bool { return slices.Contains(known.Kinds, k) })
		})
		l.sayf(retiredCrawler, name.written, "no crawler has the name %v any more%s; for the same, %s has %s", quoted(name.written), though, known.Owner, listed(now))
		return
	}
	if meant := crawlers.Meant(name.token); meant != "" {
		l.sayf(misspelledCrawler, name.written, "no crawler of the name %v is known; write %s if that is meant", quoted(name.written), meant)
	}
}

// listed names crawlers, unless they are too many.
func listed(all []crawlers.Crawler) string {
	const most = 8
	var names []string
	for _, c := range all[:min(len(all), most)] {
		names = append(names, c.Name)
	}
	if len(all) > most {
		return strings.Join(names, ", ") + " and others"
	}
	return strings.Join(names, ", ")
}
