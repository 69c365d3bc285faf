// Package review words what changes when one robots.txt takes the place of another: for
// people, for programs, and for the comment of a review.
package review

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
)

// A Form is how changes are told. Each function returns the text of one change.
type Form struct {
	Head    string                        // before all
	Title   func(compare.Headline) string // what changes most; nil to leave it out
	Verdict func(compare.Verdict) string
	Between func(Totals) string // after the verdicts; may be nil
	Summary bool                // the totals go to standard error
	Bundles bool                // many verdicts on URLs of a list are told together
	Other   func(Change) string // a change that is no verdict
}

// Totals are how much changes.
type Totals struct {
	Verdicts int
	Affected int // crawlers for which a verdict changes
	Crawlers int // for which the files were compared
	Others   int // rules, delays and records that changed
	Untold   int // verdicts that change in too many ways to tell all
}

// String tells the totals in a sentence without its full stop.
func (t Totals) String() string {
	switch {
	case t.Verdicts == 0 && t.Others == 0:
		return "nothing changes for " + verb.Count(t.Crawlers, "crawler")
	case t.Verdicts == 0:
		return "no verdict changes for " + verb.Count(t.Crawlers, "crawler")
	case t.Verdicts == 1:
		return fmt.Sprintf("1 verdict changes, for %d of %s", t.Affected, verb.Count(t.Crawlers, "crawler"))
	default:
		return fmt.Sprintf("%d verdicts change, for %d of %s", t.Verdicts, t.Affected, verb.Count(t.Crawlers, "crawler"))
	}
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
	return someAs(crawlers, func(name string) string { return name })
}

// someAs is some for crawlers whose names are told as another text.
func someAs(crawlers []string, as func(string) string) string {
	const most = 3
	beyond := len(crawlers) - most
	if beyond <= 1 { // one more is told, too
		beyond = 0
	}
	var all []string
	for _, name := range crawlers[:len(crawlers)-beyond] {
		all = append(all, as(name))
	}
	text := strings.Join(all, ", ")
	if beyond > 0 {
		text += fmt.Sprintf(" and %d more", beyond)
	}
	return text
}

// A Change is a verdict, rule, delay or record that changes, in JSON and CSV. The texts are
// as the files have them: make them printable.
type Change struct {
	Kind     string   `json:"kind"`   // verdict, rule, delay or record
	Change   string   `json:"change"` // new, gone, moved or now; of a verdict, what it is now
	URL      string   `json:"url,omitempty"`
	Text     string   `json:"text,omitempty"`
	Crawlers []string `json:"crawlers,omitempty"`
	From     []string `json:"from,omitempty"`
	Before   string   `json:"before,omitempty"`
	After    string   `json:"after,omitempty"`
	OldRule  string   `json:"old_rule,omitempty"`
	OldLine  int      `json:"old_line,omitempty"`
	NewRule  string   `json:"new_rule,omitempty"`
	NewLine  int      `json:"new_line,omitempty"`
	Effect   *bool    `json:"effect,omitempty"`
}

// Others returns what changes besides the verdicts.
func Others(c *compare.Comparison, verdicts []compare.Verdict) (all []Change) {
	for _, r := range c.Rules(verdicts) {
		all = append(all, ofRule(r))
	}
	for _, d := range c.Delays() {
		all = append(all, Change{Kind: "delay", Change: "now", Crawlers: d.Crawlers, Before: delay(d.Old), After: delay(d.New)})
	}
	for _, r := range c.Records() {
		change := Change{Kind: "record", Change: "new", Text: r.Key + ": " + r.Value, Crawlers: r.Agents, NewLine: r.Line}
		if !r.New {
			change = Change{Kind: "record", Change: "gone", Text: change.Text, From: r.Agents, OldLine: r.Line}
		}
		all = append(all, change)
	}
	return all
}

