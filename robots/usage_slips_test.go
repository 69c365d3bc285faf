package robots_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-polite/polite/robots"
)

// A line whose key is a slip for content-signal or content-usage is no such record, and is
// found with the group that it stands in.
func TestUsageSlips(t *testing.T) {
	f := file(
		"content-signals: a=no",               // 1
		"user-agent: b",                       // 2
		"Content-Signal search=yes, a=no # x", // 3
		"content_usage: a=n",                  // 4
		"content-usages: /x a=n",              // 5: the path may be a slip, too
		"content-signal",                      // 6
		"content-signalling: a=no",            // 7
		"content-signal: a=no",                // 8
		"disallow: /",                         // 9
		"user-agent: c",                       // 10
		"Content Signal: a=no",                // 11
		"disallow: /",                         // 12
		"user-agent: B",                       // 13
		"contentusage a=n",                    // 14
	)
	for agent, want := range map[string][]int{"b": {3, 4, 14, 1}, "c": {11, 1}, "other": {1}} {
		slips := f.Rules(agent).UsageSlips()
		assert.Equal(t, want, usageLines(slips), agent)
		for _, r := range slips {
			assert.Equal(t, r.Line == 1, r.Outside)
			assert.Contains(t, []string{"content-signal", "content-usage"}, r.Key)
		}
	}
	assert.Equal(t, robots.Record{Key: "content-signal", Value: "search=yes, a=no", Line: 3}, f.Rules("b").UsageSlips()[0].Record)
	lines := slices.Collect(func(yield func(int) bool) {
		for r := range f.Records() {
			yield(r.Line)
		}
	})
	assert.Equal(t, []int{1, 4, 5, 7, 8, 11}, lines, "a line without a colon is no record")
	assert.Equal(t, []int{8}, usageLines(f.Rules("b").Usage("/x")))
	assert.Nil(t, robots.Parse(nil).Rules().UsageSlips())
	assert.Nil(t, robots.Rules{}.UsageSlips())
}
