package polite

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
)

// A Policy says what an origin's answer to the request for its robots.txt means
// where RFC 9309 leaves a choice or its sources disagree. The zero Policy is the
// RFC's, and that of Google where the RFC is silent. An answer of 2xx is parsed
// and obeyed under every policy.
type Policy struct {
	// MaxRedirects is how many redirects are followed on the way to robots.txt.
	// Fewer than five, which RFC 9309 §2.3.1.2 asks for, are taken for five.
	MaxRedirects int

	// TooManyRedirects is what more redirects or a loop of them mean. Zero is
	// AllowAll: unavailable (RFC 9309 §2.3.1.2).
	TooManyRedirects Access

	// Forbidden is what 401 and 403 mean. Zero is AllowAll, as for every other
	// 4xx but 429: unavailable (RFC 9309 §2.3.1.3).
	Forbidden Access

	// TooManyRequests is what 429 means. Zero is DenyAll: as unreachable, which
	// is how Google reads it.
	TooManyRequests Access

	// Unreachable is what it means that no answer can be had, or 5xx, or one
	// that HTTP does not define: no such host, a bad certificate, a timeout, a
	// body that is cut short. Zero is DenyAll (RFC 9309 §2.3.1.4).
	Unreachable Access

	// Timeout bounds the fetch of a robots.txt with all its redirects, retries
	// and its body. Zero is 30 seconds.
	Timeout time.Duration
}

// Access is what a site without rules grants.
type Access int

const (
	Standard Access = iota // what the documentation of the Policy's field says
	AllowAll               // every request is allowed
	DenyAll                // every request is refused
)

func (a Access) or(standard Access) Access {
	if a == Standard {
		return standard
	}
	return a
}

func (p Policy) maxRedirects() int { return max(p.MaxRedirects, 5) }

func (p Policy) timeout() time.Duration {
	if p.Timeout <= 0 {
		return 30 * time.Second
	}
	return p.Timeout
}

// grants tells what a site grants that has answered without rules.
func (p Policy) grants(status int, err error) Access {
	switch {
	case errors.Is(err, fetch.ErrTooManyRedirects):
		return p.TooManyRedirects.or(AllowAll)
	case err == nil && status == http.StatusTooManyRequests:
		return p.TooManyRequests.or(DenyAll)
	case err == nil && (status == http.StatusUnauthorized || status == http.StatusForbidden):
		return p.Forbidden.or(AllowAll)
	case absence(status, err) == Unavailable:
		return AllowAll
	default:
		return p.Unreachable.or(DenyAll)
	}
}

// absence tells why there are no rules: the site has none, or nobody knows.
func absence(status int, err error) Reason {
	if errors.Is(err, fetch.ErrTooManyRedirects) || err == nil && status/100 == 4 && status != http.StatusTooManyRequests {
		return Unavailable
	}
	return Unreachable
}

// A Decision is what robots.txt means for one request, and why.
type Decision struct {
	Allowed bool
	Reason  Reason

	URL    string // the one decided on, without its password
	Origin string // scheme, host and port of the site, as in "https://example.com"

	Agent string      // our product token: the one that the file names, else the first
	Group string      // the token of the group that speaks to us, "*", or "" for none
	Rule  robots.Rule // the rule that decided; zero if Reason is not ByRule

	RobotsURL string        // the origin's robots.txt; what follows is zero if it was not needed
	Hops      []string      // where it redirected to, in order
	Status    int           // its last HTTP status; 0 if there was none
	Err       error         // why there was no answer to rely on; nil if there was one
	Truncated bool          // the file is longer than robots.MaxSize
	Age       time.Duration // since it was asked for
	Next      time.Time     // when it will be asked for again, or later
}

// A Reason says what kind of thing decided on a request.
type Reason string

const (
	NotHTTP     Reason = "not-http"    // robots.txt does not speak of other schemes
	RobotsTxt   Reason = "robots.txt"  // always allowed (RFC 9309 §2.2.2)
	ByRule      Reason = "rule"        // a rule matches: Decision.Rule
	NoRule      Reason = "no-rule"     // no rule for us matches
	Unavailable Reason = "unavailable" // the site has no robots.txt (§2.3.1.3)
	Unreachable Reason = "unreachable" // robots.txt could not be had (§2.3.1.4)
)

// ErrDisallowed is what every refusal is: errors.Is(err, ErrDisallowed) tells
// whether a request was not sent because the site does not want it, or might not.
var ErrDisallowed = errors.New("polite: disallowed by robots.txt")

// A DisallowedError is the refusal of a request by a rule of robots.txt. The
// request did not leave the process. It is found by errors.As, also in what
// http.Client returns, and it is ErrDisallowed. There is no use in trying again
// before Decision.Next.
type DisallowedError struct{ Decision }

func (e *DisallowedError) Error() string {
	return fmt.Sprintf("polite: %s is disallowed for %s by %q, line %d of %s (group %q)",
		e.URL, e.Agent, e.Rule, e.Rule.Line, e.RobotsURL, e.Group)
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
	return fmt.Sprintf("polite: %s is not fetched, because %s %s; will ask again after %s",
		e.URL, e.RobotsURL, strings.TrimSpace(problem), e.Next.Format(time.RFC3339))
}

// Is reports whether target is ErrDisallowed.
func (e *UnreachableError) Is(target error) bool { return target == ErrDisallowed }

// Unwrap returns Err.
func (e *UnreachableError) Unwrap() error { return e.Err }

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

// A verdict is what a Decision is made of.
type verdict struct {
	allowed bool
	reason  Reason
	origin  origin.Origin
	entry   *entry // nil if robots.txt was not needed
	rules   robots.Rules
	rule    robots.Rule // if reason is ByRule
}

// judge tells what e, which is known of origin o, means for a crawler with these
// tokens that wants target.
func (p Policy) judge(o origin.Origin, e *entry, agents []string, target string) verdict {
	v := verdict{origin: o, entry: e}
	if e.file == nil {
		v.allowed, v.reason = p.grants(e.status, e.err) == AllowAll, absence(e.status, e.err)
		return v
	}
	v.allowed, v.reason = true, NoRule
	v.rules = e.file.Rules(agents...)
	if rule, ok := v.rules.Match(target); ok {
		v.allowed, v.reason, v.rule = rule.Allow, ByRule, rule
	}
	return v
}

// decision tells all about a verdict on a request for u.
func (v verdict) decision(u *url.URL, agents []string) Decision {
	d := Decision{
		Allowed: v.allowed, Reason: v.reason,
		URL: u.Redacted(), Origin: v.origin.String(),
		Agent: agents[0], Group: v.rules.Agent(), Rule: v.rule,
		RobotsURL: v.origin.RobotsURL().String(),
	}
	for _, agent := range agents {
		if strings.EqualFold(agent, d.Group) {
			d.Agent = agent
		}
	}
	if e := v.entry; e != nil {
		d.Hops, d.Status, d.Err, d.Age, d.Next = e.hops, e.status, e.err, time.Since(e.asked), e.expires
		d.Truncated = e.file != nil && e.file.Truncated()
	}
	return d
}

// refusal returns the error for a request that d does not allow.
func (d Decision) refusal() error {
	if d.Reason == ByRule {
		return &DisallowedError{d}
	}
	return &UnreachableError{d}
}
