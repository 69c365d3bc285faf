package polite

import (
	"net/http"
	"time"

	"github.com/go-polite/polite/internal/pace"
)

// A Pace says how requests take turns, so that a site never has more to do than it
// asks for. The requests to an origin take turns in order of arrival. Between the
// starts of two there is a gap: the larger of MinDelay and the crawl-delay or
// request-rate of the site. If the site changes its rules, the new ones apply to all
// requests that wait, and each keeps its place.
//
// The gap counts from the moment when a request is written. polite knows it if Base
// calls httptrace's GotConn, as http.Transport does. A request that has its connection
// too early waits there. If a break begins meanwhile, it gives the connection up and
// waits for another turn, before all others. (A request whose body cannot be read again
// keeps the connection.) With any other Base, the gap counts from the moment when Base
// gets the request.
//
// A Retry-After in an answer of 429 or 503 puts off the next turn. The caller gets the
// answer, and polite sends nothing again. After such a break one request goes first,
// and the others wait for its answer, but not for longer than a minute. Each round of
// good answers lets one more request be under way at the same time. After another 429 or
// 503 it is one again. During a break, polite does not ask for robots.txt either.
//
// A request waits for its turn until its context ends. If its turn would come later
// than that, the request fails at once with a [DelayError], which says when to try
// again. http.Client.Timeout includes the waiting: a client with a timeout gets these
// errors from sites that ask for long delays.
//
// The zero Pace keeps to the crawl-delay, up to 30 seconds, and to Retry-After. It sets
// one limit of its own: no more than 10,000 requests wait for an origin. A negative
// value is the same as zero, unless the field says something else.
type Pace struct {
	// MinDelay is the least gap between the starts of two requests.
	MinDelay time.Duration

	// MaxDelay is the longest crawl-delay that polite keeps to. Zero is 30 seconds. A
	// negative value ignores crawl-delay.
	MaxDelay time.Duration

	// Beyond says what to do if a site asks for more than MaxDelay. The zero value
	// keeps to MaxDelay, and tells it in Decision.SiteDelay and to the Logger.
	Beyond Beyond

	// Jitter makes each gap longer by a random part of it. With 0.1 a gap is up to a
	// tenth longer.
	Jitter float64

	// Adapt makes the gap depend on how fast the site answers. The zero Adapt does
	// not.
	Adapt Adapt

	// Concurrency is the number of requests that may be under way at the same time. A
	// request is under way from its start until the body of its response is closed or
	// read to its end, or until its context ends. Zero is any number. Requests of other
	// Transports that share the Cache count if these set a Concurrency, too.
	Concurrency int

	// MaxWait is the longest time that a request waits for its turn. Zero is as long
	// as its context lasts.
	MaxWait time.Duration

	// MaxQueue is the number of requests that may wait for an origin, or for a Key.
	// If there are more, they fail at once. Zero is 10,000. A negative value lets no
	// request wait.
	MaxQueue int

	// MaxRetryAfter is the longest Retry-After that polite keeps to, in answers for
	// pages and for robots.txt. Zero is one day, and no value makes it longer.
	MaxRetryAfter time.Duration

	// Key returns the same string for requests that take turns with each other: the
	// domain, for example, if its subdomains are one machine. If nil, the requests to
	// an origin do. Key must not change the request. Several goroutines call it at
	// the same time. Check calls it with a request that has only a method and a URL.
	Key func(*http.Request) string
}

// Adapt makes the gap a multiple of the time in which the site has answered recent
// requests. The gap doubles with each 429, 503 and timeout, and comes back slowly when
// all is well. Before the first answer the gap is Min, or Pace.MinDelay if that is
// longer.
type Adapt struct {
	Factor float64       // 5 makes the gap five times that long; zero does not adapt it
	Min    time.Duration // the shortest gap
	Max    time.Duration // the longest gap; zero is 30 seconds
}

// Beyond says what to do if a site asks for a crawl-delay of more than Pace.MaxDelay.
type Beyond int

const (
	Clamp  Beyond = iota // keep to MaxDelay
	Obey                 // wait as long as the site asks
	Refuse               // fail with a DelayError; its Turn is when polite asks for robots.txt again, or after the delay if that is later
)

const defaultMaxDelay = 30 * time.Second

// siteDelay returns the gap that a site which asks for delay is given, and
// whether its requests are refused instead.
func (p *Pace) siteDelay(delay time.Duration) (gap time.Duration, refuse bool) {
	longest := p.MaxDelay
	if longest == 0 {
		longest = defaultMaxDelay
	}
	switch {
	case longest < 0:
		return 0, false
	case delay <= longest || p.Beyond == Obey:
		return delay, false
	default:
		return longest, p.Beyond == Refuse
	}
}

// terms returns how requests take turns if the site asks for no delay.
func (p *Pace) terms() pace.Terms {
	terms := pace.Terms{
		Gap: max(p.MinDelay, 0), Jitter: p.Jitter, Slots: max(p.Concurrency, 0), MaxWait: p.MaxWait, MaxQueue: p.MaxQueue,
		Adapt: pace.Adapt{Factor: p.Adapt.Factor, Min: p.Adapt.Min, Max: p.Adapt.Max},
	}
	if terms.MaxQueue == 0 {
		terms.MaxQueue = 10_000
	}
	if terms.Adapt.Max <= 0 {
		terms.Adapt.Max = defaultMaxDelay
	}
	if !(terms.Adapt.Factor > 0) { // also if it is no number
		terms.Adapt = pace.Adapt{}
	}
	if !(terms.Jitter > 0) {
		terms.Jitter = 0
	}
	return terms
}

// retryAfter returns for how long a Retry-After puts off the next turn.
func (p *Pace) retryAfter(wait time.Duration) time.Duration {
	if p.MaxRetryAfter > 0 {
		return min(wait, p.MaxRetryAfter)
	}
	return wait
}

func overloaded(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}
