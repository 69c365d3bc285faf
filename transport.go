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
	"sync/atomic"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/pace"
)

// Wrap returns a copy of c that obeys robots.txt and sends userAgent, which
// names the crawler and where to read about it: "ExampleBot/1.0
// (+https://example.com/bot)". If it names none, every request fails with an
// error that says so. A nil c is a new client. c itself is not changed.
//
// Wrap a client once and share the result: what is known of sites, and whose turn it
// is, belongs to it. Its Transport is a *[Transport], for those who want to Check.
// For more than the defaults, set an http.Client's Transport to one of your own.
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

	// Base sends the requests, those for robots.txt included. Nil is a copy of
	// http.DefaultTransport that reads no more than 256 KiB of a response's header.
	// A Base of your own should have such a MaxResponseHeaderBytes too: by default
	// net/http reads 10 MB, for which it allocates 230 MB. For sites that nobody has
	// chosen, use one whose dialer has DialPublic as its Control.
	Base http.RoundTripper

	// Policy says what it means that robots.txt cannot be had, which requests need
	// not ask for it, and how long a fetch of it may take. Its zero value is RFC
	// 9309's.
	Policy Policy

	// Pace says how requests take turns. Its zero value honours crawl-delay, up to
	// 30 seconds, and Retry-After.
	Pace Pace

	// Cache keeps the answers and the turns. Nil is one of the Transport's own;
	// Transports that share one ask each origin once between them, by the Policy
	// and through the Base of the one that comes first, and take turns with each
	// other.
	Cache *Cache

	// Logger is told of each fetch of a robots.txt, at level Info or, where it
	// failed, Warn; of each refusal, at level Info, but not of those that
	// Policy.ReportOnly is told of; and at level Warn, once, when requests begin to
	// wait for longer than a minute for their turn. Nil is silence.
	Logger *slog.Logger

	init   sync.Once
	err    error // why the fields are of no use
	agents []string
	cache  *Cache
	client *fetch.Client
	turns  pace.Rule // where a site asks for no delay
	sender http.RoundTripper
	proven atomic.Bool // sender does not lead back here
}

// RoundTrip sends req if robots.txt allows it, when it is its turn. The error for
// one that is refused is ErrDisallowed: a *DisallowedError, an *UnreachableError
// or a *DelayError. While it waits, for robots.txt or for its turn, it returns
// context.Cause when the context ends. Requests of another scheme than http and
// https go to Base as they are, and those for /robots.txt itself are always
// allowed.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	var room [256]byte // mostly enough for the target, so that nothing is allocated
	var to site
	turn, err := t.admit(req, room[:0], &to)
	if err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	return t.send(req, &to, turn)
}

// admit waits until req may be sent, or returns the error if it is not to be.
func (t *Transport) admit(req *http.Request, room []byte, to *site) (*pace.Turn, error) {
	target, err := t.resolve(req, room, to)
	if err != nil || to.exempt {
		return nil, err
	}
	ctx, end := hearing(req)
	defer end()
	var v verdict
	if err := t.judge(ctx, req, to, target, &v); err != nil {
		return nil, err
	}
	if t.free(&v) {
		return nil, nil
	}
	return t.takeTurn(ctx, req, to, target, &v)
}

// A site is where a request goes to.
type site struct {
	origin origin.Origin
	lane   lane
	exempt bool   // it need not ask, and takes no turn
	why    Reason // why robots.txt is not needed; "" if it is
}

// resolve fills in where req goes to, and returns the path and query that it asks
// for, which may lie in room.
func (t *Transport) resolve(req *http.Request, room []byte, to *site) (target string, err error) {
	if t.init.Do(t.setup); t.err != nil && origin.IsHTTP(req.URL) {
		return "", t.err
	}
	if !t.proven.Load() && req.Context().Value(through{t}) != nil {
		return "", errLoop
	}
	if !origin.IsHTTP(req.URL) {
		to.exempt, to.why = true, NotHTTP
		return "", nil
	}
	if to.origin, target, err = origin.Of(req, room); err != nil {
		return "", fmt.Errorf("polite: %w", err)
	}
	if t.Policy.Exempt != nil && t.Policy.Exempt(req) {
		to.exempt, to.why = true, Exempt
		return target, nil
	}
	to.lane = t.lane(to.origin, req)
	if target == "/robots.txt" {
		to.why = RobotsTxt
		if req.Context().Value(through{t}) != nil {
			return "", errLoop
		}
	}
	return target, nil
}

