package turns

import (
	"net/http"
	"time"

	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/origin"
)

// A Pace says how requests to a site take turns.
type Pace struct {
	Terms         lane.Terms    // where the site asks for no crawl-delay
	MaxDelay      time.Duration // the longest crawl-delay that becomes a gap; negative: none does
	Refuse        bool          // a longer one refuses all requests
	MaxRetryAfter time.Duration // 0: as long as the site asks for

	// Judge says what an answer means, or returns false: then its status says so. Judge may be nil.
	Judge func(*http.Request, *http.Response, error) (limit.Kind, bool)
}

// A Site is where a request goes to, and how it takes its turn there.
type Site struct {
	Origin origin.Origin
	Lane   fleet.Key
	Pace   Pace
	Group  *fleet.Group // nil: there is no lane above
}

// LongestDelay returns the longest crawl-delay that becomes a gap at s.
func (s *Site) LongestDelay() time.Duration { return s.Pace.MaxDelay }

// Gap returns the gap that p keeps at a site with a crawl-delay. It also reports whether p refuses all
// requests instead.
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

// LongestWait returns how long a request waits at most. Zero is until its context ends.
func (p *Pace) LongestWait() time.Duration { return max(p.Terms.MaxWait, 0) }

// LimitWait sets the longest wait. If it is negative, there is none.
func (p *Pace) LimitWait(most time.Duration) { p.Terms.MaxWait = most }

// Change makes p the Pace next, for a request that waits already. The longest wait and the longest
// queue stay as they were when the request came.
func (p *Pace) Change(next Pace) {
	next.Terms.MaxWait, next.Terms.MaxQueue, next.Terms.Returns = p.Terms.MaxWait, p.Terms.MaxQueue, p.Terms.Returns
	*p = next
}

// Return lets a request that is refused come back behind no promised turn: see lane.Terms.
func (p *Pace) Return() { p.Terms.Returns = true }

// Waited takes a wait from the longest wait, if there is one.
func (p *Pace) Waited(wait time.Duration) {
	if p.Terms.MaxWait > 0 {
		p.Terms.MaxWait = max(p.Terms.MaxWait-wait, 1)
	}
}

// LongestQueue returns how many requests may wait.
func (p *Pace) LongestQueue() int { return max(p.Terms.MaxQueue, 0) }
