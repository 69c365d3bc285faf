package robots_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/robots"
)

// usageLines returns the lines of the records that count.
func usageLines(records []robots.UsageRecord) (lines []int) {
	for _, r := range records {
		lines = append(lines, r.Line)
	}
	return lines
}

func TestUsage(t *testing.T) {
	f := file(
		"content-usage: /a train-ai=y", // 1
		"content-signal: search=yes",   // 2
		"user-agent: b",                // 3
		"content-usage: /*a x=y",       // 4
		"user-agent: c",                // 5
		"disallow: /",                  // 6
		"content-usage: /a* x=n",       // 7
		"content-usage: x=y",           // 8
		"CONTENT-signal: x=no",         // 9
		"user-agent: *",                // 10
		"content-usage: x=y",           // 11
		"sitemap: content-usage",       // 12
		"user-agent: b",                // 13
		"content-usage: /nothing",      // 14
		"disallow:",                    // 15
		"content-usages: x=y",          // 16
		"user-agent: C",                // 17
		"content-usage: /%41* x=y",     // 18
		"allow:",                       // 19
	)
	for _, test := range []struct {
		agent, target string
		want          []int
	}{
		{"b", "/a", []int{4, 7, 9, 1, 2}},
		{"b", "/b", []int{8, 9, 11, 2}},
		{"c", "/Ab", []int{9, 18, 2}},
		{"c", "/a/", []int{4, 7, 9, 1, 2}},
		{"other", "/", []int{11, 2}},
		{"other", "https://example.com/a?b", []int{11, 1, 2}},
	} {
		records := f.Rules(test.agent).Usage(test.target)
		assert.Equal(t, test.want, usageLines(records), "%s at %s", test.agent, test.target)
		for _, r := range records {
			assert.Equal(t, r.Line < 3, r.Outside)
		}
	}
	assert.Equal(t, robots.Record{Key: "CONTENT-signal", Value: "x=no", Line: 9}, f.Rules("b").Usage("/b")[1].Record)
	assert.Nil(t, file("user-agent: *", "allow: /").Rules("a").Usage("/"))
	assert.Nil(t, file("content-usage: /a").Rules("a").Usage("/a"))
	assert.Nil(t, robots.Rules{}.Usage("/"))
}

// It ends no list of agents, changes no rule, and keeps nobody's rules away.
func TestUsageIsNoRule(t *testing.T) {
	f := file("user-agent: a", "content-usage: /x train-ai=n", "user-agent: b", "disallow: /x")
	for _, agent := range []string{"a", "b"} {
		assert.False(t, f.Allowed(agent, "/x"))
		assert.True(t, f.Allowed(agent, "/y"))
		assert.Equal(t, []int{2}, usageLines(f.Rules(agent).Usage("/x")))
	}
}

// Records that were found before the budget was spent are found once.
func TestUsageOfMany(t *testing.T) {
	f := robots.Parse([]byte("user-agent: a\n" + strings.Repeat("content-usage: /*a x=n\n", 300)))
	assert.Len(t, f.Rules("a").Usage("/a"), 300)
}

// However many paths there are, the search for the records that apply takes as many steps
// as for rules.
func TestUsageSteps(t *testing.T) {
	long.NotShort(t)
	for _, hostile := range hostileFiles {
		for _, group := range []int{0, 60} {
			random := rand.New(rand.NewPCG(1, 9309))
			rules := hostileFile(robots.MaxSize*9/10, group, func(i int) string { return hostile.pattern(random, i) })
			body := strings.ReplaceAll(strings.ReplaceAll(string(rules), "allow:/", "content-usage:/"), "allow:", "content-usage:/")
			body = strings.ReplaceAll(body, "\n", " x=n\n")
			f := robots.Parse([]byte(body))
			for _, size := range long.Or([]int{2 << 10}, []int{2 << 10, 64 << 10}) {
				path := "/" + randomWord(random, hostile.alphabet, size)
				steps := f.Rules("a").UsageSteps(path)
				rules, octets := f.UsageExtent()
				require.LessOrEqual(t, steps, 2*(40*robots.Octets(path)+4*(rules+octets)+maxMatching), "%s, %d, %d", hostile.name, group, size)
			}
			assert.LessOrEqual(t, f.Size(), 16*len(body), hostile.name)
		}
	}
}

// A walk finds the same records as a scan. Both find the records whose paths are as long
// as the pattern that would decide, if the paths were rules.
func TestUsageByWalk(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 9309))
	for range 3000 {
		var usages, rules strings.Builder
		for range 1 + random.IntN(8) {
			pattern := "/" + randomWord(random, "ab*", random.IntN(5)) + []string{"", "$"}[random.IntN(2)]
			fmt.Fprintf(&usages, "user-agent: *\ncontent-usage: %s x=n\n", pattern)
			fmt.Fprintf(&rules, "user-agent: *\nallow: %s\n", pattern)
		}
		path := "/" + randomWord(random, "ab", random.IntN(6))
		f := robots.Parse([]byte(usages.String()))
		found := usageLines(f.Rules("a").Usage(path))
		require.Equal(t, found, usageLines(f.Rules("a").UsageByWalk(path)), "%s at %s", usages.String(), path)
		var want []int
		for rule := range robots.Parse([]byte(rules.String())).Rules("a").Matches(path) {
			if best, _ := robots.Parse([]byte(rules.String())).Rules("a").Match(path); rule.Len() == best.Len() {
				want = append(want, rule.Line)
			}
		}
		slices.Sort(want)
		require.Equal(t, want, found, "%s at %s", usages.String(), path)
	}
}
