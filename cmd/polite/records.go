package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
)

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
	return tellFile(ctx, "records", args, std, func(s source, asJSON bool) string {
		var b strings.Builder
		f := robots.Parse(s.body)
		for r := range f.Records() {
			if asJSON {
				b.WriteString(recordJSON(r, f.Agents(r)))
			} else {
				b.WriteString(recordLine(r, f.Agents(r)))
			}
		}
		return b.String()
	})
}

func recordLine(r robots.Record, agents []string) string {
	line := fmt.Sprintf("%d: %s: %s", r.Line, r.Key, r.Value)
	if len(agents) > 0 {
		line += " (" + strings.Join(agents, ", ") + ")"
	}
	return printable.Text(line) + "\n"
}

func recordJSON(r robots.Record, agents []string) string {
	return jsonLine(struct {
		Line   int      `json:"line"`
		Key    string   `json:"key"`
		Value  string   `json:"value"`
		Agents []string `json:"agents,omitempty"`
	}{r.Line, r.Key, r.Value, agents})
}

// tellFile writes what text makes of the robots.txt that is the one argument of a
// command.
func tellFile(ctx context.Context, command string, args []string, std stdio, text func(s source, asJSON bool) string) error {
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	args, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case len(args) == 0:
		return misused(command, errors.New("of which robots.txt? write a file, or a URL as in https://example.com/"))
	case len(args) > 1:
		return misused(command, fmt.Errorf("one robots.txt at a time: unexpected argument %q", shown(args[1])))
	}
	if err := sourceMakesSense(ctx, args[0]); err != nil {
		return misused(command, err)
	}
	source, err := readSource(ctx, args[0], std)
	if err != nil {
		return err
	}
	_, err = io.WriteString(std.out, text(source, *asJSON))
	return err
}
