package compare

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
)

// A Form is how changes are told: for people all in the end, or else each as it comes, as a line of JSON.
type Form struct {
	Whole   func(Result) string
	Summary bool // the totals go to standard error
}

// A Result is all that changes by a comparison.
type Result struct {
	Headlines []Headline
	Verdicts  []Verdict // many on URLs of a list stand together
	Others    []Change
	Totals
}

// Totals are how much changes.
type Totals struct {
	Verdicts    int
	Affected    int // crawlers for which a verdict changes
	Crawlers    int // for which the files were compared
	Rest        int // rules, delays and records that changed
	Preferences int // among the records: what may be done with pages
	Untold      int // verdicts and other changes that are too many to tell
}

// String tells the totals in a sentence without its full stop.
func (t Totals) String() string {
	if t.Preferences > 0 {
		n := t.Preferences
		t.Preferences = 0
		return t.String() + ", and " + verb.Count(n, "preference") + " about the use of pages"
	}
	switch {
	case t.Verdicts == 0 && t.Rest == 0:
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
func word(r robots.Rule) string { return string(report.ByRule(Allowed(r))) }

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

const layout = "%-15s  %-15s  %-20s  %s"

// Text is the form for people, on a terminal with so many columns; 0 is for any.
func Text(s terminal.Style, columns int) Form {
	return Form{Summary: true, Whole: func(r Result) string {
		var b strings.Builder
		for _, h := range r.Headlines {
			b.WriteString(terminal.Fold(printable.Text(h.String()), columns, 4) + "\n")
		}
		if len(r.Headlines) > 0 {
			b.WriteString("\n")
		}
		if len(r.Verdicts) > 0 {
			b.WriteString(s.Bold(fmt.Sprintf(layout, "before", "after", "crawlers", "URL")) + "\n")
		}
		for _, v := range r.Verdicts {
			b.WriteString(verdictLine(s, v, columns))
		}
		if len(r.Verdicts) > 0 && len(r.Others) > 0 {
			b.WriteString("\n")
		}
		for _, c := range r.Others {
			b.WriteString(changeLine(s, c, columns))
		}
		return b.String()
	}}
}

// verdictLine tells a verdict as a row of the table.
func verdictLine(s terminal.Style, v Verdict, columns int) string {
	const from, to = 17, 32 // of the second column
	paint := s.Red
	if Allowed(v.New) {
		paint = s.Green
	}
	text := printable.Text(fmt.Sprintf(layout, cell(v.Old), cell(v.New), some(v.Crawlers), "")) + printable.URL(v.URL) + alike(v)
	text = terminal.Fold(text, columns, to+2)
	return text[:from] + paint(text[from:to]) + text[to:] + "\n"
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

// A writer tells what changes by a comparison.
type writer struct {
	out      io.Writer
	form     Form
	by       *Comparison
	heads    []Headline
	listed   bool // the verdicts are on the URLs of a list
	all      []Verdict
	bundles  Bundles
	verdicts int
	untold   int
	affected map[string]bool // the crawlers for which a verdict changes

	names           verb.Room // for the crawlers of changes
	forVerdicts     int       // octets that verdicts may still take, and other changes, so that few octets of a file make no
	forOtherChanges int       // flood: crawlers are multiplied by URLs, and names by rules
}

const (
	plainOctets       = 200_000 // of verdicts, and of other changes, for any files
	octetsForVerdicts = 5       // for an octet of the files
	octetsForOthers   = 4
	octetsForURLs     = 9 // of verdicts, for an octet of the list
)

// Tell tells what changes by a comparison of files of so many octets together: on the URLs of a list, where
// many may be told together, or on invented ones if the list is nil. If there are too many rules to find
// all that changes, complete is false.
func Tell(ctx context.Context, out io.Writer, form Form, by *Comparison, size int, list iter.Seq[judge.Question]) (t Totals, complete bool, err error) {
	invented, complete := by.Invented(ctx)
	if ctx.Err() != nil {
		return t, false, context.Cause(ctx)
	}
	w := &writer{
		out: out, form: form, by: by, listed: list != nil, affected: make(map[string]bool), names: verb.RoomFor(size),
		forVerdicts: plainOctets + octetsForVerdicts*size, forOtherChanges: plainOctets + octetsForOthers*size,
	}
	err = w.begin(by.Headlines(invented))
	switch {
	case err != nil:
	case list == nil:
		err = w.tell(invented)
	default:
		complete = true // that is asked for
		for q := range list {
			if err = cmp.Or(context.Cause(ctx), err); err != nil {
				break
			}
			if q.Err == nil {
				err = w.tell(by.On(q.Name, q.URL.RequestURI()))
			}
		}
	}
	if err != nil {
		return t, false, err
	}
	t, err = w.end(invented)
	return t, complete, err
}

// fits returns a change as a line of JSON, if there is room for it. JSON is the longest form.
func (w *writer) fits(room *int, c Change) (line string, ok bool) {
	c.Crawlers, c.More = w.names.Names(c.Crawlers)
	c.From, c.MoreFrom = w.names.Names(c.From)
	line = verb.JSONLine(c)
	if ok = len(line) <= *room; ok {
		*room -= len(line)
	} else {
		w.untold++
	}
	return line, ok
}

// begin tells headlines, or keeps them for end.
func (w *writer) begin(all []Headline) error {
	w.heads = all
	var changes []Change
	for _, h := range all {
		changes = append(changes, Change{Kind: "headline", Change: "now", Text: h.What, Crawlers: h.Crawlers})
	}
	return w.each(&w.forOtherChanges, changes)
}

// each tells changes, unless all is told in the end.
func (w *writer) each(room *int, changes []Change) error {
	if w.form.Whole != nil {
		return nil
	}
	var b strings.Builder
	for _, c := range changes {
		if line, ok := w.fits(room, c); ok {
			b.WriteString(line)
		}
	}
	_, err := io.WriteString(w.out, b.String())
	return err
}

// tell tells verdicts that change, or keeps them for end. Those on URLs of a list are all on one URL.
func (w *writer) tell(verdicts []Verdict) error {
	var changes []Change
	for _, v := range verdicts {
		w.verdicts++
		for _, name := range v.Crawlers {
			w.affected[name] = true
		}
		switch {
		case w.form.Whole == nil:
			changes = append(changes, changeOf(v))
		case w.listed:
			w.bundles.Add(v)
		default:
			w.all = append(w.all, v)
		}
	}
	if w.listed && len(changes) > 0 {
		w.forVerdicts += octetsForURLs * len(changes[0].URL+"\n")
		if w.forVerdicts < plainOctets/2 {
			changes = merged(changes)
		}
	}
	return w.each(&w.forVerdicts, changes)
}

// merged returns the changes on one URL as one for all crawlers that may fetch it now, and one for all that may not.
// It leaves out the rules of several.
func merged(changes []Change) (all []Change) {
	for _, c := range changes {
		c.OldRule, c.NewRule = "", "" // their lines tell
		i := slices.IndexFunc(all, func(other Change) bool { return other.Change == c.Change })
		if i < 0 {
			c.Crawlers = slices.Clone(c.Crawlers)
			all = append(all, c)
			continue
		}
		all[i].Crawlers, all[i].OldLine, all[i].NewLine = append(all[i].Crawlers, c.Crawlers...), 0, 0
	}
	return all
}

// end tells what was kept and what else changes, and returns how much all of it is. The invented verdicts say
// which rules have an effect.
func (w *writer) end(invented []Verdict) (Totals, error) {
	r := Result{Headlines: w.heads, Verdicts: w.all, Others: w.by.Others(invented)}
	if w.listed {
		r.Verdicts = w.bundles.Verdicts()
	}
	r.Totals = Totals{w.verdicts, len(w.affected), len(w.by.crawlers), len(r.Others), preferences(r.Others), w.bundles.rest}
	if w.form.Whole == nil {
		err := w.each(&w.forOtherChanges, r.Others)
		r.Untold += w.untold
		return r.Totals, err
	}
	r.Verdicts = slices.DeleteFunc(r.Verdicts, func(v Verdict) bool { return w.leaves(&w.forVerdicts, changeOf(v)) })
	r.Others = slices.DeleteFunc(r.Others, func(c Change) bool { return w.leaves(&w.forOtherChanges, c) })
	r.Untold += w.untold
	_, err := io.WriteString(w.out, w.form.Whole(r))
	return r.Totals, err
}

// leaves reports whether there is no room for a change.
func (w *writer) leaves(room *int, c Change) bool {
	_, ok := w.fits(room, c)
	return !ok
}

// preferences returns how many of the changes are about what may be done with pages.
func preferences(changes []Change) (n int) {
	for _, c := range changes {
		key, _, _ := strings.Cut(strings.ToLower(c.Text), ": ")
		if c.Kind == "record" && slices.Contains([]string{"content-signal", "content-usage", "allow", "disallow"}, key) { // a rule of a policy token
			n++
		}
	}
	return n
}

// JSON is the form with a JSON object a line.
func JSON() Form { return Form{} }

// changeOf returns a verdict as a change among others.
func changeOf(v Verdict) Change {
	return Change{
		Kind: "verdict", Change: word(v.New), URL: v.URL, Crawlers: v.Crawlers,
		OldRule: verb.Cut(v.Old.String()), OldLine: v.Old.Line, NewRule: verb.Cut(v.New.String()), NewLine: v.New.Line,
	}
}

// mostInMarkdown is how many headlines, verdicts, rules and records a comment lists: hosts limit its
// length.
const mostInMarkdown = 50

// Markdown is the form for the comment of a review. What the files say stands in it as code.
func Markdown() Form { return Form{Whole: markdown} }

func markdown(r Result) string {
	var b strings.Builder
	for _, h := range r.Headlines[:min(len(r.Headlines), mostInMarkdown)] {
		fmt.Fprintf(&b, "- **%s: %s**\n", someAs(h.Crawlers, code), escaped(h.What))
	}
	if beyond := len(r.Headlines) - mostInMarkdown; beyond > 0 {
		fmt.Fprintf(&b, "- and %d more\n", beyond)
	}
	if len(r.Headlines) > 0 {
		b.WriteString("\n")
	}
	if len(r.Verdicts) > 0 {
		b.WriteString("| before | after | crawlers | URL |\n|---|---|---|---|\n")
	}
	for _, v := range r.Verdicts[:min(len(r.Verdicts), mostInMarkdown)] {
		fmt.Fprintf(&b, "| %s | %s | %s | %s%s |\n", decided(v.Old), decided(v.New), someAs(v.Crawlers, code), code(v.URL), alike(v))
	}
	if beyond := len(r.Verdicts) - mostInMarkdown; beyond > 0 {
		fmt.Fprintf(&b, "| and %d more | | | |\n", beyond)
	}
	if len(r.Verdicts) > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "**%s.**\n\n", r.Totals)
	for _, c := range r.Others[:min(len(r.Others), mostInMarkdown)] {
		b.WriteString("- " + item(c) + "\n")
	}
	if beyond := len(r.Others) - mostInMarkdown; beyond > 0 {
		fmt.Fprintf(&b, "- and %d more\n", beyond)
	}
	return b.String()
}

// item tells a change that is no verdict.
func item(c Change) string {
	switch {
	case c.Kind == "delay":
		return fmt.Sprintf("crawl-delay: %s, was %s, for %s", c.After, c.Before, someAs(c.Crawlers, code))
	case c.inVain():
		return fmt.Sprintf("rule %s: %s (%s), %s", c.Change, code(c.Text), escaped(c.where()), noEffect)
	default:
		return fmt.Sprintf("%s %s: %s (%s)", c.Kind, c.Change, code(c.Text), escaped(c.where()))
	}
}

// decided tells a verdict, and the line that decides.
func decided(r robots.Rule) string {
	if r.Line == 0 {
		return word(r)
	}
	return fmt.Sprintf("%s (line %d)", word(r), r.Line)
}

// code returns text as code, cut if it is long.
func code(text string) string { return "<code>" + escaped(verb.Cut(text)) + "</code>" }

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
