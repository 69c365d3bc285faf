package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
)

// A comment is short, and says how much it leaves out.
func TestMarkdownIsShort(t *testing.T) {
	r := Result{
		Headlines: slices.Repeat([]Headline{{Crawlers: []string{"a"}, What: "may now fetch nothing"}}, 1000),
		Verdicts:  slices.Repeat([]Verdict{{URL: "/x", Crawlers: []string{"a", "b", "c", "d", "e"}}}, 1000),
		Others:    slices.Repeat([]Change{{Kind: "rule", Change: "new", Text: "allow: /y", Crawlers: []string{"a"}, NewLine: 1}}, 1000),
		Totals:    Totals{Verdicts: 1000, Affected: 5, Crawlers: 6, Rest: 1000},
	}
	text := Markdown().Whole(r)
	assert.Equal(t, mostInMarkdown, strings.Count(text, "<code>/x</code>"))
	assert.Equal(t, 1, strings.Count(text, "| and 950 more | | | |\n\n**"))
	assert.Equal(t, mostInMarkdown, strings.Count(text, "may now fetch nothing"))
	assert.Equal(t, 2, strings.Count(text, "- and 950 more\n"))
	assert.Contains(t, text, "<code>c</code> and 2 more")
	assert.Equal(t, []string{"a, b, c, d", "a, b, c and 2 more"}, []string{some([]string{"a", "b", "c", "d"}), some([]string{"a", "b", "c", "d", "e"})})
	assert.Contains(t, text, "**1000 verdicts change, for 5 of 6 crawlers.**")
}

// A host takes a million octets or so.
func TestMarkdownOfLongTextIsShort(t *testing.T) {
	long := strings.Repeat("*", 100_000)
	text := Markdown().Whole(Result{
		Headlines: slices.Repeat([]Headline{{Crawlers: []string{long}}}, 100),
		Verdicts:  slices.Repeat([]Verdict{{URL: long}}, 100),
		Others:    slices.Repeat([]Change{{Kind: "rule", Change: "new", Text: long}}, 100),
	})
	assert.Less(t, len(text), 1_000_000)
}

func TestTotals(t *testing.T) {
	for want, totals := range map[string]Totals{
		"nothing changes for 1 crawler":                {Crawlers: 1},
		"no verdict changes for 2 crawlers":            {Crawlers: 2, Rest: 1},
		"1 verdict changes, for 1 of 2 crawlers":       {Crawlers: 2, Verdicts: 1, Affected: 1},
		"2000 verdicts change, for 20 of 300 crawlers": {Crawlers: 300, Verdicts: 2000, Affected: 20},
	} {
		assert.Equal(t, want, totals.String())
	}
}

// No text of a file means anything to Markdown.
func TestEscapes(t *testing.T) {
	for _, c := range "*_`[]()<>#!|@&~\\:\"'{}+$^%;\n\x1b\u202e" {
		assert.NotContains(t, escaped("a"+string(c)+"b"), "a"+string(c)+"b")
	}
}

// On a terminal, all lines fit, and a colour ends where it began.
func TestTextFits(t *testing.T) {
	long := strings.Repeat("Crawler", 3)
	crawlers := []string{long, long, long, "d", "e"}
	text := Text(terminal.Style{}, 80).Whole(Result{
		Verdicts: []Verdict{{URL: "/p/1", Crawlers: crawlers, New: robots.Rule{Line: 2, Pattern: "/"}, More: 999}},
		Others:   []Change{{Kind: "rule", Change: "new", Text: "disallow: /" + strings.Repeat("x ", 30), Crawlers: crawlers, NewLine: 1}},
	})
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, len(line), 81, line)
	}
	assert.Contains(t, strings.Join(strings.Fields(text), " "), "/p/1 and 999 more rule")
	assert.Equal(t, 1, strings.Count(Text(terminal.Style{}, 0).Whole(Result{Verdicts: []Verdict{{URL: "/p/1", Crawlers: crawlers[:3]}}}), long+", "+long+", "+long))
}
