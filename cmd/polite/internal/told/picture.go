package told

import (
	"fmt"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
)

// mostLines is how many lines of a file are shown, besides the one that decides.
const mostLines = 20

// picture shows the lines of the file that matter, and marks the one that decides.
func picture(s terminal.Style, v judge.Verdict) string {
	if len(v.Lines) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n")
	last, shown := 0, 0
	for _, line := range v.Lines {
		decides := v.Decision.Reason == polite.ByRule && line.Number == v.Decision.Rule.Line
		if shown >= mostLines && !decides {
			continue
		}
		if line.Number > last+1 && shown > 0 {
			b.WriteString(s.Dim("         ...") + "\n")
		}
		b.WriteString(sourceLine(s, line, decides, OutcomeOf(v.Decision, v.Err)) + "\n")
		last, shown = line.Number, shown+1
	}
	return b.String()
}

func sourceLine(s terminal.Style, line judge.Line, decides bool, o Outcome) string {
	text := terminal.Excerpt(line.Text)
	if !decides {
		return fmt.Sprintf("  %6d | %s", line.Number, text)
	}
	return fmt.Sprintf("%s %6d | %s", o.paint(s, ">"), line.Number, o.paint(s, text))
}
