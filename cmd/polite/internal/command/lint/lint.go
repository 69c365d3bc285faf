// Package lint is the verb of this name.
package lint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/reader"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/serving"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/closest"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/lint"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Verb returns "polite lint".
func Verb(std verb.Streams) *cobra.Command {
	o := options{worst: lint.Warning, as: []string{serving.Browser()}}
	c := &cobra.Command{
		Use: "lint URL|file...", Short: "tell what is wrong with a robots.txt",
		SuggestFor: []string{"validate", "validator", "verify", "audit"},
		Long:       listOfChecks(),
		Args: func(c *cobra.Command, sources []string) error {
			o.sources = sources
			return o.makesSense(c.Context())
		},
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context(), std) },
	}
	o.flags(c.Flags())
	c.MarkFlagsMutuallyExclusive("json", "sarif")
	return c
}

// listOfChecks is the end of the help.
func listOfChecks() string {
	var b strings.Builder
	b.WriteString("\n\n")
	list(&b, lint.Checks())
	b.WriteString("\nFor a URL, also for these, which --ignore leaves out, but no comment:\n\n")
	list(&b, serving.Checks())
	return strings.TrimSuffix(b.String(), "\n")
}

// list lists checks by their severities.
func list(b *strings.Builder, checks []lint.Check) {
	for severity := lint.Error; severity >= lint.Note; severity-- {
		fmt.Fprintf(b, "  %ss:\n", severity)
		for _, c := range checks {
			if c.Severity == severity {
				head := fmt.Sprintf("    %-24s  ", c.ID)
				b.WriteString(terminal.Fold(head+c.Summary, 80, len(head)) + "\n")
			}
		}
	}
}

// run checks the sources that the options name, or explains a check.
func (o options) run(ctx context.Context, std verb.Streams) error {
	if o.explain != "" {
		_, err := io.WriteString(std.Out, explainCheck(terminal.StyleFor(std.Out), o.explain))
		return err
	}
	f, err := o.lint(ctx, std)
	if f == nil {
		return err
	}
	if o.sarif && !o.quiet && err == nil {
		if _, err := io.WriteString(std.Out, sarifLog(checks(), f.sources, f.unread)); err != nil {
			return err
		}
	}
	if o.isText() && f.files > 0 {
		fmt.Fprintln(std.Err, f.summary(o.level))
	}
	return cmp.Or(err, o.status(f).OrNil())
}

type options struct {
	worst   lint.Severity // of what need not be fixed
	level   lint.Severity // of what is told at least
	ignore  []string
	json    bool
	sarif   bool
	fix     string // "safe" or "all" edits are made; "" for none
	quiet   bool   // write nothing
	explain string // the id to explain; "" for none
	reading reader.Options
	as      []string // the User-Agents in whose names sites are asked, too
	sources []string
}

// flags defines the flags of lint.
func (o *options) flags(flags *pflag.FlagSet) {
	flags.BoolFunc("strict", "fail if there is a warning, too", func(string) error {
		o.worst = lint.Note
		return nil
	})
	flags.Func("level", "tell and count only findings of this `severity` or a worse one: note, warning or error", func(name string) error {
		i := slices.Index(Severities(), name)
		if i < 0 {
			return errors.New("there is " + strings.Join(Severities(), ", "))
		}
		o.level = lint.Error - lint.Severity(i)
		return nil
	})
	flags.Func("ignore", "do not look for findings of this `id`. May be repeated, or a list: id,id", o.addIgnored)
	flags.Func("explain", "tell what a finding of this `id` means, with an example", func(id string) error {
		o.explain = id
		return knownCheck(id)
	})
	flags.Func("as", "ask a site as this `User-Agent`, too, and tell if it gets another file. May be repeated", func(userAgent string) error {
		o.as = append(o.as, userAgent)
		return input.VetAgent(userAgent)
	})
	flags.Func("fix", "make the `edits` of findings in the files, and show them: those that change no verdict, delay or preference, or with --fix=all, all. The text of \"-\" is written to standard output", func(which string) error {
		o.fix = which
		if which != "safe" && which != "all" {
			return errors.New("write --fix, or --fix=all")
		}
		return nil
	})
	flags.Lookup("fix").NoOptDefVal = "safe"
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "write no findings and no summary: the exit status tells")
	flags.BoolVar(&o.json, "json", false, "write a JSON object a line")
	flags.BoolVar(&o.sarif, "sarif", false, "write one SARIF 2.1.0 log, which code scanners read")
	o.reading.Flag(flags)
}

