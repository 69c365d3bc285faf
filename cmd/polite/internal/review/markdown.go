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
	table := limited(func(v compare.Verdict) string {
		return fmt.Sprintf("| %s | %s | %s | %s |\n", decided(v.Old), decided(v.New), codes(v.Crawlers), code(v.URL))
	}, "| and more | | | |\n")
	head, items := false, limited(func(text string) string { return "- " + text + "\n" }, "- and more\n")
	return Form{
		Verdict: func(v compare.Verdict) string {
			if row := table(v); head {
				return row
			} else {
				head = true
				return "| before | after | crawlers | URL |\n|---|---|---|---|\n" + row
			}
		},
		Between: func(t Totals) string {
			if text := fmt.Sprintf("**%s.**\n\n", t); t.Verdicts == 0 {
				return text
			} else {
				return "\n" + text
			}
		},
		Rule: func(r compare.Rule) string {
			text := fmt.Sprintf("rule %s: %s (%s)", r.What(), code(ruleOf(r).String()), escaped(where(r)))
			if !r.Effect {
				text += ", " + noEffect
			}
			return items(text)
		},
		Delay: func(d compare.Delay) string {
			return items(fmt.Sprintf("crawl-delay: %s, was %s, for %s", delay(d.New), delay(d.Old), codes(d.Crawlers)))
		},
		Record: func(r compare.Record) string {
			return items(fmt.Sprintf("record %s: %s (line %d)", whatOf(r), code(r.Key+": "+r.Value), r.Line))
		},
	}
}

// limited returns a function that tells as much as a comment lists, then more, and then
// nothing.
func limited[T any](tell func(T) string, more string) func(T) string {
	n := 0
	return func(x T) string {
		switch n++; {
		case n <= mostInMarkdown:
			return tell(x)
		case n == mostInMarkdown+1:
			return more
		default:
			return ""
		}
	}
}

// decided tells a verdict, and the line that decides.
func decided(r robots.Rule) string {
	if r.Line == 0 {
		return word(r)
	}
	return fmt.Sprintf("%s (line %d)", word(r), r.Line)
}

func codes(names []string) string {
	const most = 3
	var b strings.Builder
	for i, name := range names {
		if i == most && len(names) > most+1 {
			return b.String() + fmt.Sprintf(" and %d more", len(names)-most)
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(code(name))
	}
	return b.String()
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
