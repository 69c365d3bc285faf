package polite

import (
	"net/http"
	"time"

	"github.com/go-polite/polite/internal/pace"
)

// A Pace says how requests take turns, so that no site has more to do than it
// asks for. Turns go by key, which is the origin by default, and in order of
// arrival: from the start of one to the start of the next there is a gap, the
// larger of MinDelay and what the site's crawl-delay or request-rate asks for. If
// its rules change, the new ones hold for all who wait, in their places.
//
// The gap counts from when a request is written. This is known of a Base that calls
// httptrace's GotConn, as http.Transport and what is built on it do: a request whose
// connection is ready too early waits there. For any other Base it counts from when
// the request is handed to it.
//
// A Retry-After that comes with 429 or 503 puts off the next turn; the response
// is the caller's all the same, and nothing is sent again. After such a break one
// request goes first. The others follow its answer: with each round of good answers
// one more may be under way, and after another 429 or 503 it is one again.
//
// A request waits for its turn until its context ends. If its turn would come
// later than that, it fails at once, with a [DelayError] that says when to try
// again. http.Client.Timeout counts the waiting too: a client with one should
// expect these errors from sites that ask for long delays.
//
// The zero Pace honours crawl-delay, up to 30 seconds, and Retry-After. Of its own
// it sets no limit but that no more than 10,000 requests wait for an origin. Where
// nothing else is said, a negative value is as zero.
type Pace struct {
	// MinDelay is the least gap between the starts of two requests.
	MinDelay time.Duration

	// MaxDelay is the longest gap that a site's crawl-delay is honoured with.
	// Zero is 30 seconds; a negative value ignores crawl-delay altogether.
	MaxDelay time.Duration

	// Beyond says what to do if a site asks for more than MaxDelay. Zero is to
	// keep to MaxDelay, and to say so in Decision.SiteDelay and to the Logger.
	Beyond Beyond

	// Jitter makes each gap longer by a random part of it, up to this: 0.1 is by
	// up to a tenth.
	Jitter float64

	// Adapt makes the gap follow how fast the site answers. Zero is not to.
	Adapt Adapt

	// Concurrency is how many requests may be under way at the same time: from
	// their start until the body of the response is closed or read to its end, or
	// the context of the request has ended. Zero is any number.
	Concurrency int

	// MaxWait is the longest that a request may wait for its turn. Zero is for as
	// long as its context lasts.
	MaxWait time.Duration

	// MaxQueue is how many requests may wait for a key; more fail at once. Zero is
	// 10,000; a negative value lets none wait.
	MaxQueue int

	// MaxRetryAfter is the longest that a Retry-After is honoured, of pages and of
	// robots.txt. Zero is a day, which is also the most.
	MaxRetryAfter time.Duration

	// Key tells which requests take turns with each other, for example by the
	// domain if its subdomains are one machine. Nil is by origin. It must not
	// change the request, is called by several goroutines at once, and by Check with
	// a request that has a method and a URL only.
	Key func(*http.Request) string
}

// Adapt makes the gap a multiple of the time that recent requests took until
// their response came, within bounds. It doubles with each 429, 503 and timeout,
// and comes back slowly when all is well. Before the first response nothing is
// known: Min, or Pace.MinDelay, is the gap until then.
type Adapt struct {
	Factor float64       // as in 5 times; zero is not to adapt
	Min    time.Duration // the least gap
	Max    time.Duration // the longest; zero is 30 seconds
}

// Beyond says what to do with a crawl-delay beyond Pace.MaxDelay.
type Beyond int

const (
	Clamp  Beyond = iota // keep to MaxDelay
	Obey                 // wait as long as the site asks
	Refuse               // fail with a DelayError, whose Turn is when robots.txt is asked for again, or after the delay if that is later
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
