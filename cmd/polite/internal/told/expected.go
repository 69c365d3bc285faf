package told

import (
	"fmt"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
)

// Unexpected tells, as compilers do, a verdict that is not the one that a line of a file
// expects.
func Unexpected(s terminal.Style, place, crawler string, allowed bool, v judge.Verdict) string {
	o := OutcomeOf(v.Decision, v.Err)
	return fmt.Sprintf("%s %s for %s is %s, not %s  %s\n", s.Bold(printable.Text(place)+":"), ShownURL(v), printable.Text(crawler),
		o.Paint(s, string(o)), expected(allowed), s.Dim(printable.Text(why(o, v.Decision, v.Err)+old(v.Decision))))
}

func expected(allowed bool) Outcome {
	if allowed {
		return Allowed
	}
	return Disallowed
}

// UnexpectedJSON is Unexpected as a line of JSON.
func UnexpectedJSON(place string, allowed bool, v judge.Verdict) string {
	return verb.JSONLine(struct {
		Place    string  `json:"place"`
		Expected Outcome `json:"expected"`
		Outcome  Outcome `json:"outcome"`
		verdictRecord
	}{place, expected(allowed), OutcomeOf(v.Decision, v.Err), recordOfVerdict(v)})
}
