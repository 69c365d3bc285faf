package review

import (
	"fmt"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
)

const layout = "%-15s  %-15s  %-20s  %s\n"

// Text is the form for people.
func Text(s terminal.Style) Form {
	lines := 0
	begin := func() string { // a line between verdicts and the rest
		if lines++; lines == 1 {
			return "\n"
		}
		return ""
	}
	return Form{
		Summary: true,
		Verdict: verdictLine(s),
		Rule: func(r compare.Rule) string {
			text := where(r)
			if !r.Effect {
				text += "; " + noEffect
			}
			return begin() + line(s, "rule", r.What(), ruleOf(r).String(), text)
		},
		Delay: func(d compare.Delay) string {
			return begin() + line(s, "delay", "now", delay(d.New), fmt.Sprintf("was %s, for %s", delay(d.Old), some(d.Crawlers)))
		},
		Record: func(r compare.Record) string {
			text := fmt.Sprintf("line %d", r.Line)
			if !r.New {
				text = "was " + text
			}
			if len(r.Agents) > 0 {
				text += ", for " + some(r.Agents)
			}
			return begin() + line(s, "record", whatOf(r), r.Key+": "+r.Value, text)
		},
	}
}

// verdictLine returns the function that tells a verdict as a row of a table.
func verdictLine(s terminal.Style) func(compare.Verdict) string {
	rows := 0
	return func(v compare.Verdict) string {
		row := ""
		if rows++; rows == 1 {
			row = s.Bold(strings.TrimSuffix(fmt.Sprintf(layout, "before", "after", "crawlers", "URL"), "\n")) + "\n"
		}
		after := fmt.Sprintf("%-15s", cell(v.New))
		if compare.Allowed(v.New) {
			after = s.Green(after)
		} else {
			after = s.Red(after)
		}
		return row + printable.Text(fmt.Sprintf("%-15s", cell(v.Old))) + "  " + after + "  " + fmt.Sprintf("%-20s", some(v.Crawlers)) + "  " + printable.URL(v.URL) + "\n"
	}
}

// cell tells a verdict, and the line that decides.
func cell(r robots.Rule) string {
	if r.Line == 0 {
		return word(r)
	}
	return fmt.Sprint(word(r), " ", r.Line)
}

func line(s terminal.Style, kind, what, text, more string) string {
	return fmt.Sprintf("%-6s  %s  %s  %s\n", kind, s.Bold(fmt.Sprintf("%-5s", what)), terminal.Excerpt(text), s.Dim("("+more+")"))
}
