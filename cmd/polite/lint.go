package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/lint"
)

const lintText = `usage: polite lint [--strict] [--ignore id]... [--json|--sarif] URL|file...

Tells what is wrong with a robots.txt, in the format of compilers:

    file:line:column: severity: message [id]

and a summary to standard error. It reads files, standard input for "-", and for
a URL the robots.txt of its site. No more than the part of it that counts is read.

    --strict      warnings count as errors do
    --ignore id   do not look for this. May be repeated, or a list: id,id
    --json        write a JSON object a line: file, line, column, severity, id, message
    --sarif       write one SARIF 2.1.0 log, as code scanners read it

Exit status:

    0   nothing to be fixed: no error, and with --strict no warning either
    1   something to be fixed
    2   usage: nothing was read
    4   a robots.txt that cannot be read, or that a site does not have

What is looked for:

`

func lintUsage() string {
	var b strings.Builder
	b.WriteString(lintText)
	for _, c := range lint.Checks() {
		fmt.Fprintf(&b, "    %-24s %-7s  %s\n", c.ID, c.Severity, c.Summary)
	}
	return b.String()
}

func lintFiles(ctx context.Context, args []string, std stdio) error {
	o, err := parseLint(ctx, args)
	if err != nil {
		return err
	}
	all, unread := o.lint(ctx, std)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, err := io.WriteString(std.out, o.text(styleFor(std.out), all, unread)); err != nil {
		return err
	}
	if !o.json && !o.sarif && len(all) > 0 {
		fmt.Fprintln(std.err, summary(all))
	}
	return o.status(all, unread).orNil()
}

type lintOptions struct {
	worst       lint.Severity // that is not to be fixed
	ignore      []string
	json, sarif bool
	sources     []string
}

func parseLint(ctx context.Context, args []string) (lintOptions, error) {
	o := lintOptions{worst: lint.Warning}
	flags := flag.NewFlagSet("lint", flag.ContinueOnError)
	flags.BoolFunc("strict", "", func(string) error {
		o.worst = lint.Note
		return nil
	})
	flags.BoolVar(&o.json, "json", false, "")
	flags.BoolVar(&o.sarif, "sarif", false, "")
	flags.Func("ignore", "", func(ids string) error {
		for id := range strings.SplitSeq(ids, ",") {
			if err := knownCheck(id); err != nil {
				return err
			}
			o.ignore = append(o.ignore, id)
		}
		return nil
	})
	var err error
	if o.sources, err = parse(flags, args); err != nil {
		return o, err
	}
	if err := o.makesSense(ctx); err != nil {
		return o, misused("lint", err)
	}
	return o, nil
}

// knownCheck returns the error for an id that no check has.
func knownCheck(id string) error {
	var ids []string
	for _, c := range lint.Checks() {
		ids = append(ids, c.ID)
	}
	if slices.Contains(ids, id) {
		return nil
	}
	if meant := closest(id, ids); meant != "" {
		return fmt.Errorf("there is no such id: did you mean %q?", meant)
	}
	return errors.New(`there is no such id: "polite help lint" lists them`)
}

// makesSense returns what there is against the options before anything is read.
func (o lintOptions) makesSense(ctx context.Context) error {
	switch {
	case len(o.sources) == 0 || slices.Contains(o.sources, ""):
		return errors.New(`which robots.txt? write a file, a URL as in https://example.com/, or "-" for standard input`)
	case o.json && o.sarif:
		return errors.New("--json or --sarif? there is one output")
	}
	for i, name := range o.sources {
		if name == "-" && slices.Contains(o.sources[:i], "-") {
			return errors.New(`"-" twice: standard input can be read once`)
		}
		if err := sourceMakesSense(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// A linted is what was found in a source.
type linted struct {
	source
	findings []lint.Finding
}

// lint reads all sources, and tells of those that it cannot read.
func (o lintOptions) lint(ctx context.Context, std stdio) (all []linted, unread []error) {
	for _, name := range o.sources {
		source, err := readSource(ctx, name, std)
		if ctx.Err() != nil {
			return nil, nil
		}
		if err != nil {
			command{name: "lint"}.conclude(err, std)
			unread = append(unread, err)
			continue
		}
		all = append(all, linted{source, slices.DeleteFunc(lint.Lint(source.body), o.ignores)})
	}
	return all, unread
}

// status tells of the worst that came of it.
func (o lintOptions) status(all []linted, unread []error) exitStatus {
	toFix := func(f lint.Finding) bool { return f.Severity > o.worst }
	switch {
	case len(unread) > 0:
		return exitUnreachable
	case slices.ContainsFunc(all, func(l linted) bool { return slices.ContainsFunc(l.findings, toFix) }):
		return exitFailed
	default:
		return exitOK
	}
}

func (o lintOptions) ignores(f lint.Finding) bool { return slices.Contains(o.ignore, f.ID) }

// text tells all that was found.
func (o lintOptions) text(s style, all []linted, unread []error) string {
	if o.sarif {
		return sarif(all, unread)
	}
	var b strings.Builder
	for _, l := range all {
		for _, f := range l.findings {
			if o.json {
				b.WriteString(findingJSON(l.name, f))
			} else {
				b.WriteString(s.finding(l.name, f))
			}
		}
	}
	return b.String()
}

// finding is a finding as compilers write it.
func (s style) finding(name string, f lint.Finding) string {
	place := s.bold(fmt.Sprintf("%s:%d:%d:", shownFile(name), f.Line, f.Column))
	return fmt.Sprintf("%s %s %s %s\n", place, s.severity(f.Severity), printable.Text(f.Message), s.dim("["+f.ID+"]"))
}

// shownFile returns the name of a file for the beginning of a line, where "-" might
// be an option to the next command of a pipe, and "::" a command to the log of a CI
// system.
func shownFile(name string) string {
	if strings.HasPrefix(name, "-") || strings.HasPrefix(strings.TrimLeft(name, " "), ":") {
		name = "./" + name // which is the same
	}
	return printable.Text(name)
}

func (s style) severity(severity lint.Severity) string {
	text := severity.String() + ":"
	switch severity {
	case lint.Error:
		return s.red(text)
	case lint.Warning:
		return s.yellow(text)
	default:
		return s.bold(text)
	}
}

func findingJSON(name string, f lint.Finding) string {
	return jsonLine(struct {
		File     string `json:"file"`
		Line     int    `json:"line"`
		Column   int    `json:"column"`
		Severity string `json:"severity"`
		ID       string `json:"id"`
		Message  string `json:"message"`
		More     int    `json:"more,omitempty"`
	}{name, f.Line, f.Column, f.Severity.String(), f.ID, f.Message, f.More})
}

// summary tells how much was found.
func summary(all []linted) string {
	found := make(map[lint.Severity]int)
	for _, l := range all {
		for _, f := range l.findings {
			found[f.Severity] += 1 + f.More
		}
	}
	return fmt.Sprintf("%s, %s, %s in %s", count(found[lint.Error], "error"),
		count(found[lint.Warning], "warning"), count(found[lint.Note], "note"), count(len(all), "file"))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
