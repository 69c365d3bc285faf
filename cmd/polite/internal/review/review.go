// Package review words what changes when one robots.txt takes the place of another: for
// people, for programs, and for the comment of a review.
package review

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
)

// A Form is how changes are told. Each function returns the text of one change.
type Form struct {
	Head    string // before all
	Verdict func(compare.Verdict) string
	Between func(Totals) string // after the verdicts; may be nil
	Summary bool                // the totals go to standard error
	Rule    func(compare.Rule) string
	Delay   func(compare.Delay) string
	Record  func(compare.Record) string
}

// Totals are how much changes.
type Totals struct {
	Verdicts int
	Affected int // crawlers for which a verdict changes
	Crawlers int // for which the files were compared
	Others   int // rules, delays and records that changed
}

// String tells the totals in a sentence without its full stop.
func (t Totals) String() string {
	switch {
	case t.Verdicts == 0 && t.Others == 0:
		return "nothing changes for " + count(t.Crawlers, "crawler")
	case t.Verdicts == 0:
		return "no verdict changes for " + count(t.Crawlers, "crawler")
	case t.Verdicts == 1:
		return fmt.Sprintf("1 verdict changes, for %d of %s", t.Affected, count(t.Crawlers, "crawler"))
	default:
		return fmt.Sprintf("%d verdicts change, for %d of %s", t.Verdicts, t.Affected, count(t.Crawlers, "crawler"))
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// word returns the verdict of the rule that decides.
func word(r robots.Rule) string {
	if compare.Allowed(r) {
		return "allowed"
	}
	return "disallowed"
}

// some tells the first crawlers, and how many others there are.
func some(crawlers []string) string {
	const most = 3
	if len(crawlers) <= most+1 {
		return strings.Join(crawlers, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(crawlers[:most], ", "), len(crawlers)-most)
}

// where tells in which lines a changed rule is, and for whom.
func where(r compare.Rule) string {
	switch r.What() {
	case "new":
		return fmt.Sprintf("line %d, for %s", r.New.Line, some(r.To))
	case "gone":
		return fmt.Sprintf("was line %d, for %s", r.Old.Line, some(r.From))
	default:
		return fmt.Sprintf("line %d, was line %d, from %s to %s", r.New.Line, r.Old.Line, some(r.From), some(r.To))
	}
}

// ruleOf returns the rule that changed.
func ruleOf(r compare.Rule) robots.Rule {
	if r.What() == "gone" {
		return r.Old
	}
	return r.New
}

const noEffect = "changes no verdict"

func delay(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return d.String()
}

func whatOf(r compare.Record) string {
	if r.New {
		return "new"
	}
	return "gone"
}

// An Other is a change that is no verdict, in words. The text is as the file has it: make
// it printable.
type Other struct {
	Kind   string `json:"kind"`   // rule, delay or record
	Change string `json:"change"` // new, gone, moved or now
	Text   string `json:"text"`
	Detail string `json:"detail"` // where, for whom, and whether it matters
}

// OfRule words a rule that changed.
func OfRule(r compare.Rule) Other {
	detail := where(r)
	if !r.Effect {
		detail += "; " + noEffect
	}
	return Other{"rule", r.What(), ruleOf(r).String(), detail}
}

// OfDelay words a delay that changed.
func OfDelay(d compare.Delay) Other {
	return Other{"delay", "now", delay(d.New), fmt.Sprintf("was %s, for %s", delay(d.Old), some(d.Crawlers))}
}

// OfRecord words a record that changed.
func OfRecord(r compare.Record) Other {
	detail := fmt.Sprintf("line %d", r.Line)
	if !r.New {
		detail = "was " + detail
	}
	if len(r.Agents) > 0 {
		detail += ", for " + some(r.Agents)
	}
	return Other{"record", whatOf(r), r.Key + ": " + r.Value, detail}
}

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
