package compare

import (
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
)

// A comment is short, and says how much it leaves out.
func TestMarkdownIsShort(t *testing.T) {
	form := Markdown()
	var b strings.Builder
	for range 1000 {
		b.WriteString(form.Verdict(Verdict{URL: "/x", Crawlers: []string{"a", "b", "c", "d", "e"}}))
	}
	b.WriteString(form.Between(Totals{Verdicts: 1000, Affected: 5, Crawlers: 6, Others: 1000}))
	for range 1000 {
		b.WriteString(form.Other(ofRule(Rule{New: robots.Rule{Pattern: "/x", Line: 1}, To: []string{"a"}})))
	}
	text := b.String()
	assert.Equal(t, mostInMarkdown, strings.Count(text, "<code>/x</code>"))
	assert.Equal(t, 1, strings.Count(text, "| and 950 more | | | |\n\n**"))
	assert.Equal(t, 1, strings.Count(text, "- and 950 more\n"))
	assert.Contains(t, text, "<code>c</code> and 2 more")
	assert.Contains(t, text, "**1000 verdicts change, for 5 of 6 crawlers.**")
}

func TestTotals(t *testing.T) {
	for want, totals := range map[string]Totals{
		"nothing changes for 1 crawler":                {Crawlers: 1},
		"no verdict changes for 2 crawlers":            {Crawlers: 2, Others: 1},
		"1 verdict changes, for 1 of 2 crawlers":       {Crawlers: 2, Verdicts: 1, Affected: 1},
		"2000 verdicts change, for 20 of 300 crawlers": {Crawlers: 300, Verdicts: 2000, Affected: 20},
	} {
		assert.Equal(t, want, totals.String())
	}
}

// No text of a file means anything to Markdown, and no cell is a formula.
func TestEscapes(t *testing.T) {
	for _, c := range "*_`[]()<>#!|@&~\\:\"'{}+$^%;\n\x1b\u202e" {
		assert.NotContains(t, escaped("a"+string(c)+"b"), "a"+string(c)+"b")
	}
	assert.Equal(t, "'=1+1,'-2,'@x,'+y,a=b,\"a\"\"b,c\"\n", verb.CSVLine("=1+1", "-2", "@x", "+y", "a=b", `a"b,c`))
}

// On a terminal, all lines fit, and a colour ends where it began.
func TestTextFits(t *testing.T) {
	form := Text(terminal.Style{}, 80)
	long := strings.Repeat("Crawler", 3)
	var b strings.Builder
	b.WriteString(form.Verdict(Verdict{URL: "/p/1", Crawlers: []string{long, long, long, "d", "e"}, New: robots.Rule{Line: 2, Pattern: "/"}, More: 999}))
	b.WriteString(form.Other(ofRule(Rule{New: robots.Rule{Pattern: "/" + strings.Repeat("x ", 30), Line: 1}, To: []string{long, long, long, "d", "e"}})))
	for line := range strings.Lines(b.String()) {
		assert.LessOrEqual(t, len(line), 81, line)
	}
	assert.Contains(t, strings.Join(strings.Fields(b.String()), " "), "/p/1 and 999 more rule")
	assert.Equal(t, 1, strings.Count(Text(terminal.Style{}, 0).Verdict(Verdict{URL: "/p/1", Crawlers: []string{long, long, long}})[len("before"):], long+", "+long+", "+long))
}