// addIgnored takes ids of --ignore.
func (o *options) addIgnored(ids string) error {
	for id := range strings.SplitSeq(ids, ",") {
		if err := knownCheck(id); err != nil {
			return err
		}
		o.ignore = append(o.ignore, id)
	}
	return nil
}

// knownCheck returns an error if no check has the id.
func knownCheck(id string) error {
	ids := IDs()
	if slices.Contains(ids, id) {
		return nil
	}
	if meant := closest.Name(id, ids); meant != "" {
		return fmt.Errorf("there is no such id: did you mean %q?", meant)
	}
	return errors.New(`there is no such id: "polite help lint" lists them`)
}

// makesSense returns an error if the options make no sense. It reads nothing.
func (o options) makesSense(ctx context.Context) error {
	switch {
	case o.explain != "" && len(o.sources) == 0:
		return nil
	case o.explain != "":
		return errors.New("--explain reads no file: leave it out to check one")
	case len(o.sources) == 0 || slices.Contains(o.sources, ""):
		return errors.New(`which robots.txt? write a file, a URL as in https://example.com/, or "-" for standard input`)
	case o.fix != "" && slices.ContainsFunc(o.sources, input.IsURL):
		return errors.New("--fix edits files: save the robots.txt of the site first")
	case o.fix != "" && !o.isText() && slices.Contains(o.sources, "-"):
		return errors.New(`--fix writes the text of "-" to standard output: leave the other output out`)
	}
	return input.VetAll(ctx, o.sources)
}

// lint checks all sources, and writes what it finds. If it cannot read one, it tells why,
// and goes on. If ctx ends, it returns what was found until then, and an error.
func (o options) lint(ctx context.Context, std verb.Streams) (_ *tally, err error) {
	reader, end := reader.Open(ctx, "lint", o.sources, o.reading, std)
	defer end()
	f := &tally{severities: make(map[lint.Severity]int)}
	out := reader.Out()
	usual := o.teller(out, terminal.Width(std.Out), std)
	for read := range reader.AllServed(ctx, o.sources, o.as...) {
		tell := usual
		if o.fix != "" && read.Out.Err == nil {
			if read.Out.Body, err = o.edit(ctx, o.sources[read.N], read.Out.Body, out); err != nil {
				return nil, err
			}
			if o.sources[read.N] == "-" {
				tell = o.teller(std.Err, 0, std)
			}
		}
		source := o.found(read.Out)
		f.add(source, read.Out.Err)
		if read.Out.Err != nil {
			verb.Conclude("lint", read.Out.Err, std.Err)
		}
		if o.sarif {
			f.sources = append(f.sources, source)
		} else if err := tell(source, read.Out.Site); err != nil {
			return nil, err
		}
	}
	return f, reader.Interrupted(ctx)
}

// found returns what was found in a robots.txt, and in how it is served.
func (o options) found(s reader.Served) source {
	source := source{Name: s.Name, Body: s.Body}
	if s.Site.RobotsURL != "" {
		source.Name, source.Findings = s.Site.RobotsURL, serving.Findings(s.Site)
	}
	if s.Err == nil {
		source.Findings = append(source.Findings, lint.Lint(s.Body)...)
	}
	source.Findings = slices.DeleteFunc(source.Findings, o.ignores)
	return source
}

// teller returns the function that writes what was found in a source and, for people, what
// the hosts of its site answer.
func (o options) teller(w io.Writer, columns int, std verb.Streams) func(source, serving.Site) error {
	style := terminal.StyleFor(std.Out)
	return func(s source, site serving.Site) error {
		if o.quiet {
			return nil
		}
		told := o.told(s, style, columns)
		if o.isText() {
			told += serving.Table(site, style, columns)
			o.annotate(s, std.Err)
		}
		_, err := io.WriteString(w, told)
		return err
	}
}

// told tells the findings of a source one by one: to people as compilers do, with the lines that
// they are about. On a terminal with so many columns, it groups those that say the same. 0 is for what
// is no terminal.
func (o options) told(s source, style terminal.Style, columns int) string {
	lines := s.Lines()
	if o.isText() {
		s.Findings = grouped(s.Findings, columns > 0)
	}
	var b strings.Builder
	for _, f := range s.Findings {
		if o.json {
			b.WriteString(findingJSON(s.Name, f))
			continue
		}
		text, octet := lines(f)
		b.WriteString(finding(style, s.Name, f, columns) + pointed(style, f, text, octet, columns))
	}
	return b.String()
}

