package polite

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
)

// A Policy says what an origin's answer to the request for its robots.txt means
// where RFC 9309 leaves a choice or its sources disagree. The zero Policy is the
// RFC's, and that of Google where the RFC is silent; [Google] and [Strict] are
// others. Under every policy an answer of 2xx is parsed and obeyed, and the last
// good copy counts while the origin cannot be reached.
type Policy struct {
	// MaxRedirects is how many redirects are followed on the way to robots.txt.
	// Fewer than five, which RFC 9309 §2.3.1.2 asks for, are taken for five.
	MaxRedirects int

	// CheckRedirect is asked about each redirect on the way to robots.txt. If it
	// returns an error, the redirect is not followed, and the origin counts as
	// unreachable. Nil refuses those from a public host to one that is not: to a
	// loopback, private or link-local address, or to localhost by name.
	CheckRedirect func(from, to *url.URL) error

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

	// LongOutage is what Unreachable becomes after 30 days, if there is no copy.
	// Zero is that it stays as it is.
	LongOutage Access

	// LongMaxAge says that the max-age of a robots.txt makes it hold for longer
	// than 24 hours too, up to 30 days. RFC 9309 §2.4 has it hold for 24 hours at
	// most.
	LongMaxAge bool

	// Timeout bounds the fetch of a robots.txt with all its redirects, retries
	// and its body. Zero is 30 seconds.
	Timeout time.Duration

	// Exempt reports whether a request is to be sent without asking for robots.txt
	// and without waiting for its turn. Nil is none. It must not change the request,
	// is called by several goroutines at once, and by Check with a request that has
	// a method and a URL only.
	Exempt func(*http.Request) bool

	// ReportOnly, if not nil, is told of each refusal because of robots.txt, and
	// the request is sent all the same, in its turn; of one whose rules change
	// while it waits, twice. It must not change the request, and is called by
	// several goroutines at once.
	ReportOnly func(req *http.Request, refusal error)
}

// Google returns the policy of Google's crawlers: max-age makes robots.txt hold
// longer as well as shorter, and a site that has not been reached for 30 days
// and has left no copy is open.
func Google() Policy {
	return Policy{LongMaxAge: true, LongOutage: AllowAll}
}

// Strict returns a policy that takes every doubt for a no: 401, 403 and too many
// redirects disallow everything, and a redirect to another host is not followed.
func Strict() Policy {
	return Policy{Forbidden: DenyAll, TooManyRedirects: DenyAll, CheckRedirect: sameHost}
}

func sameHost(from, to *url.URL) error {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return errors.New("to another host")
	}
	return nil
}

