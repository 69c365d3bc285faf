package command

import (
	"fmt"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	uses "github.com/go-polite/polite/robots/usage"
	"github.com/spf13/cobra"
)

func recordsVerb(std verb.Streams) *cobra.Command {
	var o input.TellOptions
	c := &cobra.Command{
		Use: "records URL|file...", Short: "print what it says besides its rules", GroupID: forFiles,
		RunE: func(c *cobra.Command, args []string) error {
			return input.TellEach(c.Context(), "records", args, o, std, records)
		},
	}
	o.Flags(c.Flags(), "write a JSON object a line: line, key, value, agents and says; of several, file too")
	return c
}

// records tells the records of a robots.txt.
func records(s input.Source, o input.TellOptions) string {
	tell, file := recordLine, ""
	if o.JSON {
		tell = recordJSON
	}
	if o.Many {
		file = s.Name
	}
	var b strings.Builder
	f := robots.Parse(s.Body)
	for r := range f.Records() {
		b.WriteString(tell(file, r, f.Agents(r)))
	}
	return b.String()
}

// recordLine tells a record of a file; "" is for the only one.
func recordLine(file string, r robots.Record, agents []string) string {
	line := fmt.Sprintf("%d: %s: %s", r.Line, r.Key, r.Value)
	if file != "" {
		line = beginning(file) + ":" + line
	}
	if len(agents) > 0 {
		line += " (" + strings.Join(agents, ", ") + ")"
	}
	if meaning := meaning(r); meaning != "" {
		line += "  <- " + meaning
	}
	return printable.Text(line) + "\n"
}

// meaning tells what a record says about use. It is "" for any other record.
func meaning(r robots.Record) string {
	switch key := strings.ToLower(r.Key); key {
	case "license":
		return "the terms for all pages"
	case "content-signal", "content-usage":
		var all []string
		on := "all pages"
		for _, u := range usesOf(r) {
			all = append(all, u.text())
			if u.Path != "" {
				on = u.Path
			}
		}
		if len(all) == 0 {
			return "nothing: see polite lint"
		}
		return strings.Join(all, ", ") + " on " + on
	}
	return ""
}

// A recordUse is what a record says about one use, in JSON.
type recordUse struct {
	Use   uses.Use        `json:"use"`
	Says  uses.Preference `json:"says"`
	Value string          `json:"value,omitempty"`
	Path  string          `json:"path,omitempty"`
}

func (u recordUse) text() string {
	if u.Says == uses.NotStated {
		return strings.TrimSpace(string(u.Use) + " " + u.Value)
	}
	return string(u.Use) + " " + u.Says.String()
}

func usesOf(r robots.Record) (all []recordUse) {
	for s := range uses.OfRecord(r) {
		all = append(all, recordUse{s.Use, s.Preference, s.Value, s.Path})
	}
	return all
}

func recordJSON(file string, r robots.Record, agents []string) string {
	return verb.JSONLine(struct {
		File   string      `json:"file,omitempty"`
		Line   int         `json:"line"`
		Key    string      `json:"key"`
		Value  string      `json:"value"`
		Agents []string    `json:"agents,omitempty"`
		Says   []recordUse `json:"says,omitempty"`
	}{file, r.Line, r.Key, r.Value, agents, usesOf(r)})
}