// annotate shows what was found in a file at its lines, if this is a step of GitHub Actions.
func (o options) annotate(s source, w io.Writer) {
	if s.Name == "stdin" || input.IsURL(s.Name) {
		return
	}
	for _, f := range s.Findings[:min(len(s.Findings), report.MostAnnotations)] {
		kind := map[lint.Severity]string{lint.Error: "error", lint.Warning: "warning", lint.Note: "notice"}[f.Severity]
		io.WriteString(w, report.Annotation(kind, s.Name, f.Line, f.Text()+" ["+f.ID+"]"))
	}
}

// status returns the exit status for the worst that was found.
func (o options) status(f *tally) verb.Status {
	switch {
	case len(f.unread) > 0:
		return verb.Unreachable
	case f.worst > o.worst:
		return verb.Failed
	default:
		return verb.OK
	}
}

// isText reports whether the output is for people.
func (o options) isText() bool { return !o.json && !o.sarif && !o.quiet }

func (o options) ignores(f lint.Finding) bool {
	return f.Severity < o.level || slices.Contains(o.ignore, f.ID)
}

// checks returns all checks, of files and of how they are served.
func checks() []lint.Check { return slices.Concat(lint.Checks(), serving.Checks()) }

// IDs returns what --explain and --ignore take.
func IDs() (ids []string) {
	for _, c := range checks() {
		ids = append(ids, c.ID)
	}
	return ids
}

// Severities returns what --level takes, the worst first.
func Severities() []string { return []string{"error", "warning", "note"} }

// A tally is what lint has found so far.
type tally struct {
	files      int
	severities map[lint.Severity]int // how many findings there are of each
	worst      lint.Severity
	unread     []error
	sources    []source // if they are needed later
}

// add adds a source, or what was found in how a file is served that could not be read.
func (f *tally) add(s source, err error) {
	if err != nil {
		f.unread = append(f.unread, err)
	} else {
		f.files++
	}
	for _, finding := range s.Findings {
		f.severities[finding.Severity] += 1 + finding.More
		f.worst = max(f.worst, finding.Severity)
	}
}

// summary tells how much was found, from a severity on.
func (f *tally) summary(from lint.Severity) string {
	var counts []string
	for severity := lint.Error; severity >= from; severity-- {
		counts = append(counts, verb.Count(f.severities[severity], severity.String()))
	}
	return strings.Join(counts, ", ") + " in " + verb.Count(f.files, "file")
}

// particular is the part of a note that its line shows, too: what it quotes, and numbers.
var particular = regexp.MustCompile(`"(\\.|[^"\\])*"|[0-9]+`)

// grouped returns the first of all notes that differ in particulars alone, with their number and lines. On a
// terminal, it does so with all findings that say the same.
func grouped(all []lint.Finding, terminal bool) (firsts []lint.Finding) {
	const most = 5                  // lines that are told
	places := make(map[string]int)  // in firsts, by what they have in common
	lines := make(map[int][]string) // by place
	for n, f := range all {
		kind := f.Message
		switch {
		case f.Severity == lint.Note && f.Line > 0:
			kind = f.ID + particular.ReplaceAllString(f.Message, "")
		case !terminal:
			kind = fmt.Sprint(n)
		}
		i, known := places[kind]
		if !known {
			i = len(firsts)
			places[kind], firsts = i, append(firsts, f)
		} else {
			firsts[i].More += f.More
		}
		lines[i] = append(lines[i], fmt.Sprint(f.Line))
	}
	for i, in := range lines {
		if len(in) > most {
			in[most-1] += " and others"
		}
		if len(in) > 1 {
			firsts[i].Message += fmt.Sprintf(" (%d times: lines %s)", len(in), strings.Join(in[:min(len(in), most)], ", "))
		}
	}
	return firsts
}

// finding tells a finding as compilers do: in a line, or on a terminal in as many as it
// takes.
func finding(s terminal.Style, name string, f lint.Finding, columns int) string {
	const indent = 4
	place, severity, id := verb.Beginning(name)+":", f.Severity.String()+":", "["+f.ID+"]"
	if f.Line > 0 {
		place += fmt.Sprintf("%d:%d:", f.Line, f.Column)
	}
	text := terminal.Fold(strings.Join([]string{place, severity, printable.Text(f.Text()), id}, " "), columns, indent)
	if rest, ok := strings.CutPrefix(text, place+" "+severity); ok { // else there is a line end in it
		text = s.Bold(place) + " " + severityColour(s, f.Severity)(severity) + rest
	}
	return strings.TrimSuffix(text, id) + s.Dim(id) + "\n"
}