func publicToPrivate(from, to *url.URL) error {
	if origin.IsPrivate(to.Hostname()) && !origin.IsPrivate(from.Hostname()) {
		return errors.New("from a public host to one that is not")
	}
	return nil
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

// String returns "standard", "allow all" or "deny all".
func (a Access) String() string {
	switch a {
	case Standard:
		return "standard"
	case AllowAll:
		return "allow all"
	default:
		return "deny all"
	}
}

func (p *Policy) maxRedirects() int { return max(p.MaxRedirects, 5) }

func (p *Policy) checkRedirect() func(from, to *url.URL) error {
	if p.CheckRedirect == nil {
		return publicToPrivate
	}
	return p.CheckRedirect
}

func (p *Policy) timeout() time.Duration {
	if p.Timeout <= 0 {
		return 30 * time.Second
	}
	return p.Timeout
}

// freshness returns how long an answer holds that says it does for age, or
// nothing, which is a negative one.
func (p *Policy) freshness(age time.Duration) time.Duration {
	longest := maxAge
	if p.LongMaxAge {
		longest = maxLongAge
	}
	if age < 0 {
		return maxAge
	}
	return min(max(age, minAge), longest)
}

// unreachable reports whether an answer, or that there was none, says nothing of
// what the site wants. If not, it has rules or is without.
func unreachable(answer fetch.Answer, err error) bool {
	switch {
	case errors.Is(err, fetch.ErrTooManyRedirects):
		return false
	case err != nil:
		return true
	case answer.Unchanged, answer.Status/100 == 2:
		return false
	default:
		return answer.Status/100 != 4 || answer.Status == http.StatusTooManyRequests
	}
}

// grants tells what a site grants of which e is known, but no rules, and which
// field of the policy says so.
func (p *Policy) grants(e *entry) (Access, string) {
	now := time.Now().UnixNano()
	if f := e.failure; f != nil && !e.counts(now) {
		switch {
		case now-f.since > int64(longOutage) && p.LongOutage != Standard:
			return p.LongOutage, "LongOutage"
		case f.err == nil && f.status == http.StatusTooManyRequests:
			return p.TooManyRequests.or(DenyAll), "TooManyRequests"
		default:
			return p.Unreachable.or(DenyAll), "Unreachable"
		}
	}
	switch {
	case e.details != nil && e.details.err != nil:
		return p.TooManyRedirects.or(AllowAll), "TooManyRedirects"
	case e.status == http.StatusUnauthorized || e.status == http.StatusForbidden:
		return p.Forbidden.or(AllowAll), "Forbidden"
	default:
		return AllowAll, "Unavailable"
	}
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

// A Decision is what robots.txt means for one request, and why.
type Decision struct {
	Allowed bool   // by robots.txt; Turn tells whether it would have to wait
	Reason  Reason // what kind of thing decided

	URL    string // the one decided on, without its password
	Origin string // scheme, host and port of the site, as in "https://example.com"

	Agent string      // our product token: the one that the file names, else the first
	Group string      // the token of the group that speaks to us, "*", or "" for none
	Rule  robots.Rule // the rule that decided; zero if Reason is not ByRule
	Basis string      // what decided if there are no rules: "Forbidden: deny all", after the Policy's field

	RobotsURL string    // the origin's robots.txt; this and what follows down to Next is zero if it was not needed
	Hops      []string  // where it redirected to, in order
	Status    int       // its last HTTP status; 0 if there was none
	Err       error     // why the last answer could not be relied on, or there was none
	Fetched   time.Time // when what counts was fetched, or confirmed; zero if nothing was
	Truncated bool      // the file is longer than robots.MaxSize
	Stale     bool      // what counts should have been replaced by now
	Failing   time.Time // since when there was no answer to rely on; zero if the last one was
	Next      time.Time // when it will be asked for again, or later

	SiteDelay time.Duration // what the site's crawl-delay asks for
	Delay     time.Duration // what is kept between the starts of two requests
	Turn      time.Time     // when the next request could be sent; zero if it could be now
}

// A Reason says what kind of thing decided on a request.
type Reason string

const (
	NotHTTP     Reason = "not-http"    // robots.txt does not speak of other schemes
	Exempt      Reason = "exempt"      // by Policy.Exempt
	RobotsTxt   Reason = "robots.txt"  // always allowed (RFC 9309 §2.2.2)
	ByRule      Reason = "rule"        // a rule matches: Decision.Rule
	NoRule      Reason = "no-rule"     // no rule for us matches
	Unavailable Reason = "unavailable" // the site has no robots.txt (§2.3.1.3)
	Unreachable Reason = "unreachable" // robots.txt could not be had (§2.3.1.4)
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

// A verdict is what a Decision is made of.
type verdict struct {
	allowed bool
	reason  Reason
	basis   basis
	origin  origin.Origin
	entry   *entry // nil if robots.txt was not needed
	key     string // that Pace.Key returns
	rules   robots.Rules
	rule    robots.Rule // if reason is ByRule
}

// judge fills in what v.entry means for a crawler with these tokens that wants
// target.
func (p *Policy) judge(v *verdict, agents []string, target string) {
	if v.entry.file == nil {
		p.judgeWithoutRules(v)
		return
	}
	v.allowed, v.reason = true, NoRule
	v.rules = v.entry.file.Rules(agents...)
	if rule, ok := v.rules.Match(target); ok {
		v.allowed, v.reason, v.rule = rule.Allow, ByRule, rule
	}
}

func (p *Policy) judgeWithoutRules(v *verdict) {
	access, field := p.grants(v.entry)
	v.allowed, v.reason, v.basis = access == AllowAll, Unavailable, basis{field, access}
	switch field {
	case "Unreachable", "TooManyRequests", "LongOutage":
		v.reason = Unreachable
	}
}

// A basis is the field of the policy that decided, and how.
type basis struct {
	field  string
	access Access
}

func (b basis) String() string {
	if b.field == "" {
		return ""
	}
	return b.field + ": " + b.access.String()
}

// decision tells all about a verdict on a request for u.
func (v *verdict) decision(u *url.URL, agents []string) Decision {
	d := Decision{
		Allowed: v.allowed, Reason: v.reason,
		URL: redacted(u), Origin: v.origin.String(),
		Agent: agents[0], Group: v.rules.Agent(), Rule: v.rule, Basis: v.basis.String(),
		RobotsURL: v.origin.RobotsURL().String(),
	}
	for _, agent := range agents {
		if strings.EqualFold(agent, d.Group) {
			d.Agent = agent
		}
	}
	if v.entry != nil {
		v.entry.describe(&d)
	}
	return d
}

// redacted returns u without its password.
func redacted(u *url.URL) string {
	if u == nil || u.Opaque == "" {
		return u.Redacted()
	}
	return u.Scheme + "://" + u.Host + "/…" // there may be one anywhere in Opaque
}

// describe fills in what is known of the origin's robots.txt.
func (e *entry) describe(d *Decision) {
	d.Status, d.Next = int(e.status), time.Unix(0, e.refresh)
	d.Stale = e.stale(time.Now().UnixNano())
	d.Truncated = e.file != nil && e.file.Truncated()
	if e.status != 0 {
		d.Fetched = time.Unix(0, e.fetched)
	}
	if e.details != nil {
		d.Hops, d.Err = slices.Clone(e.details.hops), e.details.err
	}
	if f := e.failure; f != nil {
		d.Hops, d.Status, d.Err, d.Failing = slices.Clone(f.hops), f.status, f.err, time.Unix(0, f.since)
	}
}

// refusal returns the error for a request that d does not allow.
func (d Decision) refusal() error {
	if d.Reason == ByRule {
		return &DisallowedError{d}
	}
	return &UnreachableError{d}
}
