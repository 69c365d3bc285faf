package tester

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/crawlers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A table has a column for all crawlers that go by the same rules.
func TestTable(t *testing.T) {
	c := serve(t, Start{}, nil)
	a := c.table(several{Names: []string{"GPTBot", "CCBot", "bingbot", "b", "Mediapartners-Google"}}, shop, "/private", "/private/press", "no URL")
	require.Len(t, a.Columns, 3)
	assert.Equal(t, column{[]string{"GPTBot", "b"}, "GPTBot", totals{1, 1, 1}}, a.Columns[0])
	assert.Equal(t, column{[]string{"CCBot", "bingbot"}, "*", totals{0, 2, 1}}, a.Columns[1])
	assert.Equal(t, column{[]string{"Mediapartners-Google"}, "", totals{2, 0, 1}}, a.Columns[2])
	assert.Equal(t, []verdict{{"disallowed", 8, ""}, {"disallowed", 2, ""}, {"allowed", 0, ""}}, a.Rows[0])
	assert.Equal(t, verdict{"allowed", 7, ""}, a.Rows[1][0])
	assert.Equal(t, invalid, a.Rows[2][1].Verdict)
}

// table returns the table for several crawlers.
func (c client) table(s several, text string, urls ...string) tableAnswer {
	c.t.Helper()
	var a judgeAnswer
	c.ask("judge", &a, part{"text", text}, asked(c.t, map[string]any{"several": s}), listed(urls...))
	require.NotNil(c.t, a.Table)
	return *a.Table
}

// For all crawlers of a kind, the table says what the verdicts on each say.
func TestTableOfKinds(t *testing.T) {
	c := serve(t, Start{}, nil)
	for _, kind := range append(crawlers.Kinds(), knownCrawlers, namedCrawlers) {
		urls := []string{"/private", "/private/press", "/"}
		a := c.table(several{Kind: string(kind)}, shop, urls...)
		for n, col := range a.Columns {
			for _, name := range col.Crawlers {
				if name == anyCrawler {
					continue
				}
				var one judgeAnswer
				c.ask("judge", &one, part{"text", shop}, asked(t, map[string]any{"agent": name}), listed(urls...))
				assert.Nil(t, one.Table)
				assert.Equal(t, one.Totals, col.Totals, name)
				for i := range urls {
					assert.Equal(t, one.Verdicts[i], a.Rows[i][n], name)
				}
			}
		}
	}
}

// A table is bounded, whatever the file names and the page asks. Without one, there are still
// verdicts.
func TestTableIsBounded(t *testing.T) {
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, "user-agent: a%s\ndisallow: /%d\n", strings.Repeat("b", i), i)
	}
	c := serve(t, Start{}, nil)
	a := c.table(several{Kind: namedCrawlers}, text.String(), slices.Repeat([]string{"/1"}, 1000)...)
	assert.Len(t, a.Columns, mostColumns)
	assert.Equal(t, 251, a.Beyond)
	assert.Len(t, a.Rows, mostRows)
	assert.Equal(t, 950, a.More)
	assert.Equal(t, totals{1000, 0, 0}, a.Columns[1].Totals)
	assert.Empty(t, c.table(several{Names: slices.Repeat([]string{"a"}, mostColumns)}, shop, "/1").Error)
	for want, s := range map[string]several{
		"is no kind":   {Kind: "\u202e"},
		"more than 50": {Names: make([]string, mostColumns+1)},
		"no crawler":   {Names: []string{"(/)"}},
	} {
		var a judgeAnswer
		c.ask("judge", &a, part{"text", shop}, asked(t, map[string]any{"several": s}), listed("/private"))
		assert.Contains(t, a.Table.Error, want)
		assert.NotContains(t, a.Table.Error, "\u202e")
		assert.Empty(t, a.Table.Columns)
		assert.Equal(t, 1, a.Totals.Disallowed)
	}
}

// AI training is kept out and search is let in, and nothing else changes. What the file says
// already is not said twice.
func TestParted(t *testing.T) {
	c := serve(t, Start{}, nil)
	ask := asked(t, map[string]any{"out": "ai-training", "in": []string{"search", "ai-search"}})
	for name, text := range map[string]string{
		"empty": "", "open": "User-agent: *\r\nDisallow: /private/\r\n", "closed": "User-agent: *\nDisallow: /",
		"a group of its own": "User-agent: GPTBot\nAllow: /x\n\nUser-agent: Googlebot\nDisallow: /\n",
		"let in":             "User-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\nAllow: /\n",
		"let in at first":    "User-agent: GPTBot\nCrawl-delay: 5\nAllow: /$\nAllow: *\nAllow: /*\nDisallow: /\n\nUser-agent: ExampleBot\nDisallow: /x\n",
		"let in by many":     "User-agent: GPTBot\nUser-agent: ClaudeBot\nAllow: /\n\nUser-agent: gptbot/1.0\nUser-agent: ExampleBot\nAllow: /\nDisallow: /x\n",
		"let in as all":      "User-agent: Googlebot\nUser-agent: GPTBot\nUser-agent: *\nAllow: /\nDisallow: /x\n",
		"kept out at many":   "User-agent: bingbot\nUser-agent: ExampleBot\nDisallow: /$\nDisallow: /*\n\nUser-agent: Googlebot\nDisallow: /*\n",
	} {
		t.Run(name, func(t *testing.T) {
			var a fixAnswer
			c.ask("parted", &a, ask, part{"text", text})
			changed := strings.HasPrefix(name, "let in") || name == "kept out at many"
			require.True(t, changed || strings.HasPrefix(string(a.Text), text))
			uncommented := strings.NewReplacer("# User-agent", "User-agent", "# Allow", "Allow", "# Disallow", "Disallow").Replace(string(a.Text))
			assert.True(t, strings.HasPrefix(uncommented, text), "lines become comments, and no other")
			assert.Equal(t, name == "a group of its own", strings.HasPrefix(fmt.Sprint(a.Stay), "[GPTBot (line 2)"), a.Stay)
			before, after := robots.Parse([]byte(text)), robots.Parse(a.Text)
			for _, crawler := range inUse(crawlers.All()) {
				may := letIn(after, crawler.Name)
				kinds := fmt.Sprint(crawler.Kinds)
				switch {
				case strings.Contains(kinds, "ai-training"):
					assert.False(t, may, crawler.Name)
				case strings.Contains(kinds, "search"):
					assert.True(t, may, crawler.Name)
				default:
					assert.Equal(t, letIn(before, crawler.Name), may, crawler.Name)
				}
			}
			assert.Equal(t, text != "", strings.Contains(strings.ReplaceAll(string(a.Text), "\r", ""), "\n\n# "), "after an empty line")
			if strings.Contains(text, "\r") {
				assert.Equal(t, strings.Count(string(a.Text), "\n"), strings.Count(string(a.Text), "\r\n"), "the line end of the file")
			}
			assert.NotEmpty(t, a.Effect.Verdicts)
			resp, body := c.send(c.request("parted", ask, part{"text", string(a.Text)}))
			assert.Equal(t, http.StatusBadRequest, resp.StatusCode)
			assert.Contains(t, body, "says so already")
		})
	}
}
