package tester

import (
	"unicode/utf8"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
)

type verdict struct {
	Verdict report.Outcome `json:"verdict"`
	Line    int            `json:"line"`
	Rule    string         `json:"rule"`
	Error   string         `json:"error"`
}

// invalid is the verdict on what is no URL.
const invalid report.Outcome = "invalid"

func verdictOf(v judge.Verdict) verdict {
	if v.Err != nil {
		return verdict{Verdict: invalid, Error: excerpt(v.Err.Error())}
	}
	if v.Decision.Reason != polite.ReasonRule {
		return verdict{Verdict: report.OutcomeOf(v.Decision, nil)}
	}
	return byRule(v.Decision.Rule)
}

// byRule returns the verdict of a rule. If it is zero, none matches, and all is allowed.
func byRule(r robots.Rule) verdict {
	v := verdict{Verdict: report.Disallowed}
	if compare.Allowed(r) {
		v.Verdict = report.Allowed
	}
	if r != (robots.Rule{}) {
		v.Line, v.Rule = r.Line, excerpt(r.String())
	}
	return v
}

// longest is how many octets of a text of the file are told. One rule may be as long as the
// file, and decide on each of 10,000 URLs.
const longest = 1000

// excerpt returns the beginning of a text that others wrote, made printable.
func excerpt(text string) string {
	if len(text) <= longest {
		return printable.Text(text)
	}
	end := longest
	for end > longest-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return printable.Text(text[:end]) + "..."
}
