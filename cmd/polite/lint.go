package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/kept"
	"github.com/go-polite/polite/cmd/polite/internal/sarif"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/closest"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/lint"
)

const lintText = `usage: polite lint [--strict] [--ignore id]... [--json|--sarif] [--no-cache]
                   URL|file...

Tells what is wrong with a robots.txt, in the format of compilers:

    file:line:column: severity: message [id]

A summary goes to standard error. It reads files, standard input for "-", and for a
URL the robots.txt of its site. It asks the site now, whatever is in the cache, and
keeps the answer there. It reads the first 500 KiB of each: crawlers may ignore what
follows.

    --strict      fail if there is a warning, too
    --ignore id   do not look for this. May be repeated, or a list: id,id
    --json        write a JSON object a line: file, line, column, severity, id, message
    --sarif       write one SARIF 2.1.0 log, which code scanners read
    --no-cache    do not use the cache

Exit status:

    0   nothing is to be fixed: no error, and with --strict no warning either
    1   something is to be fixed
    2   usage: nothing was read
    4   a robots.txt is unreachable, is not readable, or does not exist

It looks for:

`

func lintUsage() string {
	var b strings.Builder
	b.WriteString(lintText)
	for _, c := range lint.Checks() {
		fmt.Fprintf(&b, "    %-24s %-7s  %s\n", c.ID, c.Severity, c.Summary)
	}
	return b.String()
}

func lintFiles(ctx context.Context, args []string, std verb.Streams) error {
	o, err := parseLint(ctx, args)
	if err != nil {
		return err
	}
	all, unread := o.lint(ctx, std)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, err := io.WriteString(std.Out, o.text(terminal.StyleFor(std.Out), all, unread)); err != nil {
		return err
	}
	if !o.json && !o.sarif && len(all) > 0 {
		fmt.Fprintln(std.Err, summary(all))
	}
	return o.status(all, unread).OrNil()
}

type lintOptions struct {
	worst       lint.Severity // of what need not be fixed
	ignore      []string
	json, sarif bool
	kept        kept.Options
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
	o.kept.Flag(flags)
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
	if o.sources, err = verb.Parse(flags, args); err != nil {
		return o, err
	}
	if err := o.makesSense(ctx); err != nil {
		return o, verb.Misused("lint", err)
	}
	return o, nil
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
		if err := input.VetRobots(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// lint checks all sources. If it cannot read one, it tells why, and goes on.
func (o lintOptions) lint(ctx context.Context, std verb.Streams) (all []sarif.Source, unread []error) {
	reader, end := input.Open(ctx, "lint", o.sources, o.kept, std)
	defer end()
	for _, name := range o.sources {
		source, err := reader.Robots(ctx, name)
		if ctx.Err() != nil {
			return nil, nil
		}
		if err != nil {
			verb.Conclude("lint", err, std.Err)
			unread = append(unread, err)
			continue
		}
		findings := slices.DeleteFunc(lint.Lint(source.Body), o.ignores)
		all = append(all, sarif.Source{Name: source.Name, Body: source.Body, Findings: findings})
	}
	return all, unread
}

// status returns the exit status for the worst that was found.
func (o lintOptions) status(all []sarif.Source, unread []error) verb.Status {
	toFix := func(f lint.Finding) bool { return f.Severity > o.worst }
	switch {
	case len(unread) > 0:
		return verb.Unreachable
	case slices.ContainsFunc(all, func(s sarif.Source) bool { return slices.ContainsFunc(s.Findings, toFix) }):
		return verb.Failed
	default:
		return verb.OK
	}
}

func (o lintOptions) ignores(f lint.Finding) bool { return slices.Contains(o.ignore, f.ID) }

// text tells all that was found.
func (o lintOptions) text(s terminal.Style, all []sarif.Source, unread []error) string {
	if o.sarif {
		return sarif.Log(all, unread)
	}
	var b strings.Builder
	for _, l := range all {
		for _, f := range l.Findings {
			if o.json {
				b.WriteString(findingJSON(l.Name, f))
			} else {
				b.WriteString(finding(s, l.Name, f))
			}
		}
	}
	return b.String()
}

// finding tells a finding as compilers do.
func finding(s terminal.Style, name string, f lint.Finding) string {
	place := s.Bold(fmt.Sprintf("%s:%d:%d:", shownFile(name), f.Line, f.Column))
	return fmt.Sprintf("%s %s %s %s\n", place, severity(s, f.Severity), printable.Text(f.Message), s.Dim("["+f.ID+"]"))
}

// shownFile returns the name of a file for the beginning of a line. There, "-" may be
// an option to the next command of a pipe, and "::" a command to a CI system.
func shownFile(name string) string {
	if strings.HasPrefix(name, "-") || strings.HasPrefix(strings.TrimLeft(name, " "), ":") {
		name = "./" + name // which is the same
	}
	return printable.Text(name)
}

func severity(s terminal.Style, severity lint.Severity) string {
	text := severity.String() + ":"
	switch severity {
	case lint.Error:
		return s.Red(text)
	case lint.Warning:
		return s.Yellow(text)
	default:
		return s.Bold(text)
	}
}

func findingJSON(name string, f lint.Finding) string {
	return verb.JSONLine(struct {
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
func summary(all []sarif.Source) string {
	found := make(map[lint.Severity]int)
	for _, l := range all {
		for _, f := range l.Findings {
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
