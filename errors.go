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

// ErrDisallowed is what every refusal is: errors.Is(err, ErrDisallowed) tells
// whether a request was not sent because a rule disallows it, because robots.txt
// could not be had, or because its turn would come too late.
var ErrDisallowed = errors.New("polite: disallowed by robots.txt")

// A DisallowedError is the refusal of a request by a rule of robots.txt. The
// request did not leave the process. It is found by errors.As, also in what
// http.Client returns, and it is ErrDisallowed. There is no use in trying again
// before Decision.Next.
type DisallowedError struct{ Decision }

func (e *DisallowedError) Error() string {
	return printable.Text(fmt.Sprintf("polite: %s is disallowed for %s by %q, line %d of %s (group %q)",
		e.URL, e.Agent, e.Rule, e.Rule.Line, e.RobotsURL, e.Group))
}

// Is reports whether target is ErrDisallowed.
func (e *DisallowedError) Is(target error) bool { return target == ErrDisallowed }

// An UnreachableError is the refusal of a request because robots.txt could not
// be had, so that nobody knows what the site wants (RFC 9309 §2.3.1.4): Status
// or Err tells what came instead, Next when it will be asked for again. The
// request did not leave the process. It is found by errors.As, also in what
// http.Client returns, it is ErrDisallowed, and it wraps Err.
//
// It is also the refusal of a request by a [Policy] that takes an unavailable
// robots.txt for DenyAll.
type UnreachableError struct{ Decision }

func (e *UnreachableError) Error() string {
	problem := fmt.Sprintf("answered %d %s", e.Status, http.StatusText(e.Status))
	if e.Err != nil {
		problem = "could not be fetched: " + e.Err.Error()
	}
	return printable.Text(fmt.Sprintf("polite: %s is not fetched, because %s %s; will ask again after %s",
		e.URL, e.RobotsURL, strings.TrimSpace(problem), e.Next.Format(time.RFC3339)))
}

// Is reports whether target is ErrDisallowed.
func (e *UnreachableError) Is(target error) bool { return target == ErrDisallowed }

// Unwrap returns Err.
func (e *UnreachableError) Unwrap() error { return e.Err }

// A DelayError is the refusal of a request whose turn would come too late: after
// its context ends, or Pace.MaxWait; or for which too many wait already, or whose
// site asks for more than Pace.MaxDelay. The request did not leave the process.
// Decision.Turn tells when its turn could come. It is found by errors.As, also in
// what http.Client returns, and it is ErrDisallowed.
type DelayError struct {
	Decision
	Wait time.Duration // until Turn, from when the request was refused
	Why  string        // what makes that too late, in a few words
}

func (e *DelayError) Error() string {
	return printable.Text(fmt.Sprintf("polite: %s would have to wait for %v, until %s: %s", e.URL, e.Wait.Round(time.Millisecond), e.Turn.Format(time.RFC3339), e.Why))
}

// Is reports whether target is ErrDisallowed.
func (e *DelayError) Is(target error) bool { return target == ErrDisallowed }

// refusal returns the error for a request that d does not allow.
func (d Decision) refusal() error {
	if d.Reason == ByRule {
		return &DisallowedError{d}
	}
	return &UnreachableError{d}
}

// CheckRetry wraps the CheckRetry function of a go-retryablehttp client, such as
// retryablehttp.DefaultRetryPolicy, so that it does not send a request again
// that was refused: it would be refused again, after all the waiting.
func CheckRetry(next func(context.Context, *http.Response, error) (bool, error)) func(context.Context, *http.Response, error) (bool, error) {
	return func(ctx context.Context, resp *http.Response, err error) (bool, error) {
		if errors.Is(err, ErrDisallowed) {
			return false, err
		}
		return next(ctx, resp, err)
	}
}
