package tester

import (
	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/told"
	"github.com/go-polite/polite/robots"
)

type verdict struct {
	Verdict told.Outcome `json:"verdict"`
	Line    int          `json:"line"`
	Rule    string       `json:"rule"`
	Error   string       `json:"error"`
}

// invalid is the verdict on what is no URL.
const invalid told.Outcome = "invalid"

func verdictOf(v judge.Verdict) verdict {
	if v.Err != nil {
		return verdict{Verdict: invalid, Error: excerpt(v.Err.Error())}
	}
	if v.Decision.Reason != polite.ReasonRule {
		return verdict{Verdict: told.OutcomeOf(v.Decision, nil)}
	}
	return byRule(v.Decision.Rule)
}

// byRule returns the verdict of a rule. If it is zero, none matches, and all is allowed.
func byRule(r robots.Rule) verdict {
	v := verdict{Verdict: told.Disallowed}
	if compare.Allowed(r) {
		v.Verdict = told.Allowed
	}
	if r != (robots.Rule{}) {
		v.Line, v.Rule = r.Line, excerpt(r.String())
	}
	return v
}
