package review

import (
	"fmt"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
)

// mostInMarkdown is how many verdicts, rules and records a comment lists: hosts limit its
// length.
const mostInMarkdown = 50

// Markdown is the form for the comment of a review. What the files say stands in it as code.
func Markdown() Form {
	verdicts, others, allOthers := 0, 0, 0
	return Form{
		Bundles: true,
		Title: func(h compare.Headline) string {
			return fmt.Sprintf("- **%s: %s**\n", someAs(h.Crawlers, code), escaped(h.What))
		},
		Verdict: func(v compare.Verdict) string {
			row := fmt.Sprintf("| %s | %s | %s | %s%s |\n", decided(v.Old), decided(v.New), someAs(v.Crawlers, code), code(v.URL), alike(v))
			switch verdicts++; {
			case verdicts == 1:
				return "| before | after | crawlers | URL |\n|---|---|---|---|\n" + row
			case verdicts > mostInMarkdown:
				return ""
			}
			return row
		},
		Between: func(t Totals) string {
			allOthers = t.Others
			text := fmt.Sprintf("**%s.**\n\n", t)
			switch {
			case verdicts > mostInMarkdown:
				return fmt.Sprintf("| and %d more | | | |\n\n%s", verdicts-mostInMarkdown, text)
			case t.Verdicts > 0:
				return "\n" + text
			}
			return text
		},
		Other: func(c Change) string {
			switch others++; {
			case others <= mostInMarkdown:
				return "- " + item(c) + "\n"
			case others == mostInMarkdown+1:
				return fmt.Sprintf("- and %d more\n", allOthers-mostInMarkdown)
			}
			return ""
		},
	}
}

// item tells a change that is no verdict.
func item(c Change) string {
	switch {
	case c.Kind == "delay":
		return fmt.Sprintf("crawl-delay: %s, was %s, for %s", c.After, c.Before, someAs(c.Crawlers, code))
	case c.Kind == "record":
		return fmt.Sprintf("record %s: %s (line %d)", c.Change, code(c.Text), max(c.NewLine, c.OldLine))
	case c.inVain():
		return fmt.Sprintf("rule %s: %s (%s), %s", c.Change, code(c.Text), escaped(c.where()), noEffect)
	default:
		return fmt.Sprintf("rule %s: %s (%s)", c.Change, code(c.Text), escaped(c.where()))
	}
}

// decided tells a verdict, and the line that decides.
func decided(r robots.Rule) string {
	if r.Line == 0 {
		return word(r)
	}
	return fmt.Sprintf("%s (line %d)", word(r), r.Line)
}

// code returns text as code.
func code(text string) string { return "<code>" + escaped(text) + "</code>" }

// escaped returns text in which nothing means anything to Markdown or HTML.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range printable.Text(text) {
		if r == ' ' || r == '/' || r == '.' || r == ',' || r == '-' || r == '?' || r == '=' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return b.String()
}
