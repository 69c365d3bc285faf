package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/sarif"
	"github.com/go-polite/polite/cmd/polite/internal/serving"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/closest"
	"github.com/go-polite/polite/robots/lint"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func lintVerb(std verb.Streams) *cobra.Command {
	o := lintOptions{worst: lint.Warning, as: []string{serving.Browser()}}
	c := &cobra.Command{
		Use: "lint URL|file...", Short: "tell what is wrong with a robots.txt", GroupID: forFiles,
		SuggestFor: []string{"validate", "validator", "verify", "audit"},
		Long:       listOfChecks(),
		RunE: func(c *cobra.Command, sources []string) error {
			o.sources = sources
			if err := o.makesSense(c.Context()); err != nil {
				return verb.Misused("lint", err)
			}
			return o.run(c.Context(), std)
		},
	}
	o.flags(c.Flags())
	return c
}

// listOfChecks is the end of the help.
func listOfChecks() string {
	var b strings.Builder
	b.WriteString("\n\n")
	list(&b, lint.Checks())
	b.WriteString("\nOf a URL, it also looks for these. --ignore leaves them out, a comment does not:\n\n")
	list(&b, serving.Checks())
	return strings.TrimSuffix(b.String(), "\n")
}

func list(b *strings.Builder, checks []lint.Check) {
	for _, c := range checks {
		head := fmt.Sprintf("    %-24s %-7s  ", c.ID, c.Severity)
		b.WriteString(terminal.Fold(head+c.Summary, 80, len(head)) + "\n")
	}
}

// run checks the sources that the options name, or explains a check.
func (o lintOptions) run(ctx context.Context, std verb.Streams) error {
	if o.explain != "" {
		_, err := io.WriteString(std.Out, explainCheck(o.colour.StyleFor(std.Out), o.explain))
		return err
	}
	f, err := o.lint(ctx, std)
	if err != nil {
		return err
	}
	if o.sarif && !o.quiet {
		if _, err := io.WriteString(std.Out, sarif.Log(checks(), f.inOrder(), f.unread)); err != nil {
			return err
		}
	}
	if o.isText() && f.files > 0 {
		fmt.Fprintln(std.Err, f.summary(o.level))
	}
	return o.status(f).OrNil()
}

type lintOptions struct {
	worst     lint.Severity // of what need not be fixed
	level     lint.Severity // of what is told at least
	ignore    []string
	json, csv bool
	sarif     bool
	quiet     bool   // write nothing
	explain   string // the id to explain; "" for none
	colour    terminal.Colour
	reading   input.Options
	as        []string // the User-Agents in whose names sites are asked, too
	sources   []string
}

// flags defines the flags of lint.
func (o *lintOptions) flags(flags *pflag.FlagSet) {
	flags.BoolFunc("strict", "fail if there is a warning, too", func(string) error {
		o.worst = lint.Note
		return nil
	})
	flags.Func("level", "tell and count only findings of this `severity` or a worse one: note, warning or error", o.setLevel)
	flags.Func("ignore", "do not look for findings of this `id`. May be repeated, or a list: id,id", o.addIgnored)
	flags.Func("explain", "tell what a finding of this `id` means, with an example", func(id string) error {
		o.explain = id
		return knownCheck(id)
	})
	flags.Func("as", "ask a site as this `User-Agent`, too, and tell if it gets another file. May be repeated", o.addAgent)
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "write no findings and no summary: the exit status tells")
	flags.BoolVar(&o.json, "json", false, "write a JSON object a line: file, line, column, severity, id, message, and the edit that does what the message says. A finding about how the file is served has no line and column")
	flags.BoolVar(&o.csv, "csv", false, "write CSV: file, line, column, severity, id, message")
	flags.BoolVar(&o.sarif, "sarif", false, "write one SARIF 2.1.0 log, which code scanners read")
	o.colour.Flag(flags)
	o.reading.Flag(flags)
}

// setLevel takes the severity of --level.
func (o *lintOptions) setLevel(name string) error {
	for o.level = lint.Error; o.level.String() != name; o.level-- {
		if o.level == lint.Note {
			return errors.New("there is " + strings.Join(valuesOf("severity"), ", "))
		}
	}
	return nil
}

// addIgnored takes ids of --ignore.
func (o *lintOptions) addIgnored(ids string) error {
	for id := range strings.SplitSeq(ids, ",") {
		if err := knownCheck(id); err != nil {
			return err
		}
		o.ignore = append(o.ignore, id)
	}
	return nil
}

