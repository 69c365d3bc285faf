package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
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

// What decides on each use is told once, and of thousands a few.
func TestUses(t *testing.T) {
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, ", u%d=no", i)
	}
	file := robots.Parse([]byte("user-agent: *\ncontent-signal: search=yes, use=full" + many.String() + "\ncontent-usage: search=n\n"))
	said := usage.Of(file, "/", "a")
	uses := Uses(judge.Verdict{Usage: said})
	assert.Len(t, uses, mostUses)
	assert.Equal(t, Use{usage.Search, usage.No, 3, "content-usage: search=n"}, uses[0])
	assert.Equal(t, Use{usage.Immediate, usage.Yes, 2, "content-signal: use=full"}, uses[1])
	line := usesInLine(judge.Verdict{Usage: said})
	assert.True(t, strings.HasPrefix(line, "; use: search no, immediate yes, reference yes, full yes, u0 no, "), line)
	assert.Empty(t, usesInLine(judge.Verdict{}))
}
