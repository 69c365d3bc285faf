package lint

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// rightKeys are the right spellings of the known keys.
var rightKeys = [...]string{
	syntax.Allow: "Allow", syntax.Disallow: "Disallow", syntax.UserAgent: "User-agent",
	syntax.Sitemap: "Sitemap", syntax.CrawlDelay: "Crawl-delay", syntax.RequestRate: "Request-rate",
}

func isRightKey(kind syntax.Kind, key []byte) bool {
	return len(key) == len(rightKeys[kind]) && strings.EqualFold(string(key), rightKeys[kind])
}

// folded returns b in lower case. The result may share the memory of b.
func folded(b []byte) string {
	if !slices.ContainsFunc(b, func(c byte) bool { return c != syntax.Lower(c) }) {
		return match.View(b)
	}
	b = bytes.Clone(b)
	for i, c := range b {
		b[i] = syntax.Lower(c)
	}
	return match.View(b)
}
