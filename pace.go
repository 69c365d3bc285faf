package polite

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/pace"
)

// A Pace says how requests take turns, so that no site has more to do than it
// asks for. Turns go by key, which is the origin by default, and in order of
// arrival: from the start of one to the start of the next there is a gap, the
// larger of MinDelay and what the site's crawl-delay or request-rate asks for.
// A Retry-After that comes with 429 or 503 puts off the next turn; the response
// is the caller's all the same, and nothing is sent again.
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
	// their start until the body of the response is closed or read to its end.
	// Zero is any number.
	Concurrency int

	// MaxWait is the longest that a request may wait for its turn. Zero is for as
	// long as its context lasts.
	MaxWait time.Duration

	// MaxQueue is how many requests may wait for a key; more fail at once. Zero is
	// 10,000; a negative value lets none wait.
	MaxQueue int

	// MaxRetryAfter is the longest that a Retry-After is honoured. Zero is a day,
	// which is also the most.
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

// rule returns how requests take turns if the site asks for no delay.
func (p *Pace) rule() pace.Rule {
	rule := pace.Rule{
		Gap: max(p.MinDelay, 0), Jitter: p.Jitter, Slots: max(p.Concurrency, 0), MaxWait: p.MaxWait, MaxQueue: p.MaxQueue,
		Adapt: pace.Adapt{Factor: p.Adapt.Factor, Min: p.Adapt.Min, Max: p.Adapt.Max},
	}
	if rule.MaxQueue == 0 {
		rule.MaxQueue = 10_000
	}
	if rule.Adapt.Max <= 0 {
		rule.Adapt.Max = defaultMaxDelay
	}
	return rule
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

// A lane is what requests take turns by: an origin, or what Pace.Key returns.
type lane struct {
	origin origin.Origin
	key    string
}

// lane returns the one of a request with verdict v.
func (t *Transport) lane(v *verdict) lane {
	if t.Pace.Key != nil {
		return lane{key: v.key}
	}
	return lane{origin: v.origin}
}

// free reports whether there is nothing that a request with verdict v could wait
// for, as is mostly so.
func (t *Transport) free(v *verdict) bool {
	_, delayed := v.rules.CrawlDelay()
	return !delayed && t.turns.Free() && t.pacer.Keys() == 0
}

// rule returns how a request with verdict v takes its turn, or that it is to be
// refused, because the site asks for too long a delay.
func (t *Transport) rule(v *verdict) (rule pace.Rule, refuse bool) {
	rule = t.turns
	if delay, ok := v.rules.CrawlDelay(); ok {
		delay, refuse = t.Pace.siteDelay(delay)
		rule.Gap = max(rule.Gap, delay)
	}
	return rule, refuse
}

// takeTurn waits for the turn of a request with verdict v.
func (t *Transport) takeTurn(req *http.Request, v *verdict) (pace.Turn, error) {
	if t.free(v) {
		return pace.Turn{}, nil
	}
	rule, refuse := t.rule(v)
	if refuse {
		d := t.decision(req, v)
		wait := max(time.Until(d.Next), d.SiteDelay)
		d.Turn = time.Now().Add(wait)
		return pace.Turn{}, t.refuse(req, &DelayError{d, wait, fmt.Sprintf("the site asks for a delay of %v, until its robots.txt is asked for again", d.SiteDelay)})
	}
	turn, err := t.pacer.Take(req.Context(), t.lane(v), rule)
	if late, ok := errors.AsType[*pace.LateError](err); ok {
		d := t.decision(req, v)
		d.Turn = late.Turn
		return pace.Turn{}, t.refuse(req, &DelayError{d, time.Until(late.Turn), late.Why})
	}
	return turn, err
}

// send sends a request whose turn has come, and learns from the answer.
func (t *Transport) send(req *http.Request, v *verdict, turn pace.Turn) (*http.Response, error) {
	kept := false
	defer func() {
		if !kept {
			turn.Done() // also if Base panics
		}
	}()
	var start time.Time
	if t.Pace.Adapt.Factor > 0 {
		start = time.Now()
	}
	resp, err := t.base().RoundTrip(t.outgoing(req, &v.origin))
	t.learn(v, start, resp, err)
	if err == nil && resp != nil && turn.Limited() {
		kept = hold(resp, turn)
	}
	return resp, err
}

// hold lets a turn last until the response is done, and reports whether it is
// not yet.
func hold(resp *http.Response, turn pace.Turn) bool {
	if resp.Body == nil || resp.Body == http.NoBody {
		return false
	}
	if conn, ok := resp.Body.(io.ReadWriteCloser); ok && resp.StatusCode == http.StatusSwitchingProtocols {
		resp.Body = pace.UntilClosed(conn, turn.Done)
	} else {
		resp.Body = pace.Until(resp.Body, turn.Done)
	}
	return true
}

// learn puts off the next turn if the site asks for that, and adapts to how fast
// it answers.
func (t *Transport) learn(v *verdict, start time.Time, resp *http.Response, err error) {
	if v.reason == Exempt {
		return // it has taken no turn
	}
	busy := false
	if err != nil {
		timeout, ok := errors.AsType[net.Error](err)
		busy = ok && timeout.Timeout()
	} else if resp != nil && overloaded(resp.StatusCode) {
		busy = true
		if wait := t.Pace.retryAfter(fetch.RetryAfter(resp.Header)); wait > 0 {
			t.pacer.Hold(t.lane(v), time.Now().Add(wait))
		}
	}
	if t.Pace.Adapt.Factor > 0 && (err == nil || busy) {
		t.pacer.Learn(t.lane(v), time.Since(start), busy)
	}
}
