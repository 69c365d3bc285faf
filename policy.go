package polite

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
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
	// unreachable. Nil is StayPublic, which a function of your own should call too.
	// Redirects of pages are the http.Client's matter. A Base that dials with
	// DialPublic connects to no private address, whatever redirects there.
	CheckRedirect func(from, to *url.URL) error

	// TooManyRedirects is what more redirects or a loop of them mean. Zero is
	// AllowAll: unavailable (RFC 9309 §2.3.1.2).
	TooManyRedirects Access

	// Forbidden is what 401 and 403 mean. Zero is AllowAll, as for every other 4xx
	// that is about the site's robots.txt: unavailable (RFC 9309 §2.3.1.3).
	Forbidden Access

	// TooManyRequests is what 429 means. Zero is DenyAll: as unreachable, which
	// is how Google reads it.
	TooManyRequests Access

	// Unreachable is what it means that no answer comes that tells what the site
	// wants: no such host, a bad certificate, a timeout, a body that is cut short,
	// 5xx, a status that HTTP does not define, or one that says nothing of the site,
	// as a proxy's 407. Zero is DenyAll (RFC 9309 §2.3.1.4).
	Unreachable Access

	// LongOutage is what Unreachable becomes after 30 days, if there is no copy.
	// Zero is that it stays as it is.
	LongOutage Access

	// LongMaxAge says that the max-age of a robots.txt makes it hold for longer
	// than 24 hours too, up to 30 days. RFC 9309 §2.4 has it hold for 24 hours at
	// most.
	LongMaxAge bool

	// FoldPaths refuses a request also if the rules disallow its path as most servers
	// read it: "/x/../private" and "//private" as "/private". Without it a path is
	// matched as it is sent, as RFC 9309 §2.2.2 has it.
	FoldPaths bool

	// Timeout bounds the fetch of a robots.txt with all its redirects, retries
	// and its body. Zero is 30 seconds. It holds also where Base does not heed the
	// context: Base's call is then left to itself, and its response closed.
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
// redirects disallow everything, a redirect to another host, or from https to
// http, is not followed, and paths are also judged as most servers read them.
func Strict() Policy {
	return Policy{Forbidden: DenyAll, TooManyRedirects: DenyAll, CheckRedirect: stay, FoldPaths: true}
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

// unanswered reports whether an answer, or that there was none, says nothing of
// what the site wants. If not, it has rules or is without.
func unanswered(answer fetch.Answer, err error) bool {
	switch {
	case errors.Is(err, fetch.ErrTooManyRedirects):
		return false
	case err != nil:
		return true
	case answer.Unchanged, answer.Status/100 == 2:
		return false
	default:
		return answer.Status/100 != 4 || saysNothing(answer.Status)
	}
}

// saysNothing reports whether a 4xx is not about the site's robots.txt, so that it
// does not make that unavailable (RFC 9309 §2.3.1.3).
func saysNothing(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusRequestTimeout, http.StatusTooEarly: // to be asked again
		return true
	case http.StatusProxyAuthRequired, http.StatusMisdirectedRequest: // of another server
		return true
	case http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable, http.StatusExpectationFailed: // about what was not asked
		return true
	}
	return false
}

// A silence is why there are no rules to go by. All but the first have a field of
// Policy that says what they mean.
type silence int

const (
	unavailable silence = iota
	forbidden
	tooManyRedirects
	tooManyRequests
	unreachable
	outageIsLong
)

// silence returns why e has no rules.
func (p *Policy) silence(e *entry, now int64) silence {
	if f := e.Failure; f != nil && !e.Counts(now) {
		switch {
		case now-f.Since > int64(longOutage) && p.LongOutage != Standard:
			return outageIsLong
		case f.Err == nil && f.Status == http.StatusTooManyRequests:
			return tooManyRequests
		default:
			return unreachable
		}
	}
	switch {
	case e.details != nil && e.details.err != nil:
		return tooManyRedirects
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		return forbidden
	default:
		return unavailable
	}
}

// access returns what a site grants without rules.
func (p *Policy) access(s silence) Access {
	switch s {
	case forbidden:
		return p.Forbidden.or(AllowAll)
	case tooManyRedirects:
		return p.TooManyRedirects.or(AllowAll)
	case tooManyRequests:
		return p.TooManyRequests.or(DenyAll)
	case unreachable:
		return p.Unreachable.or(DenyAll)
	case outageIsLong:
		return p.LongOutage
	default:
		return AllowAll
	}
}

// reason returns what kind of reason s is (RFC 9309 §2.3.1.3, §2.3.1.4).
func (s silence) reason() Reason {
	if s >= tooManyRequests {
		return Unreachable
	}
	return Unavailable
}

// String returns the field of Policy that says what s means.
func (s silence) String() string {
	return [...]string{"Unavailable", "Forbidden", "TooManyRedirects", "TooManyRequests", "Unreachable", "LongOutage"}[s]
}
