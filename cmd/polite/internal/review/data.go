package review

import (
	"fmt"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// A datum is a change in JSON and CSV. The documentation of the command describes it.
type datum struct {
	Kind     string   `json:"kind"`
	Change   string   `json:"change"`
	URL      string   `json:"url,omitempty"`
	Text     string   `json:"text,omitempty"`
	Crawlers []string `json:"crawlers,omitempty"`
	From     []string `json:"from,omitempty"`
	Before   string   `json:"before,omitempty"`
	After    string   `json:"after,omitempty"`
	OldRule  string   `json:"old_rule,omitempty"`
	OldLine  int      `json:"old_line,omitempty"`
	NewRule  string   `json:"new_rule,omitempty"`
	NewLine  int      `json:"new_line,omitempty"`
	Effect   *bool    `json:"effect,omitempty"`
}

// JSON is the form with a JSON object a line.
func JSON() Form { return data("", func(d datum) string { return verb.JSONLine(d) }) }

// CSV is the form with a row a line, after a row of names.
func CSV() Form {
	head := verb.CSVLine("kind", "change", "url", "text", "crawlers", "from", "before", "after", "old_rule", "old_line", "new_rule", "new_line", "effect")
	return data(head, func(d datum) string {
		effect := ""
		if d.Effect != nil {
			effect = fmt.Sprint(*d.Effect)
		}
		return verb.CSVLine(d.Kind, d.Change, d.URL, d.Text, strings.Join(d.Crawlers, " "), strings.Join(d.From, " "), d.Before, d.After,
			d.OldRule, number(d.OldLine), d.NewRule, number(d.NewLine), effect)
	})
}

func data(head string, tell func(datum) string) Form {
	return Form{
		Head: head,
		Verdict: func(v compare.Verdict) string {
			return tell(datum{Kind: "verdict", Change: word(v.New), URL: v.URL, Crawlers: v.Crawlers, Before: word(v.Old), After: word(v.New),
				OldRule: v.Old.String(), OldLine: v.Old.Line, NewRule: v.New.String(), NewLine: v.New.Line})
		},
		Rule: func(r compare.Rule) string {
			d := datum{Kind: "rule", Change: r.What(), Text: ruleOf(r).String(), Crawlers: r.To, From: r.From, OldLine: r.Old.Line, NewLine: r.New.Line, Effect: &r.Effect}
			return tell(d)
		},
		Delay: func(d compare.Delay) string {
			return tell(datum{Kind: "delay", Change: "now", Crawlers: d.Crawlers, Before: delay(d.Old), After: delay(d.New)})
		},
		Record: func(r compare.Record) string {
			d := datum{Kind: "record", Change: whatOf(r), Text: r.Key + ": " + r.Value, Crawlers: r.Agents, NewLine: r.Line}
			if !r.New {
				d.OldLine, d.NewLine, d.From, d.Crawlers = r.Line, 0, r.Agents, nil
			}
			return tell(d)
		},
	}
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