// judge finds out what the robots.txt of to means for req, and returns the error if
// req is not to be sent.
func (t *Transport) judge(ctx context.Context, req *http.Request, to *site, target string, v *verdict) error {
	if to.why != "" {
		v.allowed, v.reason = true, to.why
		return nil
	}
	e, err := t.known(ctx, to, false)
	if err != nil {
		return err
	}
	return t.permit(req, to, target, e, v)
}

// known returns what is known of to's robots.txt. If it is time to ask again, t
// does so in the background; if nothing can be used, known waits for an answer for
// as long as ctx lasts.
func (t *Transport) known(ctx context.Context, to *site, waited bool) (*entry, error) {
	e, due := t.cache.find(to.origin, waited)
	if e == nil {
		return t.cache.flights.wait(ctx, to.origin, t.asker(to))
	}
	if due && !t.cache.lanes.Held(to.lane) {
		t.cache.flights.refresh(to.origin, t.asker(to))
	}
	return e, nil
}

// evaluate fills in what e means for a target.
func (t *Transport) evaluate(target string, e *entry, v *verdict) {
	v.entry = e
	t.Policy.judge(v, t.agents, target, t.cache.now())
	if e.file != nil && e.file.grown() {
		t.cache.recount(e.file)
	}
}

// permit fills in what e means for req, and returns the error if req is not to be
// sent.
func (t *Transport) permit(req *http.Request, to *site, target string, e *entry, v *verdict) error {
	t.evaluate(target, e, v)
	if v.allowed {
		return nil
	}
	refusal := t.decision(req, to, v).refusal()
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
	var room [256]byte
	var to site
	var v verdict
	req := (&http.Request{Method: http.MethodGet, URL: u, Host: u.Host}).WithContext(ctx)
	target, err := t.resolve(req, room[:0], &to)
	if err != nil {
		return Decision{}, err
	}
	v.allowed, v.reason = true, to.why
	if to.why == "" {
		e, err := t.known(ctx, &to, false)
		if err != nil {
			return Decision{}, err
		}
		t.evaluate(target, e, &v)
	}
	return t.decision(req, &to, &v), nil
}

// CloseIdleConnections closes those of Base.
func (t *Transport) CloseIdleConnections() {
	t.init.Do(t.setup)
	if base, ok := t.sender.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// maxHeader is how much of a response's header is read if Base is nil. What
// allocates it is some 30 times as large.
const maxHeader = 256 << 10

// defaultBase returns what sends the requests if Base is nil.
func defaultBase() http.RoundTripper {
	base, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	base = base.Clone()
	if base.MaxResponseHeaderBytes <= 0 {
		base.MaxResponseHeaderBytes = maxHeader
	}
	return base
}

// loop stands in for a Base that is its Transport.
type loop struct{}

func (loop) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		req.Body.Close()
	}
	return nil, errLoop
}

// through marks the context of what a Transport sends, so that it knows its own
// requests if Base leads them back to it.
type through struct{ *Transport }

var errLoop = errors.New("polite: Base leads back to the Transport itself: set it to what http.DefaultTransport was before")

// hearing returns a context that also ends when the request is cancelled in the old
// way. end must be called.
func hearing(req *http.Request) (ctx context.Context, end func()) {
	//lint:ignore SA1019 net/http still hears it
	cancelled := req.Cancel
	if cancelled == nil {
		return req.Context(), func() {}
	}
	return hearCancel(req.Context(), cancelled)
}

func hearCancel(ctx context.Context, cancelled <-chan struct{}) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-cancelled:
			cancel(errCancelled)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

var errCancelled = errors.New("polite: the request was cancelled by its Cancel channel")

// refuse tells the Logger of a refusal, and returns it.
func (t *Transport) refuse(req *http.Request, refusal error) error {
	if t.Logger != nil {
		t.Logger.InfoContext(req.Context(), "refused a request", "error", refusal)
	}
	return refusal
}

func (t *Transport) setup() {
	if t.sender = t.Base; t.sender == nil {
		t.sender = defaultBase()
	}
	if t.sender == http.RoundTripper(t) {
		t.sender, t.err = loop{}, errLoop
		return
	}
	if t.agents, t.err = tokens(t.UserAgent, t.Agents); t.err != nil {
		return
	}
	t.turns = t.Pace.rule()
	t.client = fetch.New(fetch.Options{
		Base: t.sender, UserAgent: t.UserAgent, Timeout: t.Policy.timeout(), Visit: t.visit,
		MaxRedirects: t.Policy.maxRedirects(), CheckRedirect: t.Policy.checkRedirect(),
	})
	if t.cache = t.Cache; t.cache == nil {
		t.cache = new(Cache)
	}
	t.cache.init.Do(t.cache.setup)
}
