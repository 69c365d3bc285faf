package polite

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

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
	// UserAgent is sent with the requests for robots.txt, and with those of the user
	// that name another product or none: a site sees who was judged. A request whose
	// own User-Agent names the product of UserAgent or one of Agents keeps it.
	// UserAgent is required, since a site must be able to tell who asks:
	// "ExampleBot/1.0 (+https://example.com/bot)".
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
	// failed, Warn, and of each refusal, at level Info, but not of those that
	// Policy.ReportOnly is told of. At level Warn it is told, once, that a request
	// was sent under UserAgent instead of another name, and when requests to a site
	// begin to wait for longer than a minute for their turn. Nil is silence.
	Logger *slog.Logger

	init   sync.Once
	err    error // why the fields are of no use
	named  identity
	judge  judge
	line   line
	sender sender
}

// RoundTrip sends req if robots.txt allows it, when it is its turn. The error for
// one that is refused is ErrRefused: a *DisallowedError, an *NoRulesError
// or a *DelayError. While it waits, for robots.txt or for its turn, it returns
// context.Cause when the context ends. Requests of another scheme than http and
// https go to Base as they are, and those for /robots.txt itself are always
// allowed. RoundTrip does not change req: if its User-Agent or the spelling of its
// host has to differ, Base gets a copy, which Response.Request then is.
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
	ctx := req.Context()
	if cancelled := oldCancel(req); cancelled != nil {
		var end func()
		ctx, end = hearing(ctx, cancelled)
		defer end()
	}
	var v verdict
	if err := t.permit(ctx, req, to, target, &v, false); err != nil {
		return nil, err
	}
	if t.line.free(&v) {
		return nil, nil
	}
	turn, err := t.line.take(ctx, to, &v, func(come bool) error { return t.permit(ctx, req, to, target, &v, come) })
	return turn, t.delayed(req, to, &v, err)
}

// resolve fills in where req goes to, and returns the path and query that it asks
// for, which may lie in room.
func (t *Transport) resolve(req *http.Request, room []byte, to *site) (target string, err error) {
	t.init.Do(t.setup)
	if t.err == nil || !origin.IsHTTP(req.URL) {
		target, err = to.resolve(req, room, &t.Policy, &t.Pace)
	} else {
		err = t.err
	}
	if err == nil && t.sender.hasSent(req, to) {
		err = errLoop
	}
	return target, err
}

// permit fills in what is known to be allowed of to, and returns the error if req is
// not to be sent. Once the turn of req has come, what is known must be up to date.
func (t *Transport) permit(ctx context.Context, req *http.Request, to *site, target string, v *verdict, come bool) error {
	changed, err := t.judge.judge(ctx, to, target, v, come)
	if err != nil || v.allowed || !changed {
		return err
	}
	refusal := t.judge.decision(req, to, v).refusal()
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
	var to site
	var v verdict
	req := (&http.Request{Method: http.MethodGet, URL: u, Host: u.Host}).WithContext(ctx)
	target, err := t.resolve(req, nil, &to)
	if err != nil {
		return Decision{}, err
	}
	if _, err := t.judge.judge(ctx, &to, target, &v, false); err != nil {
		return Decision{}, err
	}
	return t.judge.decision(req, &to, &v), nil
}

// refuse tells the Logger of a refusal, and returns it.
func (t *Transport) refuse(req *http.Request, refusal error) error {
	t.line.log.refused(req.Context(), refusal)
	return refusal
}

// delayed returns the refusal if err is that a turn comes too late, else err.
func (t *Transport) delayed(req *http.Request, to *site, v *verdict, err error) error {
	late, ok := errors.AsType[*pace.LateError](err)
	if !ok {
		return err
	}
	d := t.judge.decision(req, to, v)
	d.Turn = late.Turn
	return t.refuse(req, &DelayError{d, time.Until(late.Turn), late.Why})
}

// send sends a request whose turn has come, and learns from the answer.
func (t *Transport) send(req *http.Request, to *site, turn *pace.Turn) (resp *http.Response, err error) {
	kept := false
	defer func() {
		if !kept {
			turn.Done() // also if Base panics
		}
	}()
	if to.why != NotHTTP {
		req = t.named.outgoing(req, &to.origin)
	}
	resp, err = t.sender.send(req, turn)
	if !to.exempt {
		kept = t.line.answered(req, to, turn, resp, err)
	}
	return resp, err
}

// CloseIdleConnections closes those of Base.
func (t *Transport) CloseIdleConnections() {
	t.init.Do(t.setup)
	if base, ok := t.sender.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

func (t *Transport) setup() {
	if t.sender.use(t.Base); t.sender.base == http.RoundTripper(t) {
		t.sender.base, t.err = loop{}, errLoop
		return
	}
	t.named.userAgent, t.named.log = t.UserAgent, logbook{t.Logger}
	if t.named.agents, t.err = tokens(t.UserAgent, t.Agents); t.err != nil {
		return
	}
	cache := t.Cache
	if cache == nil {
		cache = new(Cache)
	}
	cache.init.Do(cache.setup)
	t.line = line{pace: &t.Pace, plain: t.Pace.terms(), cache: cache, log: t.named.log}
	t.judge = judge{agents: t.named.agents, policy: &t.Policy, asker: newAsker(&t.sender, &t.named, &t.Policy, &t.line), line: &t.line}
}
