package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/go-polite/polite/robots"
)

const sitemapsUsage = `usage: polite sitemaps [--json] URL|file

Prints the sitemaps that a robots.txt names, one a line: that of the site of a
URL, or a file, or standard input for "-".

    --json   write a JSON object a line: {"sitemap":"https://..."}

Exit status: 0, or 2 for a command that makes no sense, 4 if there is no robots.txt
that can be read, 1 for any other failure.
`

func sitemaps(ctx context.Context, args []string, std stdio) error {
	file, o, err := readOne(ctx, "sitemaps", args, std)
	if err != nil {
		return err
	}
	var b strings.Builder
	for sitemap := range file.Sitemaps() {
		if o.json {
			b.WriteString(jsonLine(map[string]string{"sitemap": sitemap}))
		} else {
			b.WriteString(printable(sitemap) + "\n")
		}
	}
	_, err = io.WriteString(std.out, b.String())
	return err
}

const recordsUsage = `usage: polite records [--json] URL|file

Prints what a robots.txt says beside its rules: every line with a key that is
neither user-agent, allow nor disallow, with its number, and in parentheses the
agents of the group it stands in. The robots.txt is that of the site of a URL, or
a file, or standard input for "-".

    --json   write a JSON object a line: line, key, value and agents

Exit status: 0, or 2 for a command that makes no sense, 4 if there is no robots.txt
that can be read, 1 for any other failure.
`

func records(ctx context.Context, args []string, std stdio) error {
	file, o, err := readOne(ctx, "records", args, std)
	if err != nil {
		return err
	}
	var b strings.Builder
	for r := range file.Records() {
		if o.json {
			b.WriteString(recordJSON(r, file.Agents(r)))
		} else {
			b.WriteString(recordLine(r, file.Agents(r)))
		}
	}
	_, err = io.WriteString(std.out, b.String())
	return err
}

func recordLine(r robots.Record, agents []string) string {
	line := fmt.Sprintf("%d: %s: %s", r.Line, r.Key, r.Value)
	if len(agents) > 0 {
		line += " (" + strings.Join(agents, ", ") + ")"
	}
	return printable(line) + "\n"
}

func recordJSON(r robots.Record, agents []string) string {
	return jsonLine(struct {
		Line   int      `json:"line"`
		Key    string   `json:"key"`
		Value  string   `json:"value"`
		Agents []string `json:"agents,omitempty"`
	}{r.Line, r.Key, r.Value, agents})
}

type readOptions struct{ json bool }

// readOne reads the robots.txt that is the one argument of a command.
func readOne(ctx context.Context, command string, args []string, std stdio) (*robots.File, readOptions, error) {
	var o readOptions
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	flags.BoolVar(&o.json, "json", false, "")
	args, err := parse(flags, args)
	switch {
	case err != nil:
		return nil, o, err
	case len(args) == 0:
		return nil, o, misused(command, errors.New("of which robots.txt? write a file, or a URL as in https://example.com/"))
	case len(args) > 1:
		return nil, o, misused(command, fmt.Errorf("one robots.txt at a time: unexpected argument %q", args[1]))
	}
	if err := sourceMakesSense(ctx, args[0]); err != nil {
		return nil, o, misused(command, err)
	}
	source, err := readSource(ctx, args[0], std)
	if err != nil {
		return nil, o, err
	}
	return robots.Parse(source.body), o, nil
}
