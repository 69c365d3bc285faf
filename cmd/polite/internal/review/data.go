package review

import (
	"fmt"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// JSON is the form with a JSON object a line.
func JSON() Form { return data("", func(c Change) string { return verb.JSONLine(c) }) }

// CSV is the form with a row a line, after a row of names.
func CSV() Form {
	head := verb.CSVLine("kind", "change", "url", "text", "crawlers", "from", "before", "after", "old_rule", "old_line", "new_rule", "new_line", "effect")
	return data(head, func(c Change) string {
		effect := ""
		if c.Effect != nil {
			effect = fmt.Sprint(*c.Effect)
		}
		return verb.CSVLine(c.Kind, c.Change, c.URL, c.Text, strings.Join(c.Crawlers, " "), strings.Join(c.From, " "), c.Before, c.After,
			c.OldRule, number(c.OldLine), c.NewRule, number(c.NewLine), effect)
	})
}

func data(head string, tell func(Change) string) Form {
	return Form{Head: head, Other: tell, Verdict: func(v compare.Verdict) string {
		return tell(Change{
			Kind: "verdict", Change: word(v.New), URL: v.URL, Crawlers: v.Crawlers, Before: word(v.Old), After: word(v.New),
			OldRule: v.Old.String(), OldLine: v.Old.Line, NewRule: v.New.String(), NewLine: v.New.Line,
		})
	}}
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
