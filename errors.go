package polite

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/printable"
)

// ErrRefused is every refusal: errors.Is(err, ErrRefused) tells that polite did not
// send a request. Each refusal is also one of the others here, and has a type that
// says more. All of them are found in what http.Client returns, too.
var (
	ErrRefused = errors.New("polite: refused")

	// ErrDisallowed is the refusal by a rule of robots.txt: a *DisallowedError.
	ErrDisallowed = errors.New("polite: disallowed by robots.txt")

	// ErrNoRules is the refusal because there are no rules to go by: a
	// *NoRulesError.
	ErrNoRules = errors.New("polite: no rules to go by")

	// ErrDelayed is the refusal because the turn would come too late: a *DelayError.
	// The request may be sent later.
	ErrDelayed = errors.New("polite: the turn would come too late")
)

// A DisallowedError is the refusal of a request by a rule of robots.txt. It is
// ErrRefused and ErrDisallowed. Do not try again before Decision.Next, when polite
// asks for robots.txt again.
type DisallowedError struct{ Decision }

func (e *DisallowedError) Error() string {
	return printable.Text(fmt.Sprintf("polite: %s is disallowed for %s by %q, line %d of %s (group %q)",
		e.URL, e.Agent, e.Rule, e.Rule.Line, e.RobotsURL, e.Group))
}

// Is reports whether target is ErrRefused or ErrDisallowed.
func (e *DisallowedError) Is(target error) bool {
	return target == ErrRefused || target == ErrDisallowed
}

// A NoRulesError is the refusal of a request because there are no rules to go by:
// robots.txt could not be fetched, so that nobody knows what the site wants (RFC 9309
// §2.3.1.4), or the [Policy] denies all where there is none. Status or Err tells
// what came instead of robots.txt, Basis which field of the Policy decided, and Next
// when polite asks again. It is ErrRefused and ErrNoRules, and wraps Err.
type NoRulesError struct{ Decision }

func (e *NoRulesError) Error() string {
	problem := fmt.Sprintf("answered %d %s", e.Status, http.StatusText(e.Status))
	if e.Err != nil {
		problem = "could not be fetched: " + e.Err.Error()
	}
	return printable.Text(fmt.Sprintf("polite: %s is not fetched, because %s %s; will ask again after %s",
		e.URL, e.RobotsURL, strings.TrimSpace(problem), e.Next.Format(time.RFC3339)))
}

// Is reports whether target is ErrRefused or ErrNoRules.
func (e *NoRulesError) Is(target error) bool { return target == ErrRefused || target == ErrNoRules }

// Unwrap returns Err.
func (e *NoRulesError) Unwrap() error { return e.Err }

// A DelayError is the refusal of a request whose turn would come too late: after
// its context ends, or Pace.MaxWait; or for which too many wait already, or whose
// site asks for more than Pace.MaxDelay. Send it again at Decision.Turn: robots.txt
// has nothing against it. It is ErrRefused and ErrDelayed.
type DelayError struct {
	Decision
	Wait time.Duration // until Turn, from when the request was refused
	Why  string        // what makes that too late, in a few words
}

func (e *DelayError) Error() string {
	return printable.Text(fmt.Sprintf("polite: %s would have to wait for %v, until %s: %s", e.URL, e.Wait.Round(time.Millisecond), e.Turn.Format(time.RFC3339), e.Why))
}

// Is reports whether target is ErrRefused or ErrDelayed.
func (e *DelayError) Is(target error) bool { return target == ErrRefused || target == ErrDelayed }

// refusal returns the error for a request that d does not allow.
func (d Decision) refusal() error {
	if d.Reason == ByRule {
		return &DisallowedError{d}
	}
	return &NoRulesError{d}
}

// CheckRetry wraps the CheckRetry function of a go-retryablehttp client, such as
// retryablehttp.DefaultRetryPolicy, so that it does not send a request again
// that was refused: it would be refused again, after all the waiting.
func CheckRetry(next func(context.Context, *http.Response, error) (bool, error)) func(context.Context, *http.Response, error) (bool, error) {
	return func(ctx context.Context, resp *http.Response, err error) (bool, error) {
		if errors.Is(err, ErrRefused) {
			return false, err
		}
		return next(ctx, resp, err)
	}
}