func ofRule(r compare.Rule) Change {
	rule := r.New
	if r.What() == "gone" {
		rule = r.Old
	}
	return Change{Kind: "rule", Change: r.What(), Text: rule.String(), Crawlers: r.To, From: r.From, OldLine: r.Old.Line, NewLine: r.New.Line, Effect: &r.Effect}
}

func delay(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return d.String()
}

// Subject tells what changes.
func (c Change) Subject() string { return cmp.Or(c.Text, c.After) }

// Detail tells where it changes, for whom, and whether this matters.
func (c Change) Detail() string {
	switch {
	case c.Kind == "delay":
		return fmt.Sprintf("was %s, for %s", c.Before, some(c.Crawlers))
	case c.inVain():
		return c.where() + "; " + noEffect
	default:
		return c.where()
	}
}

const noEffect = "changes no verdict"

// inVain reports whether a rule changes that decides on nothing.
func (c Change) inVain() bool { return c.Effect != nil && !*c.Effect }

// where tells in which lines a rule or record is, and for whom.
func (c Change) where() string {
	if c.Change == "moved" {
		return fmt.Sprintf("line %d, was line %d, from %s to %s", c.NewLine, c.OldLine, some(c.From), some(c.Crawlers))
	}
	text, crawlers := fmt.Sprintf("line %d", c.NewLine), c.Crawlers
	if c.Change == "gone" {
		text, crawlers = fmt.Sprintf("was line %d", c.OldLine), c.From
	}
	if len(crawlers) > 0 {
		text += ", for " + some(crawlers)
	}
	return text
}

const layout = "%-15s  %-15s  %-20s  %s\n"

// Text is the form for people, on a terminal with so many columns; 0 is for any.
func Text(s terminal.Style, columns int) Form {
	lines := 0
	begin := func() string { // a line between verdicts and the rest
		if lines++; lines == 1 {
			return "\n"
		}
		return ""
	}
	return Form{
		Summary: true,
		Bundles: true,
		Title: func(h compare.Headline) string {
			return terminal.Fold(printable.Text(some(h.Crawlers)+": "+h.What), columns, 4) + "\n"
		},
		Verdict: verdictLine(s, columns),
		Other:   func(c Change) string { return begin() + line(s, c, columns) },
	}
}

// verdictLine returns the function that tells a verdict as a row of a table.
func verdictLine(s terminal.Style, columns int) func(compare.Verdict) string {
	rows := 0
	return func(v compare.Verdict) string {
		row := ""
		if rows++; rows == 1 {
			row = s.Bold(strings.TrimSuffix(fmt.Sprintf(layout, "before", "after", "crawlers", "URL"), "\n")) + "\n"
		}
		const from, to = 17, 32 // of the second column
		paint := s.Red
		if compare.Allowed(v.New) {
			paint = s.Green
		}
		text := printable.Text(fmt.Sprintf("%-15s  %-15s  %-20s  ", cell(v.Old), cell(v.New), some(v.Crawlers))) + printable.URL(v.URL) + alike(v)
		text = terminal.Fold(text, columns, to+2)
		return row + text[:from] + paint(text[from:to]) + text[to:] + "\n"
	}
}

// alike tells for how many more URLs the same changes.
func alike(v compare.Verdict) string {
	if v.More == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", v.More)
}

// cell tells a verdict, and the line that decides.
func cell(r robots.Rule) string {
	if r.Line == 0 {
		return word(r)
	}
	return fmt.Sprint(word(r), " ", r.Line)
}

func line(s terminal.Style, c Change, columns int) string {
	const from, to = 8, 13 // of the second column
	subject, detail := terminal.Excerpt(c.Subject()), "("+c.Detail()+")"
	text := terminal.Fold(fmt.Sprintf("%-6s  %-5s  %s  %s", c.Kind, c.Change, subject, detail), columns, to+2)
	if before, ok := strings.CutSuffix(text, detail); ok {
		text = before + s.Dim(detail)
	}
	return text[:from] + s.Bold(text[from:to]) + text[to:] + "\n"
}
