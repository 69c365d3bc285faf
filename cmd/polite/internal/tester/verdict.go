package tester

import (
	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
)

// A verdict is that on a URL for a crawler, and the line of the rule that decides, 0 if none
// does.
type verdict struct {
	Verdict report.Outcome `json:"verdict"`
	Line    int            `json:"line,omitempty"`
	Error   string         `json:"error,omitempty"` // why it is no URL
}

// invalid is the verdict on what is no URL.
const invalid report.Outcome = "invalid"

func verdictOf(r robots.Rule, err error) verdict {
	if err != nil {
		return verdict{Verdict: invalid, Error: excerpt(err.Error())}
	}
	return byRule(r)
}

// byRule returns the verdict of a rule. If it is zero, none matches, and all is allowed.
func byRule(r robots.Rule) verdict {
	if compare.Allowed(r) {
		return verdict{Verdict: report.Allowed, Line: r.Line}
	}
	return verdict{Verdict: report.Disallowed, Line: r.Line}
}

// longest is how many octets of a text of the file are told. One rule may be as long as the
// file, and decide on each of 10,000 URLs.
const longest = 1000

// excerpt returns the beginning of a text that others wrote, made printable.
func excerpt(text string) string { return printable.Excerpt(text, longest) }

type totals struct {
	Allowed    int `json:"allowed"`
	Disallowed int `json:"disallowed"`
	Invalid    int `json:"invalid"`
}

func totalsOf(verdicts []verdict) (t totals) {
	for _, v := range verdicts {
		t.add(v.Verdict)
	}
	return t
}

// add counts a verdict.
func (t *totals) add(v report.Outcome) {
	switch v {
	case report.Allowed:
		t.Allowed++
	case report.Disallowed:
		t.Disallowed++
	default:
		t.Invalid++
	}
}

func (t *totals) join(u totals) {
	t.Allowed, t.Disallowed, t.Invalid = t.Allowed+u.Allowed, t.Disallowed+u.Disallowed, t.Invalid+u.Invalid
}
