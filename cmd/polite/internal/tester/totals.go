package tester

import "github.com/go-polite/polite/cmd/polite/internal/report"

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
