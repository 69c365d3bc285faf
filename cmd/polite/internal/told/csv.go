package told

import (
	"fmt"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

func csvHead() string {
	return verb.CSVLine("verdict", "crawler", "url", "line", "rule", "group", "robots_url", "error")
}

// csvLine tells a verdict in CSV. The documentation of the command describes it.
func csvLine(v judge.Verdict) string {
	d := v.Decision
	var line, rule string
	if d.Reason == polite.ReasonRule {
		line, rule = fmt.Sprint(d.Rule.Line), d.Rule.String()
	}
	o := OutcomeOf(d, v.Err)
	problem := verb.Message(v.Err)
	if v.Err == nil && o == Unreachable {
		problem = "robots.txt " + Answer(d)
	}
	return verb.CSVLine(string(o), v.Tokens[0], v.URL, line, rule, d.Group, d.RobotsURL, problem)
}
