package judge

import (
	"net/http"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/status"
)

// A Silence says why a site has no rules. The zero Silence is that it has some.
type Silence int

const (
	None             Silence = iota // there are rules
	Unavailable                     // there is no robots.txt (RFC 9309 §2.3.1.3)
	Forbidden                       // 401 or 403
	TooManyRedirects                // §2.3.1.2
	WebPage                         // a page for browsers came in its place, with 2xx
	TooManyRequests                 // 429
	Unreachable                     // it could not be fetched (§2.3.1.4)
	LongOutage                      // it could not be fetched for over 30 days
	silences
)

// IsOutage reports whether the site could not be reached (RFC 9309 §2.3.1.4). If not, it
// has no robots.txt (§2.3.1.3).
func (s Silence) IsOutage() bool { return s >= TooManyRequests }

// String returns the name of s. A field of polite.Policy has the same name.
func (s Silence) String() string {
	return [...]string{"", "Unavailable", "Forbidden", "TooManyRedirects", "WebPage", "TooManyRequests", "Unreachable", "LongOutage"}[s]
}

// longOutage is how long an outage lasts before a Policy may see it in another way.
const longOutage = 30 * 24 * time.Hour

// silenceOf returns why k has no rules now, for r. If endsOutages is true, an outage becomes a
// LongOutage after 30 days.
func silenceOf(k *answers.Known, endsOutages bool, r *answers.Reader) Silence {
	if f := k.Failure; f != nil && !r.Counts(k) {
		switch {
		case r.Now()-f.Since > int64(longOutage) && endsOutages:
			return LongOutage
		case f.Err == nil && f.Status == http.StatusTooManyRequests:
			return TooManyRequests
		default:
			return Unreachable
		}
	}
	switch {
	case k.File != nil:
		return WebPage
	case k.TooManyRedirects():
		return TooManyRedirects
	case status.Of(int(k.Status)).File == status.Closed:
		return Forbidden
	default:
		return Unavailable
	}
}
