// Package told has what the command says of a decision: in a line, in a table, and in
// JSON. Package story tells all there is to say. No other package words it.
package told

import (
	"errors"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// An Outcome is what became of a request, in a word.
type Outcome string

const (
	Allowed     Outcome = "allowed"
	Disallowed  Outcome = "disallowed"
	Unreachable Outcome = "unreachable" // robots.txt was, so there are no rules to go by
	Failed      Outcome = "failed"      // because of anything else
)

// OutcomeOf returns the outcome of a request that ended with err, or on which d was
// decided if err is nil.
func OutcomeOf(d polite.Decision, err error) Outcome {
	switch {
	case errors.Is(err, polite.ErrDisallowed):
		return Disallowed
	case errors.Is(err, polite.ErrNoRules):
		return Unreachable
	case err != nil:
		return Failed
	case d.Allowed:
		return Allowed
	case d.Reason == polite.ReasonRule:
		return Disallowed
	default:
		return Unreachable
	}
}

// Status returns the exit status for the outcome.
func (o Outcome) Status() verb.Status {
	switch o {
	case Allowed:
		return verb.OK
	case Disallowed:
		return verb.Disallowed
	case Unreachable:
		return verb.Unreachable
	default:
		return verb.Failed
	}
}

// Paint returns text in the colour of the outcome.
func (o Outcome) Paint(s terminal.Style, text string) string {
	switch o {
	case Allowed:
		return s.Green(text)
	case Disallowed:
		return s.Red(text)
	default:
		return s.Yellow(text)
	}
}