// pointed shows the line of a finding, and its place. It is "" if the line is blank.
func pointed(s terminal.Style, f lint.Finding, line string, octet, columns int) string {
	const (
		usual    = 80
		narrow   = 40
		numbered = len("123456 | ")
	)
	if strings.TrimSpace(line) == "" {
		return ""
	}
	if columns == 0 {
		columns = usual
	}
	text, spaces := terminal.Pointed(line, octet, max(columns, narrow)-numbered-1)
	return fmt.Sprintf("%6d | %s\n       | %s%s\n", f.Line, strings.TrimRight(text, " "), spaces, severityColour(s, f.Severity)("^"))
}

func severityColour(s terminal.Style, severity lint.Severity) func(string) string {
	switch severity {
	case lint.Error:
		return s.Red
	case lint.Warning:
		return s.Yellow
	default:
		return s.Bold
	}
}

func findingJSON(name string, f lint.Finding) string {
	return verb.JSONLine(struct {
		File     string `json:"file"`
		Line     int    `json:"line,omitempty"` // 0 if it is about how the file is served
		Column   int    `json:"column,omitempty"`
		Severity string `json:"severity"`
		ID       string `json:"id"`
		Message  string `json:"message"`
		More     int    `json:"more,omitempty"`

		Edit *lint.Edit `json:"edit,omitempty"`
	}{name, f.Line, f.Column, f.Severity.String(), f.ID, f.Message, f.More, f.Edit})
}

// explainCheck tells what a check finds, with an example.
func explainCheck(s terminal.Style, id string) string {
	all := checks()
	c := all[slices.IndexFunc(all, func(c lint.Check) bool { return c.ID == id })]
	var b strings.Builder
	b.WriteString(s.Bold(c.ID) + "\n\n")
	b.WriteString(terminal.Fold(c.Summary, 80, 0) + "\n\n")
	dialogue := serving.Example(id)
	b.WriteString(terminal.Fold(fmt.Sprintf("It is %s.", means(c.Severity, dialogue != "")), 80, 0) + "\n\nFor example:\n\n")
	if dialogue != "" {
		b.WriteString(indented(strings.TrimRight(dialogue, "\n")))
		fmt.Fprintf(&b, "\nIf this is meant as it is, use --ignore %s.\n", id)
	} else {
		b.WriteString(exampleOf(s, id))
		fmt.Fprintf(&b, "\nIf the line is meant as it is, write above it:\n\n    # polite-lint: ignore %s\n", id)
	}
	return b.String()
}

// indented returns the beginning of a text of several lines, indented.
func indented(text string) string {
	const most = 20
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > most {
			return b.String() + "    ...\n"
		}
		b.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
	}
	return b.String()
}

// exampleOf shows a file, unless it is long, and what the check finds in it.
func exampleOf(s terminal.Style, id string) string {
	body := []byte(lint.Example(id))
	found := slices.DeleteFunc(lint.Lint(body), func(f lint.Finding) bool { return f.ID != id })
	source := source{Name: "robots.txt", Body: body, Findings: found[:1]}
	text, octet := source.Lines()(found[0])
	var b strings.Builder
	for _, line := range source.Short() {
		b.WriteString("    " + terminal.Excerpt(line) + "\n")
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	place := fmt.Sprintf("    line %d: ", found[0].Line)
	return b.String() + terminal.Fold(place+found[0].Message, 80, terminal.Cells(place)) + "\n" + pointed(s, found[0], text, octet, 0)
}

// means tells what a severity means, of a finding about how a site serves its file, or in a file.
func means(severity lint.Severity, served bool) string {
	switch {
	case severity == lint.Error && served:
		return "an error: crawlers do not get the rules. Lint fails"
	case severity == lint.Error:
		return "an error: the line does nothing, or not what it says. Lint fails"
	case severity == lint.Warning && served:
		return "a warning: crawlers may go by other rules than you expect. With --strict, lint fails"
	case severity == lint.Warning:
		return "a warning: the line does something else than many expect. With --strict, lint fails"
	default:
		return "a note: it is worth knowing"
	}
}
