package crawlers

import (
	"strings"
	"testing"

	"github.com/go-polite/polite/robots/crawlers"
	"github.com/stretchr/testify/assert"
)

// On a terminal, all that is known of a crawler fits, but for a URL.
func TestCrawlersFit(t *testing.T) {
	for _, c := range crawlers.All() {
		for line := range strings.Lines(crawlerLine(c, 80) + crawlerStory(c, 80)) {
			assert.True(t, len(line) <= 81 || strings.Contains(line, "https://"), line)
		}
		assert.Equal(t, 1, strings.Count(crawlerLine(c, 0), "\n"))
	}
}
