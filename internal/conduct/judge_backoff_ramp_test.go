package conduct_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-polite/polite/internal/long"
)

// A crowd of goroutines loses no more than 2% either, over 60,000 pages, and 0.3 s once.
func TestMannersACrowdWithin2Percent(t *testing.T) {
	long.NotShort(t)
	for name, site := range map[string]func() judgedSite{
		"usual": func() judgedSite { return judgedBroken(nil) }, "mixed": judgedMixed,
	} {
		t.Run(name, func(t *testing.T) {
			crawl := judgedCrawl{workers: 200, pages: 60_000, long: time.Hour, parts: judgedParts}
			crawl.site = site()
			ours := crawl.run(t).took
			crawl.site, crawl.plain = site(), true
			plain := crawl.run(t).took
			t.Logf("%v, %v without", ours, plain)
			assert.LessOrEqual(t, ours.Seconds(), 1.02*plain.Seconds()+0.3)
		})
	}
}
