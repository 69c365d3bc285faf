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
		Rule:    func(r compare.Rule) string { return begin() + line(s, OfRule(r)) },
		Delay:   func(d compare.Delay) string { return begin() + line(s, OfDelay(d)) },
		Record:  func(r compare.Record) string { return begin() + line(s, OfRecord(r)) },
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

func line(s terminal.Style, o Other) string {
	return fmt.Sprintf("%-6s  %s  %s  %s\n", o.Kind, s.Bold(fmt.Sprintf("%-5s", o.Change)), terminal.Excerpt(o.Text), s.Dim("("+o.Detail+")"))
}
