package told

import (
	"errors"
	"fmt"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/stretchr/testify/assert"
)

func TestOutcome(t *testing.T) {
	allowed := polite.Decision{Allowed: true}
	for _, test := range []struct {
		name   string
		d      polite.Decision
		err    error
		want   Outcome
		status verb.Status
	}{
		{"allowed", allowed, nil, Allowed, verb.OK},
		{"disallowed by a rule", polite.Decision{Reason: polite.ReasonRule}, nil, Disallowed, verb.Disallowed},
		{"no rules", polite.Decision{Reason: polite.ReasonUnreachable}, nil, Unreachable, verb.Unreachable},
		{"refused by a rule", allowed, &polite.DisallowedError{}, Disallowed, verb.Disallowed},
		{"refused for want of rules", allowed, &polite.NoRulesError{}, Unreachable, verb.Unreachable},
		{"refused, and wrapped", allowed, fmt.Errorf("get: %w", &polite.NoRulesError{}), Unreachable, verb.Unreachable},
		{"refused, as its turn is too late", allowed, &polite.DelayError{}, Failed, verb.Failed},
		{"failed", allowed, errors.New("no connection"), Failed, verb.Failed},
		{"no decision", polite.Decision{}, errors.New("no URL"), Failed, verb.Failed},
	} {
		o := OutcomeOf(test.d, test.err)
		assert.Equal(t, test.want, o, test.name)
		assert.Equal(t, test.status, o.Status(), test.name)
	}
}
