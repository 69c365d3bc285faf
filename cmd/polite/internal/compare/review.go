package compare

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
)

// A Form is how changes are told. Each function returns the text of one change.
type Form struct {
	Head    string                // before all
	Title   func(Headline) string // what changes most; nil to leave it out
	Verdict func(Verdict) string
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
	if Allowed(r) {
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
func Others(c *Comparison, verdicts []Verdict) (all []Change) {
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

func ofRule(r Rule) Change {
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
		Title: func(h Headline) string {
			return terminal.Fold(printable.Text(some(h.Crawlers)+": "+h.What), columns, 4) + "\n"
		},
		Verdict: verdictLine(s, columns),
		Other:   func(c Change) string { return begin() + changeLine(s, c, columns) },
	}
}

// verdictLine returns the function that tells a verdict as a row of a table.
func verdictLine(s terminal.Style, columns int) func(Verdict) string {
	rows := 0
	return func(v Verdict) string {
		row := ""
		if rows++; rows == 1 {
			row = s.Bold(strings.TrimSuffix(fmt.Sprintf(layout, "before", "after", "crawlers", "URL"), "\n")) + "\n"
		}
		const from, to = 17, 32 // of the second column
		paint := s.Red
		if Allowed(v.New) {
			paint = s.Green
		}
		text := printable.Text(fmt.Sprintf("%-15s  %-15s  %-20s  ", cell(v.Old), cell(v.New), some(v.Crawlers))) + printable.URL(v.URL) + alike(v)
		text = terminal.Fold(text, columns, to+2)
		return row + text[:from] + paint(text[from:to]) + text[to:] + "\n"
	}
}

// alike tells for how many more URLs the same changes.
func alike(v Verdict) string {
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

func changeLine(s terminal.Style, c Change, columns int) string {
	const from, to = 8, 13 // of the second column
	subject, detail := terminal.Excerpt(c.Subject()), "("+c.Detail()+")"
	text := terminal.Fold(fmt.Sprintf("%-6s  %-5s  %s  %s", c.Kind, c.Change, subject, detail), columns, to+2)
	if before, ok := strings.CutSuffix(text, detail); ok {
		text = before + s.Dim(detail)
	}
	return text[:from] + s.Bold(text[from:to]) + text[to:] + "\n"
}

// A Writer tells what changes by a comparison. Make one with [NewWriter].
type Writer struct {
	out      io.Writer
	form     Form
	by       *Comparison
	listed   bool // the verdicts are on the URLs of a list
	bundles  Bundles
	verdicts int
	affected map[string]bool // the crawlers for which a verdict changes
}

// NewWriter returns a Writer to out. If listed is true, the verdicts are on the URLs of a list, and many may be
// told together.
func NewWriter(out io.Writer, form Form, by *Comparison, listed bool) *Writer {
	return &Writer{out: out, form: form, by: by, listed: listed, affected: make(map[string]bool)}
}

// Begin writes what is before all verdicts: the headlines of the invented ones.
func (w *Writer) Begin(invented []Verdict) error {
	text := w.form.Head
	if w.form.Title != nil {
		for _, h := range w.by.Headlines(invented) {
			text += w.form.Title(h)
		}
		if text != "" {
			text += "\n"
		}
	}
	return w.write(text)
}

// Tell tells verdicts that change, or keeps them for End.
func (w *Writer) Tell(verdicts []Verdict) error {
	for _, v := range verdicts {
		w.verdicts++
		for _, name := range v.Crawlers {
			w.affected[name] = true
		}
		if w.listed && w.form.Bundles {
			w.bundles.Add(v)
		} else if err := w.write(w.form.Verdict(v)); err != nil {
			return err
		}
	}
	return nil
}

// End tells what was kept and what else changes, and returns how much all of it is. The invented verdicts say
// which rules have an effect.
func (w *Writer) End(invented []Verdict) (Totals, error) {
	for _, v := range w.bundles.Verdicts() {
		if err := w.write(w.form.Verdict(v)); err != nil {
			return Totals{}, err
		}
	}
	others := Others(w.by, invented)
	t := Totals{w.verdicts, len(w.affected), w.by.Count(), len(others), w.bundles.Rest()}
	var b strings.Builder
	for _, other := range others {
		b.WriteString(w.form.Other(other))
	}
	text := b.String()
	if w.verdicts == 0 {
		text = strings.TrimPrefix(text, "\n")
	}
	if w.form.Between != nil {
		text = w.form.Between(t) + text
	}
	return t, w.write(text)
}

func (w *Writer) write(text string) error {
	_, err := io.WriteString(w.out, text)
	return err
}

// JSON is the form with a JSON object a line.
func JSON() Form { return data("", func(c Change) string { return verb.JSONLine(c) }) }

// CSV is the form with a row a line, after a row of names.
func CSV() Form {
	head := verb.CSVLine("kind", "change", "url", "text", "crawlers", "from", "before", "after", "old_rule", "old_line", "new_rule", "new_line", "effect")
	return data(head, func(c Change) string {
		effect := ""
		if c.Effect != nil {
			effect = fmt.Sprint(*c.Effect)
		}
		return verb.CSVLine(c.Kind, c.Change, c.URL, c.Text, strings.Join(c.Crawlers, " "), strings.Join(c.From, " "), c.Before, c.After,
			c.OldRule, number(c.OldLine), c.NewRule, number(c.NewLine), effect)
	})
}

func data(head string, tell func(Change) string) Form {
	return Form{Head: head, Other: tell, Verdict: func(v Verdict) string {
		return tell(Change{
			Kind: "verdict", Change: word(v.New), URL: v.URL, Crawlers: v.Crawlers, Before: word(v.Old), After: word(v.New),
			OldRule: v.Old.String(), OldLine: v.Old.Line, NewRule: v.New.String(), NewLine: v.New.Line,
		})
	}}
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// mostInMarkdown is how many verdicts, rules and records a comment lists: hosts limit its
// length.
const mostInMarkdown = 50

// Markdown is the form for the comment of a review. What the files say stands in it as code.
func Markdown() Form {
	verdicts, others, allOthers := 0, 0, 0
	return Form{
		Bundles: true,
		Title: func(h Headline) string {
			return fmt.Sprintf("- **%s: %s**\n", someAs(h.Crawlers, code), escaped(h.What))
		},
		Verdict: func(v Verdict) string {
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
