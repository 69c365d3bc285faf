// Package polite makes an http.Client obey robots.txt. One line does it:
//
//	client = polite.Wrap(client, "ExampleBot/1.0 (+https://example.com/bot)")
//
// From then on, a request that the site disallows for ExampleBot fails with a
// [DisallowedError] before it leaves the process. The same holds for each hop of
// a redirect, and for every method.
//
// # How it works
//
// A [Transport] is an http.RoundTripper around another. Before the first request
// to an origin (scheme, host and port) it asks that for its robots.txt, once,
// however many requests are waiting, and keeps the answer. Every request is then
// judged by the rules for the crawler's product token, as RFC 9309 and Google's
// published interpretation have it; package [robots] documents them.
//
// An origin without robots.txt (4xx) allows everything. Of one whose robots.txt
// cannot be had (5xx, no answer, a body cut short) nobody knows what it wants:
// requests to it fail with an [UnreachableError]. A [Policy] can say otherwise.
//
// A [Cache] keeps what is known of an origin and asks again in time, so that
// requests seldom wait for it; while an origin is down, the last good copy of its
// rules counts.
//
// Requests to an origin take turns, in order of arrival and at the distance that
// its crawl-delay asks for. A [Pace] sets the limits. A request whose turn would
// come too late for its context fails at once, with a [DelayError].
//
// # Errors
//
// Every refusal is [ErrDisallowed], also through the *url.Error that http.Client
// wraps around it:
//
//	resp, err := client.Get(url)
//	if refused, ok := errors.AsType[*polite.DisallowedError](err); ok {
//		log.Print("skipped: line ", refused.Rule.Line, " of ", refused.RobotsURL)
//	}
package polite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/pace"
)

// Wrap returns a copy of c that obeys robots.txt and sends userAgent, which
// names the crawler and where to read about it: "ExampleBot/1.0
// (+https://example.com/bot)". If it names none, every request fails with an
// error that says so. A nil c is a new client. c itself is not changed.
//
// The Transport of the result is a *[Transport], for those who want to Check. For
// more than the defaults, set an http.Client's Transport to one of your own.
func Wrap(c *http.Client, userAgent string) *http.Client {
	var wrapped http.Client
	if c != nil {
		wrapped = *c
	}
	wrapped.Transport = &Transport{UserAgent: userAgent, Base: wrapped.Transport}
	return &wrapped
}

// A Transport is an http.RoundTripper that asks before it fetches: a request
// that the origin's robots.txt disallows is not sent. It is made by a literal.
// Its fields must not be changed after its first use; it is safe for concurrent
// use by multiple goroutines.
type Transport struct {
	// UserAgent is sent with the requests for robots.txt, and with those of the
	// user that have no User-Agent header. It is required, since a site must be
	// able to tell who asks: "ExampleBot/1.0 (+https://example.com/bot)".
	UserAgent string

	// Agents are the product tokens by which robots.txt may name the crawler,
	// most specific first: the first that the file names decides (RFC 9309
	// §2.2.1). Nil is the one token of UserAgent, found by robots.ProductToken.
	Agents []string

	// Base sends the requests, those for robots.txt included. Nil is
	// http.DefaultTransport.
	Base http.RoundTripper

	// Policy says what it means that robots.txt cannot be had, which requests need
	// not ask for it, and how long a fetch of it may take. Its zero value is RFC
	// 9309's.
	Policy Policy

	// Pace says how requests take turns. Its zero value honours crawl-delay, up to
	// 30 seconds, and Retry-After.
	Pace Pace

	// Cache keeps the answers. Nil is one of the Transport's own; Transports
	// that share one ask each origin once between them, by the Policy and
	// through the Base of the one that comes first.
	Cache *Cache

	// Logger is told of each fetch of a robots.txt, at level Info or, where it
	// failed, Warn, and of each refusal, at level Info, but not of those that
	// Policy.ReportOnly is told of. Nil is silence.
	Logger *slog.Logger

	init   sync.Once
	err    error // why the fields are of no use
	agents []string
	cache  *Cache
	client *fetch.Client
	turns  pace.Rule // where a site asks for no delay
	pacer  pace.Pacer[lane]

	replaced sync.Once // the User-Agent of a request: the Logger was told
}

// RoundTrip sends req if robots.txt allows it, when it is its turn. The error for
// one that is refused is ErrDisallowed: a *DisallowedError, an *UnreachableError
// or a *DelayError. While it waits, for robots.txt or for its turn, it returns
// context.Cause when the context ends. Requests of another scheme than http and
// https go to Base as they are, and those for /robots.txt itself are always
// allowed.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !origin.IsHTTP(req.URL) {
		return t.base().RoundTrip(req)
	}
	var v verdict
	turn, err := t.admit(req, &v)
	if err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	return t.send(req, &v, turn)
}

// admit returns when req may be sent, or the error if it is not to be. If the
// rules have changed while it waited for its turn, it is judged by the new ones.
func (t *Transport) admit(req *http.Request, v *verdict) (turn pace.Turn, err error) {
	for {
		if err := t.permit(req, v); err != nil {
			turn.Done()
			return pace.Turn{}, err
		}
		if v.reason == Exempt || turn.Waited() {
			return turn, nil
		}
		if turn, err = t.takeTurn(req, v); err != nil || !turn.Waited() || t.cache.current(v) {
			return turn, err
		}
		if !t.cache.knows(v.origin) { // to ask takes time, in which the turn may pass
			turn.Done()
			turn = pace.Turn{}
		}
		*v = verdict{}
	}
}

// permit judges req, and returns the error if it is not to be sent.
func (t *Transport) permit(req *http.Request, v *verdict) error {
	if err := t.judge(req, v); err != nil || v.allowed {
		return err
	}
	refusal := t.decision(req, v).refusal()
	if t.Policy.ReportOnly == nil {
		return t.refuse(req, refusal)
	}
	t.Policy.ReportOnly(req, refusal)
	return nil
}

