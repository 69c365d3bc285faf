package turns

import (
	"net/http"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/pace"
)

// A Pace says how requests to a site take turns.
type Pace struct {
	Terms         pace.Terms    // where the site asks for no crawl-delay
	MaxDelay      time.Duration // the longest crawl-delay that becomes a gap; negative: none does
	Refuse        bool          // a longer one refuses all requests
	MaxRetryAfter time.Duration // 0: as long as the site asks for

	// Judge says what an answer means, or false if nobody but its status does. It may be nil.
	Judge func(*http.Request, *http.Response, error) (limit.Kind, bool)
}

// A Site is where a request goes to, and how it takes its turn there.
type Site struct {
	Origin origin.Origin
	Lane   Lane
	Pace   Pace
	Group  *Group // nil: there is no lane above
}

// A Group is a lane above the lanes of requests. A request takes a turn in both.
type Group struct {
	Lane  Lane
	Terms pace.Terms // only Gap, Slots and Limit are needed
}

// LongestDelay returns the longest crawl-delay that becomes a gap at s.
func (s *Site) LongestDelay() time.Duration { return s.Pace.MaxDelay }

// Gap returns the gap that p keeps at a site with that crawl-delay. It also reports
// whether p refuses all requests instead.
func (p *Pace) Gap(crawlDelay time.Duration) (gap time.Duration, refuse bool) {
	switch {
	case p.MaxDelay < 0:
		return p.Terms.Gap, false
	case crawlDelay <= p.MaxDelay:
		return max(p.Terms.Gap, crawlDelay), false
	default:
		return max(p.Terms.Gap, p.MaxDelay), p.Refuse
	}
}

// FindsLimit reports whether p keeps to what the site bears, as its answers tell.
func (p *Pace) FindsLimit() bool { return p.Terms.Limit }

// RetryAfter returns how long a break lasts if a Retry-After asks for wait.
func (p *Pace) RetryAfter(wait time.Duration) time.Duration {
	if p.MaxRetryAfter > 0 {
		return min(wait, p.MaxRetryAfter)
	}
	return wait
}
