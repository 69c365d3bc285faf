package polite

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/known"
)

// A Policy says what the answer to a request for robots.txt means where RFC 9309 leaves
// a choice, or where its sources disagree. The zero Policy does what the RFC says, and
// what Google does where the RFC says nothing. [Google] and [Strict] are others. Under
// every Policy polite parses and obeys an answer of 2xx, and goes by the last good copy
// while the origin cannot be reached.
type Policy struct {
	// MaxRedirects is the number of redirects that polite follows on the way to
	// robots.txt. Fewer than five are taken for five (RFC 9309 §2.3.1.2).
	MaxRedirects int

	// CheckRedirect is called for each redirect on the way to robots.txt. If it returns
	// an error, polite does not follow the redirect, and the origin is unreachable. If
	// nil, it is StayPublic; call that in a function of your own, too. CheckRedirect
	// is not called for redirects of pages: the http.Client follows these.
	CheckRedirect func(from, to *url.URL) error

	// TooManyRedirects says what more redirects, or a loop of them, mean. Zero is
	// AllowAll: unavailable (RFC 9309 §2.3.1.2).
	TooManyRedirects Access

	// Forbidden says what 401 and 403 mean. Zero is AllowAll: unavailable, as for every
	// other 4xx that is about the site's robots.txt (RFC 9309 §2.3.1.3).
	Forbidden Access

	// TooManyRequests says what 429 means. Zero is DenyAll: unreachable, as Google
	// reads it.
	TooManyRequests Access

	// Unreachable says what it means that robots.txt could not be fetched: no such
	// host, a bad certificate, a timeout, a body that is cut short, 5xx, a status that
	// HTTP does not define, or one that says nothing of the site, such as a proxy's
	// 407. Zero is DenyAll (RFC 9309 §2.3.1.4).
	Unreachable Access

	// LongOutage takes the place of Unreachable after 30 days, if there is no copy.
	// Zero is that Unreachable stays.
	LongOutage Access

	// LongMaxAge lets the max-age of a robots.txt make it fresh for more than 24 hours,
	// up to 30 days. If false, an answer is fresh for 24 hours at most (RFC 9309 §2.4).
	LongMaxAge bool

	// FoldPaths also refuses a request if the rules disallow its path as most servers
	// read it: "/x/../private" and "//private" as "/private". If false, polite matches
	// the path as it is sent (RFC 9309 §2.2.2).
	FoldPaths bool

	// Timeout is the longest time in which polite fetches a robots.txt, with all
	// redirects, retries and the body. Zero is 30 seconds. It also ends a fetch whose
	// Base ignores the context: polite closes what Base returns later.
	Timeout time.Duration

	// Exempt reports whether to send a request without asking for robots.txt and
	// without waiting for its turn. If nil, no request is exempt. Exempt must not change
	// the request. Several goroutines call it at the same time. Check calls it with a
	// request that has only a method and a URL.
	Exempt func(*http.Request) bool

	// ReportOnly, if not nil, is called with each refusal because of robots.txt, and
	// polite sends the request nevertheless, in its turn. If the rules change while the
	// request waits, ReportOnly is called again. It must not change the request. Several
	// goroutines call it at the same time.
	ReportOnly func(req *http.Request, refusal error)
}

// Google returns the policy of Google's crawlers. With it, max-age makes robots.txt
// fresh for longer, too, and a site that could not be reached for 30 days, and of which
// there is no copy, allows everything.
func Google() Policy {
	return Policy{LongMaxAge: true, LongOutage: AllowAll}
}

// Strict returns a policy that takes every doubt for a no. With it, 401, 403 and too
// many redirects disallow everything. polite follows no redirect to another host, or
// from https to http. It also judges a path as most servers read it.
func Strict() Policy {
	return Policy{Forbidden: DenyAll, TooManyRedirects: DenyAll, CheckRedirect: stay, FoldPaths: true}
}

// An Access says what a site without rules allows.
type Access int

const (
	Standard Access = iota // as the field of Policy says for zero
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
		return StayPublic
	}
	return p.CheckRedirect
}

func (p *Policy) timeout() time.Duration {
	if p.Timeout <= 0 {
		return 30 * time.Second
	}
	return p.Timeout
}

const (
	minAge     = 5 * time.Minute
	maxLongAge = 30 * 24 * time.Hour
	longOutage = 30 * 24 * time.Hour
)

// freshness returns how long an answer holds that says it does for age, or
// nothing, which is a negative one.
func (p *Policy) freshness(age time.Duration) time.Duration {
	longest := known.MaxAge
	if p.LongMaxAge {
		longest = maxLongAge
	}
	if age < 0 {
		return known.MaxAge
	}
	return min(max(age, minAge), longest)
}

// stay refuses every redirect to another host, and one that gives TLS up.
func stay(from, to *url.URL) error {
	switch {
	case !isSameHost(from, to):
		return errors.New("to another host")
	case strings.EqualFold(from.Scheme, "https") && !strings.EqualFold(to.Scheme, "https"):
		return errors.New("from https to http")
	}
	return nil
}