// addAgent takes a User-Agent of --as.
func (o *lintOptions) addAgent(userAgent string) error {
	o.as = append(o.as, userAgent)
	return serving.VetAgent(userAgent)
}

// knownCheck returns an error if no check has the id.
func knownCheck(id string) error {
	var ids []string
	for _, c := range checks() {
		ids = append(ids, c.ID)
	}
	if slices.Contains(ids, id) {
		return nil
	}
	if meant := closest.Name(id, ids); meant != "" {
		return fmt.Errorf("there is no such id: did you mean %q?", meant)
	}
	return errors.New(`there is no such id: "polite help lint" lists them`)
}

// makesSense returns an error if the options make no sense. It reads nothing.
func (o lintOptions) makesSense(ctx context.Context) error {
	outputs := 0
	for _, asked := range []bool{o.json, o.csv, o.sarif} {
		if asked {
			outputs++
		}
	}
	switch {
	case o.explain != "" && len(o.sources) == 0:
		return nil
	case o.explain != "":
		return errors.New("--explain reads no file: leave it out to check one")
	case len(o.sources) == 0 || slices.Contains(o.sources, ""):
		return errors.New(`which robots.txt? write a file, a URL as in https://example.com/, or "-" for standard input`)
	case outputs > 1:
		return errors.New("--json or --sarif? there is one output: --json, --csv or --sarif")
	}
	return input.VetAll(ctx, o.sources)
}

// lint checks all sources, and writes what it finds. If it cannot read one, it tells why,
// and goes on.
func (o lintOptions) lint(ctx context.Context, std verb.Streams) (*tally, error) {
	reader, end := input.Open(ctx, "lint", o.sources, o.reading, std)
	defer end()
	f := &tally{severities: make(map[lint.Severity]int), sources: make(map[int]sarif.Source)}
	tell := o.teller(reader.Out(), terminal.Width(std.Out), std)
	for read := range reader.AllServed(ctx, o.sources, o.as...) {
		source := o.found(read.Out)
		f.add(source, read.Out.Err)
		if read.Out.Err != nil {
			verb.Conclude("lint", read.Out.Err, std.Err)
		}
		if o.sarif {
			f.sources[read.N] = source
		} else if err := tell(source, read.Out.Site); err != nil {
			return nil, err
		}
	}
	return f, context.Cause(ctx)
}

// found returns what was found in a robots.txt, and in how it is served.
func (o lintOptions) found(s input.Served) sarif.Source {
	source := sarif.Source{Name: s.Name, Body: s.Body}
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
func (o lintOptions) teller(w io.Writer, columns int, std verb.Streams) func(sarif.Source, serving.Site) error {
	style := o.colour.StyleFor(std.Out)
	text := textFindings(style, columns)
	switch {
	case o.json:
		text = eachFinding(findingJSON)
	case o.csv:
		text = csvFindings()
	}
	return func(s sarif.Source, site serving.Site) error {
		if o.quiet {
			return nil
		}
		told := text(s)
		if o.isText() {
			told += serving.Table(site, style, columns)
			o.annotate(s, std.Err)
		}
		_, err := io.WriteString(w, told)
		return err
	}
}

// annotate shows what was found in a file at its lines, if this is a step of GitHub Actions.
func (o lintOptions) annotate(s sarif.Source, w io.Writer) {
	if os.Getenv("GITHUB_ACTIONS") != "true" || s.Name == "stdin" || input.IsURL(s.Name) {
		return
	}
	for _, f := range s.Findings[:min(len(s.Findings), mostAnnotations)] {
		kind := map[lint.Severity]string{lint.Error: "error", lint.Warning: "warning", lint.Note: "notice"}[f.Severity]
		io.WriteString(w, report.Annotation(kind, s.Name, f.Line, f.Text()+" ["+f.ID+"]"))
	}
}

// status returns the exit status for the worst that was found.
func (o lintOptions) status(f *tally) verb.Status {
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
func (o lintOptions) isText() bool { return !o.json && !o.csv && !o.sarif && !o.quiet }

func (o lintOptions) ignores(f lint.Finding) bool {
	return f.Severity < o.level || slices.Contains(o.ignore, f.ID)
}

// checks returns all checks, of files and of how they are served.
func checks() []lint.Check { return slices.Concat(lint.Checks(), serving.Checks()) }
