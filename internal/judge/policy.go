package judge

import (
	"net/http"
	"time"

	"github.com/go-polite/polite/internal/memory"
	"github.com/go-polite/polite/robots/usage"
)

// A Policy says what is allowed where RFC 9309 leaves a choice.
type Policy struct {
	Denies      [silences]bool // whether a site without rules allows nothing
	EndsOutages bool           // after 30 days an outage is a LongOutage
	FoldPaths   bool           // judge also the path as most servers read it
	Purposes    []usage.Use    // what the pages are for
}

// longOutage is how long an outage lasts before a Policy may see it in another way.
const longOutage = 30 * 24 * time.Hour

// silence returns why k has no rules.
func (p *Policy) silence(k *memory.Known, now int64) Silence {
	if f := k.Failure; f != nil && !k.Counts(now) {
		switch {
		case now-f.Since > int64(longOutage) && p.EndsOutages:
			return LongOutage
		case f.Err == nil && f.Status == http.StatusTooManyRequests:
			return TooManyRequests
		default:
			return Unreachable
		}
	}
	switch {
	case k.TooManyRedirects():
		return TooManyRedirects
	case k.Status == http.StatusUnauthorized || k.Status == http.StatusForbidden:
		return Forbidden
	default:
		return Unavailable
	}
}
