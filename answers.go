package polite

import (
	"errors"
	"net/http"

	"github.com/go-polite/polite/internal/fetch"
)

// unanswered reports whether it is still unknown what the site wants. If it is known,
// the answer has rules, or says that there are none.
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

// saysNothing reports whether a 4xx is not about the site's robots.txt. If so, it does
// not make robots.txt unavailable (RFC 9309 §2.3.1.3).
func saysNothing(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusRequestTimeout, http.StatusTooEarly: // to be asked again
		return true
	case http.StatusProxyAuthRequired, http.StatusMisdirectedRequest: // about another server
		return true
	case http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable, http.StatusExpectationFailed: // about conditions that polite did not set
		return true
	}
	return false
}

// A silence says why a site has no rules. A field of Policy says what each means,
// except unavailable.
type silence int

const (
	unavailable      silence = iota // always AllowAll
	forbidden                       // Policy.Forbidden
	tooManyRedirects                // Policy.TooManyRedirects
	tooManyRequests                 // Policy.TooManyRequests
	unreachable                     // Policy.Unreachable
	outageIsLong                    // Policy.LongOutage
)

// silence returns why e has no rules.
func (p *Policy) silence(e *entry, now int64) silence {
	if f := e.Failure; f != nil && !e.Counts(now) {
		switch {
		case now-f.Since > int64(longOutage) && p.LongOutage != AccessDefault:
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

// access returns what a site without rules allows.
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

// reason returns the Reason that s comes under (RFC 9309 §2.3.1.3, §2.3.1.4).
func (s silence) reason() Reason {
	if s >= tooManyRequests {
		return ReasonUnreachable
	}
	return ReasonUnavailable
}

// String returns the field of Policy that says what s means.
func (s silence) String() string {
	return [...]string{"Unavailable", "Forbidden", "TooManyRedirects", "TooManyRequests", "Unreachable", "LongOutage"}[s]
}
