package tester

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// URLs that were sent before are not read again, and others never get their verdicts.
func TestLastURLs(t *testing.T) {
	var last lastURLs
	read := func(lines string) []string {
		targets, err := last.read([]byte(lines))
		require.NoError(t, err)
		var names []string
		for _, target := range targets {
			names = append(names, target.Name)
		}
		return names
	}
	assert.Equal(t, []string{"/a", "", "no URL"}, read("/a\n\nno URL"))
	kept := last.Load()
	assert.Equal(t, []string{"/a", "", "no URL"}, read("/a\n\nno URL"))
	assert.Same(t, kept, last.Load())
	assert.Equal(t, []string{"/a", "", "no URK"}, read("/a\n\nno URK"))
	assert.Empty(t, read(""))
	_, err := last.read([]byte(strings.Repeat("\n", mostURLs)))
	assert.Error(t, err)
	assert.Equal(t, []string{"/a"}, read("/a"))
}

// What a key costs does not grow with the URLs: they were read before, and a verdict
// allocates nothing.
func TestKeyAllocates(t *testing.T) {
	lines := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("https://h%d.example/some/path/%d", i%100, i))
		}
		return strings.Join(all, "\n")
	}
	cost := func(urls int) float64 {
		f := form{request: request{Agent: "GPTBot", Several: &eight}, urls: targetsOf(lines(urls)), text: filled(2_000, "disallow: /some/path/%d/\n")}
		return testing.AllocsPerRun(5, func() {
			a, err := f.judge(t.Context())
			require.NoError(t, err)
			require.Len(t, a.Verdicts, urls)
		})
	}
	few, many := cost(100), cost(mostURLs)
	assert.Less(t, many, few+100, "allocations with 10,000 URLs, and with 100")
}

// Tabs that ask about different URLs at once get the verdicts on their own.
func TestTabs(t *testing.T) {
	c := serve(t, Start{}, nil)
	tab := func(path string, want func(n int) totals) func() {
		return func() {
			for n := range 20 {
				var a judgeAnswer
				c.ask("judge", &a, part{"text", shop}, part{"request", "{}"}, listed(slices.Repeat([]string{path}, n+1)...))
				assert.Equal(t, want(n+1), a.Totals)
			}
		}
	}
	var tabs sync.WaitGroup
	tabs.Go(tab("/", func(n int) totals { return totals{Allowed: n} }))
	tabs.Go(tab("/private", func(n int) totals { return totals{Disallowed: n} }))
	tabs.Wait()
}

// eight are crawlers, seven of which have groups of their own in a file that [filled] returns.
var eight = several{Names: []string{"GPTBot", "CCBot", "Googlebot", "bingbot", "Amazonbot", "Bytespider", "YandexBot", "other"}}

// filled returns a file of so many bytes.
func filled(size int, line string) []byte {
	var text []byte
	for _, name := range eight.Names[:7] {
		text = fmt.Appendf(text, "user-agent: %s\ndisallow: /%s\nallow: /some/*/1\n", name, name)
	}
	text = append(text, "user-agent: *\n"...)
	for i := 0; len(text) < size-len(line)-5; i++ {
		text = fmt.Appendf(text, line, i)
	}
	return text
}
