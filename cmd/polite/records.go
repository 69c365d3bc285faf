package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
)

const recordsUsage = `usage: polite records [--json] [--no-cache] URL|file

Prints what a robots.txt says besides its rules: each line whose key is not
user-agent, allow or disallow, with its number. If the line stands in a group, the
agents of the group follow in parentheses. For a URL it asks the site for its
robots.txt, whatever is in the cache; for "-" it reads standard input.

    --json       write a JSON object a line: line, key, value and agents
    --no-cache   do not use the cache

Exit status:

    0   the records were printed, if there are any
    1   failed: disk full, an interrupt, ...
    2   usage: nothing was read
    4   robots.txt is unreachable, is not readable, or does not exist
`

func records(ctx context.Context, args []string, std verb.Streams) error {
	return input.TellOne(ctx, "records", args, std, func(s input.Source, asJSON bool) string {
		tell := recordLine
		if asJSON {
			tell = recordJSON
		}
		var b strings.Builder
		f := robots.Parse(s.Body)
		for r := range f.Records() {
			b.WriteString(tell(r, f.Agents(r)))
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
	return verb.JSONLine(struct {
		Line   int      `json:"line"`
		Key    string   `json:"key"`
		Value  string   `json:"value"`
		Agents []string `json:"agents,omitempty"`
	}{r.Line, r.Key, r.Value, agents})
}
