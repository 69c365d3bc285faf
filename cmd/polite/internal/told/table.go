package told

import (
	"fmt"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots/usage"
)

// column returns the width of a crawler's column, which has room for its name and for
// a verdict.
func column(tokens []string) int { return max(len(tokens[0]), len("disallowed 1234")) }

func tableHead(s terminal.Style, crawlers [][]string) string {
	var b strings.Builder
	for _, tokens := range crawlers {
		fmt.Fprintf(&b, "%-*s  ", column(tokens), tokens[0])
	}
	return s.Bold(b.String()+"URL") + "\n"
}

// row tells the verdicts on one URL as a row of the table. The URL is last, because
// it may have any length.
func row(s terminal.Style, verdicts []judge.Verdict) string {
	var b strings.Builder
	for _, v := range verdicts {
		o := OutcomeOf(v.Decision, v.Err)
		cell := string(o)
		if v.Decision.Reason == polite.ByRule {
			cell += fmt.Sprint(" ", v.Decision.Rule.Line)
		}
		b.WriteString(o.paint(s, fmt.Sprintf("%-*s", column(v.Tokens), cell)) + "  ")
	}
	b.WriteString(shownURL(verdicts[0]) + s.Dim(old(verdicts[0].Decision)))
	if err := verdicts[0].Err; err != nil {
		b.WriteString(s.Dim("  " + verb.Message(err)))
	}
	return b.String() + "\n" + useRows(s, verdicts)
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
