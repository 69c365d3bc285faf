package told

import (
	"fmt"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/usage"
)

// column returns the width of a crawler's column, which has room for its name and for
// a verdict.
func column(tokens []string) int { return max(len(tokens[0]), verdictWidth) }

const verdictWidth = len("disallowed 1234")

func tableHead(s terminal.Style, crawlers [][]string) string {
	var b strings.Builder
	for _, tokens := range crawlers {
		fmt.Fprintf(&b, "%-*s  ", column(tokens), tokens[0])
	}
	return s.Bold(b.String()+"URL") + "\n"
}

// tableWidth returns the width of the crawlers' columns.
func tableWidth(crawlers [][]string) int {
	width := 0
	for _, tokens := range crawlers {
		width += column(tokens) + len("  ")
	}
	return width
}

// row tells the verdicts on one URL as a row of the table. The URL is last, because
// it may have any length.
func row(s terminal.Style, verdicts []judge.Verdict) string {
	var b strings.Builder
	for _, v := range verdicts {
		b.WriteString(cell(s, v, column(v.Tokens)) + "  ")
	}
	return b.String() + subject(s, verdicts[0]) + "\n" + useRows(s, verdicts)
}

// rows tells the verdicts on one URL below the URL, each in a row.
func rows(s terminal.Style, verdicts []judge.Verdict) string {
	var b strings.Builder
	b.WriteString(subject(s, verdicts[0]) + "\n")
	for _, v := range verdicts {
		fmt.Fprintf(&b, "  %s  %s%s\n", cell(s, v, verdictWidth), v.Tokens[0], s.Dim(printable.Text(usesInLine(v))))
	}
	return b.String()
}

// cell tells a verdict, and the line of the rule that decides.
func cell(s terminal.Style, v judge.Verdict, width int) string {
	o := OutcomeOf(v.Decision, v.Err)
	text := string(o)
	if v.Decision.Reason == polite.ReasonRule {
		text += fmt.Sprint(" ", v.Decision.Rule.Line)
	}
	return o.Paint(s, fmt.Sprintf("%-*s", width, text))
}

// subject tells the URL of a verdict, and what is the same for all crawlers.
func subject(s terminal.Style, v judge.Verdict) string {
	text := ShownURL(v) + s.Dim(old(v.Decision))
	if v.Err != nil {
		text += s.Dim("  " + verb.Message(v.Err))
	}
	return text
}

// knownUses are those that a table tells. Of others it has no idea how wide they are.
var knownUses = []usage.Use{usage.Search, usage.AIInput, usage.TrainAI}

// useRows tells what a site says about the uses of one page as rows of the table, below
// the verdicts.
func useRows(s terminal.Style, verdicts []judge.Verdict) string {
	var rows strings.Builder
	for _, use := range knownUses {
		var row strings.Builder
		for _, v := range verdicts {
			cell := ""
			if p := v.Usage.Allows(use); p != usage.NotStated {
				cell = "  " + string(use) + " " + p.String()
			}
			fmt.Fprintf(&row, "%-*s  ", column(v.Tokens), cell)
		}
		if text := strings.TrimRight(row.String(), " "); text != "" {
			rows.WriteString(s.Dim(text) + "\n")
		}
	}
	return rows.String()
}
