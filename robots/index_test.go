package robots_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// longGroups returns a file of two groups that are long enough for an index.
func longGroups() *robots.File {
	var body strings.Builder
	for _, agent := range []string{"a", "b"} {
		body.WriteString("user-agent: " + agent + "\n")
		for i := range 200 {
			fmt.Fprintf(&body, "disallow: /%s%d/\nallow: /%s%d/*x\n", agent, i, agent, i)
		}
	}
	return robots.Parse([]byte(body.String()))
}

// The first query about a long group makes the index of this group alone, and makes it
// once. Size counts it.
func TestIndexIsMadeOnce(t *testing.T) {
	f := longGroups()
	sizes := []int{f.Size()}
	for _, agent := range []string{"a", "a", "b", "b"} {
		assert.False(t, f.Allowed(agent, "/"+agent+"7/"))
		sizes = append(sizes, f.Size())
	}
	assert.Less(t, sizes[0], sizes[1])
	assert.Equal(t, sizes[1], sizes[2])
	assert.Less(t, sizes[2], sizes[3])
	assert.Equal(t, sizes[3], sizes[4])
	assert.Less(t, sizes[4]-sizes[0], 2*5*400, "some four bytes for a rule")
}

// Many queries at once may each be the first.
func TestIndexAtOnce(t *testing.T) {
	for range 20 {
		f := longGroups()
		var all sync.WaitGroup
		for _, agent := range []string{"a", "b", "a", "b", "a", "b"} {
			all.Go(func() {
				for i := range 200 {
					rule, _ := f.Rules(agent).Match(fmt.Sprintf("/%s%d/", agent, i))
					assert.Equal(t, fmt.Sprintf("/%s%d/", agent, i), rule.Pattern)
					assert.True(t, f.Allowed(agent, fmt.Sprintf("/%s%d/yx", agent, i)))
				}
			})
		}
		all.Wait()
	}
}

// A rule whose literal shares a hash with a shorter beginning of the path by chance is tried once: tried
// twice, it spends the budget, and a real file takes the way that is meant for hostile ones.
func TestSharedHashes(t *testing.T) {
	var body strings.Builder
	body.WriteString("user-agent: *\n")
	for i := range 120 {
		fmt.Fprintf(&body, "disallow: /%s*z*b\ndisallow: /x%d\ndisallow: /y%d\n", strings.Repeat("a", i), i, i)
	}
	for range 20 { // each index has a seed of its own
		_, walked := robots.Parse([]byte(body.String())).Rules("a").Steps("/" + strings.Repeat("a", 130) + "bz")
		assert.False(t, walked)
	}
}

// A group has room for as many rules as a file can hold.
func TestMostRules(t *testing.T) {
	const first, shortest, last = "user-agent:*\n", "allow:/\n", "disallow:/last"
	n := (robots.MaxSize - len(first) - len(last)) / len(shortest)
	body := first + strings.Repeat(shortest, n) + last
	require.LessOrEqual(t, len(body), robots.MaxSize)
	rule, ok := robots.Parse([]byte(body)).Rules("a").Match("/last")
	assert.True(t, ok)
	assert.Equal(t, robots.Rule{Pattern: "/last", Line: n + 2}, rule)
}