// Check tells what robots.txt means for a GET request for u, as RoundTrip would,
// without sending it; the origin is asked for its robots.txt if need be. Whether
// the request would be in time for its turn it does not tell: see Decision.Turn,
// and with Pace.Beyond set to Refuse, Decision.SiteDelay.
// A refusal is not an error: that is for a Transport or URL of no use, and for the
// end of ctx.
func (t *Transport) Check(ctx context.Context, u *url.URL) (Decision, error) {
	if !origin.IsHTTP(u) {
		return Decision{Allowed: true, Reason: NotHTTP, URL: redacted(u)}, nil
	}
	req := &http.Request{Method: http.MethodGet, URL: u, Host: u.Host}
	req = req.WithContext(ctx)
	var v verdict
	if err := t.judge(req, &v); err != nil {
		return Decision{}, err
	}
	return t.decision(req, &v), nil
}

// decision tells all about a verdict on req.
func (t *Transport) decision(req *http.Request, v *verdict) Decision {
	d := v.decision(req.URL, t.agents)
	if v.reason != Exempt {
		rule, _ := t.rule(v)
		d.SiteDelay, _ = v.rules.CrawlDelay()
		var turn time.Time
		if turn, d.Delay = t.pacer.Next(t.lane(v), rule); turn.After(time.Now()) {
			d.Turn = turn
		}
	}
	return d
}

// CloseIdleConnections closes those of Base.
func (t *Transport) CloseIdleConnections() {
	if base, ok := t.base().(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

func (t *Transport) base() http.RoundTripper {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	if base == http.RoundTripper(t) {
		return loop{}
	}
	return base
}

// loop stands in for a Base that leads back to its Transport.
type loop struct{}

var errLoop = errors.New("polite: Base leads back to the Transport itself: set it to what http.DefaultTransport was before")

func (loop) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		req.Body.Close()
	}
	return nil, errLoop
}

// judge fills in what the robots.txt of req's origin means for it.
func (t *Transport) judge(req *http.Request, v *verdict) error {
	t.init.Do(t.setup)
	if t.err != nil {
		return t.err
	}
	var room [256]byte // mostly enough, so that nothing is allocated
	o, target, err := origin.Of(req, room[:0])
	if err != nil {
		return fmt.Errorf("polite: %w", err)
	}
	v.origin = o
	if t.Policy.Exempt != nil && t.Policy.Exempt(req) {
		v.allowed, v.reason = true, Exempt
		return nil
	}
	if t.Pace.Key != nil {
		v.key = t.Pace.Key(req)
	}
	if target == "/robots.txt" {
		v.allowed, v.reason = true, RobotsTxt
		return nil
	}
	if v.entry, err = t.cache.get(req.Context(), t, v); err != nil {
		return err
	}
	t.Policy.judge(v, t.agents, target)
	return nil
}

// A query is the need to know of an origin's robots.txt.
type query struct {
	transport *Transport
	origin    origin.Origin
	lane      lane
}

func (t *Transport) query(v *verdict) query { return query{t, v.origin, t.lane(v)} }

// ask fetches the robots.txt, and keeps what is known then. It serves all who
// wait for that, so it does not end with the context of any.
func (q query) ask(known *entry) *entry {
	t, o := q.transport, q.origin
	answer, err := t.client.Fetch(context.Background(), o, known.validators())
	var e *entry
	level := slog.LevelInfo
	if unreachable(answer, err) {
		e, level = fail(known, answer, err), slog.LevelWarn
	} else {
		e = succeed(known, answer, err, &t.Policy)
	}
	t.cache.stats.count(e, answer)
	t.cache.store(o, e)
	if wait := t.Pace.retryAfter(answer.RetryAfter); wait > 0 && overloaded(answer.Status) {
		t.pacer.Hold(q.lane, time.Now().Add(wait))
	}
	if t.Logger != nil {
		t.Logger.Log(context.Background(), level, "asked for robots.txt",
			"url", o.RobotsURL().String(), "status", answer.Status, "hops", answer.Hops, "error", err, "next", time.Unix(0, e.refresh))
		if delay, gap := t.capped(e); delay > gap {
			t.Logger.Warn("crawl-delay is longer than it is honoured", "url", o.RobotsURL().String(), "delay", delay, "honoured", gap)
		}
	}
	return e
}

// capped returns the delay that a site asks us for, and the one that it gets.
func (t *Transport) capped(e *entry) (delay, gap time.Duration) {
	if e.file != nil {
		delay, _ = e.file.Rules(t.agents...).CrawlDelay()
	}
	gap, _ = t.Pace.siteDelay(delay)
	return delay, max(gap, t.Pace.MinDelay)
}

// refuse tells the Logger of a refusal, and returns it.
func (t *Transport) refuse(req *http.Request, refusal error) error {
	if t.Logger != nil {
		t.Logger.InfoContext(req.Context(), "refused a request", "error", refusal)
	}
	return refusal
}

func (t *Transport) setup() {
	if t.agents, t.err = tokens(t.UserAgent, t.Agents); t.err != nil {
		return
	}
	if t.base() == (loop{}) {
		t.err = errLoop
		return
	}
	t.turns = t.Pace.rule()
	t.client = fetch.New(fetch.Options{
		Base: t.base(), UserAgent: t.UserAgent, Timeout: t.Policy.timeout(),
		MaxRedirects: t.Policy.maxRedirects(), CheckRedirect: t.Policy.checkRedirect(),
	})
	if t.cache = t.Cache; t.cache == nil {
		t.cache = new(Cache)
	}
}
