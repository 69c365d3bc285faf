package polite

import (
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/pace"
)

// Wrap returns a copy of c that obeys robots.txt. Its requests carry userAgent, which
// names your crawler and says where to read about it: "ExampleBot/1.0
// (+https://example.com/bot)". If userAgent names no crawler, every request fails with
// an error that says what to write. A nil c is a new client. Wrap does not change c.
//
// Wrap a client once and share the result: it remembers the rules of each site and the
// order of requests. The Transport of the result is a *[Transport]. Its Check tells
// what robots.txt says. For other settings, make a Transport of your own.
func Wrap(c *http.Client, userAgent string) *http.Client {
	var wrapped http.Client
	if c != nil {
		wrapped = *c
	}
	wrapped.Transport = &Transport{UserAgent: userAgent, Base: wrapped.Transport}
	return &wrapped
}

// A Transport is an http.RoundTripper that obeys robots.txt: it does not send a request
// that the origin's robots.txt disallows. Make one with a literal. Do not change its
// fields after its first use. It is safe for concurrent use.
type Transport struct {
	// UserAgent is the User-Agent of the requests for robots.txt and of your requests.
	// A request may have its own User-Agent, if this names the product of UserAgent or
	// one of Agents. Otherwise polite sends UserAgent instead. So a site sees the name
	// by which polite judges. UserAgent is required, since a site must be able to tell
	// who asks: "ExampleBot/1.0 (+https://example.com/bot)".
	UserAgent string

	// Agents are the product tokens by which robots.txt may name your crawler, the most
	// specific first. The first that the file names decides (RFC 9309 §2.2.1). If nil,
	// it is the one token of UserAgent that robots.ProductToken finds.
	Agents []string

	// Base sends the requests, also those for robots.txt. If nil, it is a copy of
	// http.DefaultTransport that reads at most 256 KiB of a response's header. In a
	// Base of your own, set MaxResponseHeaderBytes: without it net/http reads 10 MB and
	// allocates 230 MB for them. To keep out of private networks, set DialPublic as the
	// Control of its dialer.
	Base http.RoundTripper

	// Policy says what it means if robots.txt could not be fetched, how long a fetch
	// may take, and which requests need no robots.txt. The zero Policy is RFC 9309's.
	Policy Policy

	// Pace says how requests take turns. The zero Pace keeps to the crawl-delay, up to
	// 30 seconds, and to Retry-After.
	Pace Pace

	// Sites returns what is different for the site that a request goes to, or nil.
	// Package sites has a table for it. polite calls Sites once for a request, unless it
	// is exempt, and with a method and a URL alone for Check, Robots and a redirect of
	// robots.txt. Sites must not change the request, nor a Site that it has returned.
	// Several goroutines call it at the same time.
	Sites func(*http.Request) *Site

	// Cache keeps the answers of origins and the turns. If nil, the Transport has its
	// own. Transports that share a Cache take turns with each other. They ask each
	// origin once: the first that needs an answer asks, by its Policy and its Base.
	Cache *Cache

	// Logger gets a record of each of these. If nil, polite logs nothing.
	//
	//   - Info: a fetch of robots.txt; the first refusal of its kind at an origin in a
	//     minute, if ReportOnly does not get it. The others are at Debug.
	//   - Warn: the first failed fetch at a site; the first User-Agent that is replaced;
	//     waits over a minute; a crawl-delay that is capped or refused; a failing Store.
	Logger *slog.Logger

	// Trace is told what the Transport does. The zero Trace is told nothing.
	Trace Trace

	init   sync.Once
	err    error // why the fields are of no use
	named  identity
	judge  judge
	line   line
	sender sender
}

// If robots.txt allows req, RoundTrip sends it when its turn comes. If not, the error
// is ErrRefused: a *DisallowedError, a *NoRulesError or a *DelayError. If the context
// ends while req waits for robots.txt or for its turn, the error is context.Cause. A
// request for /robots.txt is always allowed. A request that is neither http nor https
// goes to Base as it is.
//
// RoundTrip does not change req. It sends a copy if it has to send another User-Agent
// or to spell the host differently: in lower case, or letters beyond ASCII in Punycode.
// Response.Request is then this copy.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	var room [256]byte // mostly enough for the target, so that nothing is allocated
	var to site
	var v verdict
	target, turn, err := t.admit(req, room[:0], &to, &v)
	if err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	resp, err := t.send(req, &to, turn)
	for turn.SentBack() && err != nil {
		if turn, err = t.takeTurn(req, &to, target, &v, true); err == nil {
			resp, err = t.send(again(req), &to, turn)
		}
	}
	t.line.told.said(req, resp, t.named.agents)
	return resp, t.delayed(req, &to, &v, err)
}

