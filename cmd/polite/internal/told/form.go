package told

import (
	"fmt"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
)

// A Form is how verdicts are told: all verdicts on one URL at a time.
type Form struct {
	heading string // before all
	between string // two URLs
	text    func([]judge.Verdict) string
}

// Tell returns the verdicts on one URL, which is the first or one that follows.
func (f Form) Tell(verdicts []judge.Verdict, first bool) string {
	if first {
		return f.heading + f.text(verdicts)
	}
	return f.between + f.text(verdicts)
}

// JSON tells each verdict as a JSON object on a line.
func JSON() Form { return Form{text: each(verdictJSON, "")} }

// Each tells the verdicts one by one, with between after each but the last.
func Each(tell func(judge.Verdict) string, between string) Form {
	return Form{between: between, text: each(tell, between)}
}

// Lines tells each verdict in a line.
func Lines(s terminal.Style) Form {
	return Form{text: each(func(v judge.Verdict) string { return line(s, v) }, "")}
}

// Table has a column for each crawler, and a row for each URL. If it is too wide for a
// terminal, each URL has a row for each crawler instead. The width is that of the terminal,
// 0 for any; the URLs have up to so many octets.
func Table(s terminal.Style, crawlers [][]string, width, urls int) Form {
	if width > 0 && tableWidth(crawlers)+urls > width {
		return Form{between: "\n", text: func(v []judge.Verdict) string { return rows(s, v) }}
	}
	return Form{heading: tableHead(s, crawlers), text: func(v []judge.Verdict) string { return row(s, v) }}
}

// CSV tells each verdict as a line of CSV, after one that names the columns.
func CSV() Form { return Form{heading: csvHead(), text: each(csvLine, "")} }

// each returns the function that tells verdicts one by one.
func each(tell func(judge.Verdict) string, between string) func([]judge.Verdict) string {
	return func(verdicts []judge.Verdict) string {
		var texts []string
		for _, v := range verdicts {
			texts = append(texts, tell(v))
		}
		return strings.Join(texts, between)
	}
}

func line(s terminal.Style, v judge.Verdict) string {
	o := OutcomeOf(v.Decision, v.Err)
	word := o.Paint(s, fmt.Sprintf("%-11s", o))
	why := why(o, v.Decision, v.Err) + usesInLine(v) + old(v.Decision)
	return fmt.Sprintf("%s  %s  %s\n", word, ShownURL(v), s.Dim(printable.Text(why)))
}

func verdictJSON(v judge.Verdict) string { return verb.JSONLine(recordOfVerdict(v)) }
