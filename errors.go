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

// Every refusal is ErrRefused. It means that polite did not send the request. Each
// refusal is also ErrDisallowed, ErrNoRules, ErrDelayed or ErrUse. Its type tells more.
// errors.Is and errors.AsType find a refusal in the error of an http.Client, too.
var (
	ErrRefused = errors.New("polite: refused")

	// ErrDisallowed means that a rule of robots.txt disallows the request. The error is
	// a *DisallowedError.
	ErrDisallowed = errors.New("polite: disallowed by robots.txt")

	// ErrNoRules means that polite has no rules for the site. The error is a
	// *NoRulesError.
	ErrNoRules = errors.New("polite: no rules to go by")

	// ErrDelayed means that the turn of the request would come too late. The error is a
	// *DelayError. Send the request later.
	ErrDelayed = errors.New("polite: the turn would come too late")

	// ErrUse means that the site says no to what Policy.Purposes names. The error is a
	// *UseError.
	ErrUse = errors.New("polite: the site says no to this use")
)

// A DisallowedError refuses a request that a rule of robots.txt disallows. It is
// ErrRefused and ErrDisallowed. Leave the page alone. The rules do not change for
// polite before Decision.Next, when it asks for robots.txt again.
type DisallowedError struct{ Decision }

func (e *DisallowedError) Error() string {
	return printable.Text(fmt.Sprintf("polite: %s is disallowed for %s by %q, line %d of %s (group %q)",
		e.asked(), e.Agent, e.Rule, e.Rule.Line, e.RobotsURL, e.Group))
}

// Is reports whether target is ErrRefused or ErrDisallowed.
func (e *DisallowedError) Is(target error) bool {
	return target == ErrRefused || target == ErrDisallowed
}

// A NoRulesError refuses a request for which polite has no rules. There are two cases:
//
//   - robots.txt could not be fetched (RFC 9309 §2.3.1.4), also because the site has
//     asked for a long break;
//   - the site has no robots.txt, and the [Policy] denies all.
//
// It is ErrRefused and ErrNoRules, and wraps Err. Status or Err tells what came instead
// of robots.txt. Basis names the field of Policy that decided. Send the request again
// after Next, when polite asks for robots.txt again.
type NoRulesError struct{ Decision }

func (e *NoRulesError) Error() string {
	problem := fmt.Sprintf("answered %d %s", e.Status, http.StatusText(e.Status))
	if e.Err != nil {
		problem = "could not be fetched: " + e.Err.Error()
	}
	return printable.Text(fmt.Sprintf("polite: %s is not fetched, because %s %s; will ask again after %s",
		e.asked(), e.RobotsURL, strings.TrimSpace(problem), e.Next.Format(time.RFC3339)))
}

// Is reports whether target is ErrRefused or ErrNoRules.
func (e *NoRulesError) Is(target error) bool { return target == ErrRefused || target == ErrNoRules }

// Unwrap returns Err.
func (e *NoRulesError) Unwrap() error { return e.Err }

// A DelayError refuses a request in one of these cases:
//
//   - its turn would come after its context ends;
//   - it would wait longer than Pace.MaxWait;
//   - too many requests wait already;
//   - the site asks for more than Pace.MaxDelay, and Pace.Beyond is RefuseDelay;
//   - Cache.Turns fails, so that nobody knows when the turn comes.
//
// It is ErrRefused and ErrDelayed, and wraps Cause. robots.txt allows the request: send
// it again at Turn.
//
// Each refused request learns a Turn of its own, behind the requests that wait and behind
// those that were refused before. So if all are sent again at their Turns, hardly any is
// refused again. Nothing keeps a Turn free: until then, another request may be sent
// instead.
type DelayError struct {
	Decision
	Turn  time.Time     // when to send the request again
	Wait  time.Duration // from the refusal until Turn
	Why   string        // why Wait is too long, in a few words
	Cause error         // the error of Cache.Turns; nil if it did not fail
}

func (e *DelayError) Error() string {
	if e.Cause != nil {
		return printable.Text(fmt.Sprintf("polite: %s is not fetched, because %s: %v", e.asked(), e.Why, e.Cause))
	}
	return printable.Text(fmt.Sprintf("polite: %s would have to wait for %v, until %s: %s", e.asked(), e.Wait.Round(time.Millisecond), e.Turn.Format(time.RFC3339), e.Why))
}

// Is reports whether target is ErrRefused or ErrDelayed.
func (e *DelayError) Is(target error) bool { return target == ErrRefused || target == ErrDelayed }

// Unwrap returns Cause.
func (e *DelayError) Unwrap() error { return e.Cause }

// A UseError refuses a request for a page that the crawler wants to use for something to
// which the site's robots.txt says no: see Policy.Purposes. It is ErrRefused and ErrUse.
// Decision.Use is the statement, with its line. The site does not change its mind for
// polite before Decision.Next.
type UseError struct{ Decision }

func (e *UseError) Error() string {
	return printable.Text(fmt.Sprintf("polite: %s may be fetched by %s, but not for %s, by %q, line %d of %s",
		e.asked(), e.Agent, e.Use.Use, e.Use, e.Use.Line, e.RobotsURL))
}

// Is reports whether target is ErrRefused or ErrUse.
func (e *UseError) Is(target error) bool { return target == ErrRefused || target == ErrUse }

// A BreakError is why robots.txt was not asked for: the site wants no requests. It is the
// Err of a Decision.
type BreakError struct{ Until time.Time }

func (e *BreakError) Error() string {
	return "the site has asked for a break until " + e.Until.Format(time.RFC3339)
}

// DecisionOf returns the Decision of a refusal. ok is false if err is no refusal.
func DecisionOf(err error) (d Decision, ok bool) {
	if e, ok := errors.AsType[*DisallowedError](err); ok {
		return e.Decision, true
	}
	if e, ok := errors.AsType[*NoRulesError](err); ok {
		return e.Decision, true
	}
	if e, ok := errors.AsType[*DelayError](err); ok {
		return e.Decision, true
	}
	if e, ok := errors.AsType[*UseError](err); ok {
		return e.Decision, true
	}
	return d, false
}

// refusal returns the error for a request that d does not allow.
func (d Decision) refusal() error {
	switch d.Reason {
	case ReasonRule:
		return &DisallowedError{d}
	case ReasonUse:
		return &UseError{d}
	default:
		return &NoRulesError{d}
	}
}

// CheckRetry returns a CheckRetry function for a go-retryablehttp client whose
// transport is polite. The function does not retry a request that polite refused:
// polite would refuse it again. In all other cases it calls next, such as
// retryablehttp.DefaultRetryPolicy.
func CheckRetry(next func(context.Context, *http.Response, error) (bool, error)) func(context.Context, *http.Response, error) (bool, error) {
	return func(ctx context.Context, resp *http.Response, err error) (bool, error) {
		if errors.Is(err, ErrRefused) {
			return false, err
		}
		return next(ctx, resp, err)
	}
}