// admit waits until req may be sent, or returns an error if it must not be sent. It
// fills in to and v. It returns the path and query of req as target, which may lie in
// room.
func (t *Transport) admit(req *http.Request, room []byte, to *site, v *verdict) (target string, turn *pace.Turn, err error) {
	if target, err = t.resolve(req, room, to); err != nil {
		return target, nil, err
	}
	ctx, end := hearing(req)
	defer end()
	if err = t.judge.judge(ctx, to, target, v); err == nil {
		err = t.permit(req, to, v)
	}
	if err == nil && !to.exempt && !t.line.free(to, v) {
		turn, err = t.takeTurn(req, to, target, v, false)
	}
	return target, turn, err
}

// takeTurn waits for the turn of req, and judges req again by what is known then. A
// request that was sent back goes before the others.
func (t *Transport) takeTurn(req *http.Request, to *site, target string, v *verdict, back bool) (*pace.Turn, error) {
	ctx, end := hearing(req)
	defer end()
	w := wait{told: t.line.told, req: req}
	defer w.abandon()
	turn, err := t.line.take(ctx, to, v, back, w.begin, func(come bool) error {
		changed, err := t.judge.judgeAgain(ctx, to, target, v, come)
		if changed {
			err = t.permit(req, to, v)
		}
		return err
	})
	err = t.delayed(req, to, v, err)
	w.end(turn, err)
	return turn, err
}

// resolve fills in to. It returns the path and query of req, which may lie in room.
func (t *Transport) resolve(req *http.Request, room []byte, to *site) (target string, err error) {
	t.init.Do(t.setup)
	if t.err == nil || !origin.IsHTTP(req.URL) {
		target, err = to.resolve(req, room, &t.Policy, t.line.paces)
	} else {
		err = t.err
	}
	if err == nil && t.sender.hasSent(req, to) {
		err = errLoop
	}
	return target, err
}

// permit tells what v is, and returns the error if req must not be sent.
func (t *Transport) permit(req *http.Request, to *site, v *verdict) error {
	if t.line.told.judges() {
		t.line.told.judged(req, t.judge.ruling(req, to, v))
	}
	if v.allowed {
		return nil
	}
	refusal := t.judge.decision(req, to, v).refusal()
	if t.Policy.ReportOnly == nil {
		return t.line.told.refused(req, refusal)
	}
	t.Policy.ReportOnly(req, refusal)
	return nil
}

// delayed returns the refusal if err says that a turn comes too late, else err.
func (t *Transport) delayed(req *http.Request, to *site, v *verdict, err error) error {
	late, ok := err.(*pace.LateError) // itself: a refusal may wrap another
	if !ok {
		return err
	}
	d := t.judge.decision(req, to, v)
	return t.line.told.refused(req, &DelayError{d, late.Turn, time.Until(late.Turn), late.Why, late.Err})
}

// send sends a request whose turn has come, and learns from the answer.
func (t *Transport) send(req *http.Request, to *site, turn *pace.Turn) (resp *http.Response, err error) {
	kept := false
	defer func() {
		if !kept {
			turn.Done() // also if Base panics
		}
	}()
	if to.why != ReasonNotHTTP {
		req = t.named.outgoing(req, &to.origin)
	}
	resp, err = t.sender.send(req, turn)
	if !to.exempt && (turn != nil || resp != nil && overloaded(resp.StatusCode)) { // else there is nothing to learn
		orClose(resp, func() { kept = t.line.answered(req, to, turn, resp, err) })
	}
	return resp, err
}

// CloseIdleConnections closes the idle connections of Base, if Base can do so. If the
// Cache has Turns, it stops to listen to them, until the next request.
func (t *Transport) CloseIdleConnections() {
	t.init.Do(t.setup)
	if t.line.cache != nil {
		t.line.cache.shared.watch.stop()
	}
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
	if t.named.agents, t.err = tokens(t.UserAgent, t.Agents); t.err == nil {
		t.err = usable(t.Policy.Purposes)
	}
	if t.err != nil {
		return
	}
	cache := t.Cache
	if cache == nil {
		cache = new(Cache)
	}
	cache.init.Do(cache.setup)
	t.line = newLine(paces{&t.Pace, t.Sites}, cache, t.named.log, listeners(&t.Trace, t.named.log))
	t.judge = judge{agents: t.named.agents, policy: &t.Policy, asker: newAsker(&t.sender, &t.named, &t.Policy, &t.line), line: &t.line}
	t.sender.overdue = t.line.overdue
}
