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

// ErrRefused is every refusal: if errors.Is(err, ErrRefused), polite did not send the
// request. Each refusal is also one of the other three, and has a type that tells more.
// errors.Is and errors.AsType find them in the error of an http.Client, too.
var (
	ErrRefused = errors.New("polite: refused")

	// ErrDisallowed is the refusal by a rule of robots.txt: a *DisallowedError.
	ErrDisallowed = errors.New("polite: disallowed by robots.txt")

	// ErrNoRules is the refusal because there are no rules to go by: a
	// *NoRulesError.
	ErrNoRules = errors.New("polite: no rules to go by")

	// ErrDelayed is the refusal because the turn would come too late: a *DelayError.
	// Send the request later.
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

// A NoRulesError is the refusal of a request because there are no rules to go by. Either
// robots.txt could not be fetched, so that nobody knows what the site wants (RFC 9309
// §2.3.1.4); the site may have asked for a long break, in which polite does not fetch it.
// Or there is no robots.txt, and the [Policy] denies all. Status or Err tells what came
// instead of robots.txt. Basis names the field of Policy that decided. Send the request
// again after Next, when polite asks again. A NoRulesError is ErrRefused and ErrNoRules,
// and wraps Err.
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

// A DelayError is the refusal of a request that would have to wait for too long: until
// after its context ends, or for longer than Pace.MaxWait; or because too many requests
// wait already; or because the site asks for a delay of more than Pace.MaxDelay. It is
// ErrRefused and ErrDelayed. robots.txt allows the request: send it again at
// Decision.Turn.
type DelayError struct {
	Decision
	Wait time.Duration // from the refusal until Turn
	Why  string        // why that is too long, in a few words
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

// CheckRetry returns a CheckRetry function for a go-retryablehttp client whose transport
// is polite. It does not retry a request that polite refused, since polite would refuse
// it again. For everything else it calls next, such as
// retryablehttp.DefaultRetryPolicy.
func CheckRetry(next func(context.Context, *http.Response, error) (bool, error)) func(context.Context, *http.Response, error) (bool, error) {
	return func(ctx context.Context, resp *http.Response, err error) (bool, error) {
		if errors.Is(err, ErrRefused) {
			return false, err
		}
		return next(ctx, resp, err)
	}
}
