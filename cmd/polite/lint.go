package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/sarif"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/closest"
	"github.com/go-polite/polite/robots/lint"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func lintVerb(std verb.Streams) *cobra.Command {
	o := lintOptions{worst: lint.Warning}
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
	for _, c := range lint.Checks() {
		head := fmt.Sprintf("    %-24s %-7s  ", c.ID, c.Severity)
		b.WriteString(verb.Wrap(head, c.Summary))
	}
	return strings.TrimSuffix(b.String(), "\n")
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
		if _, err := io.WriteString(std.Out, sarif.Log(f.inOrder(), f.unread)); err != nil {
			return err
		}
	}
	if o.isText() && f.files > 0 {
		fmt.Fprintln(std.Err, f.summary())
	}
	return o.status(f).OrNil()
}

type lintOptions struct {
	worst     lint.Severity // of what need not be fixed
	ignore    []string
	json, csv bool
	sarif     bool
	quiet     bool   // write nothing
	explain   string // the id to explain; "" for none
	colour    terminal.Colour
	reading   input.Options
	sources   []string
}

// flags defines the flags of lint.
func (o *lintOptions) flags(flags *pflag.FlagSet) {
	flags.BoolFunc("strict", "fail if there is a warning, too", func(string) error {
		o.worst = lint.Note
		return nil
	})
	flags.Func("ignore", "do not look for findings of this `id`. May be repeated, or a list: id,id", o.addIgnored)
	flags.Func("explain", "tell what a finding of this `id` means, with an example", func(id string) error {
		o.explain = id
		return knownCheck(id)
	})
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "write no findings and no summary: the exit status tells")
	flags.BoolVar(&o.json, "json", false, "write a JSON object a line: file, line, column, severity, id, message, and the edit that does what the message says")
	flags.BoolVar(&o.csv, "csv", false, "write CSV: file, line, column, severity, id, message")
	flags.BoolVar(&o.sarif, "sarif", false, "write one SARIF 2.1.0 log, which code scanners read")
	o.colour.Flag(flags)
	o.reading.Flag(flags)
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

// knownCheck returns an error if no check has the id.
func knownCheck(id string) error {
	var ids []string
	for _, c := range lint.Checks() {
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
	for read := range reader.All(ctx, o.sources) {
		if err := read.Out.Err; err != nil {
			verb.Conclude("lint", err, std.Err)
			f.unread = append(f.unread, err)
			continue
		}
		body := read.Out.Body
		source := sarif.Source{Name: read.Out.Name, Body: body, Findings: slices.DeleteFunc(lint.Lint(body), o.ignores)}
		f.add(source)
		if o.sarif {
			f.sources[read.N] = source
		} else if err := tell(source); err != nil {
			return nil, err
		}
	}
	return f, context.Cause(ctx)
}

// teller returns the function that writes what was found in a source.
func (o lintOptions) teller(w io.Writer, columns int, std verb.Streams) func(sarif.Source) error {
	text := textFindings(o.colour.StyleFor(std.Out), columns)
	switch {
	case o.json:
		text = eachFinding(findingJSON)
	case o.csv:
		text = csvFindings()
	}
	return func(s sarif.Source) error {
		if o.quiet {
			return nil
		}
		_, err := io.WriteString(w, text(s))
		return err
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

func (o lintOptions) ignores(f lint.Finding) bool { return slices.Contains(o.ignore, f.ID) }
