// Package polite makes an http.Client obey robots.txt. One line does it:
//
//	client = polite.Wrap(client, "ExampleBot/1.0 (+https://example.com/bot)")
//
// From then on, a request that the site disallows for ExampleBot fails with a
// [DisallowedError], and is not sent. This holds for every method, and for each hop
// of a redirect.
//
// # How it works
//
// A [Transport] is an http.RoundTripper around another one. It takes each request
// through four steps:
//
//   - It finds the origin of the request: the scheme, the host and the port.
//   - It judges the request by the origin's robots.txt. If the Transport does not know
//     this file yet, it asks for it. It asks once, even if many requests wait. The
//     rules come from RFC 9309 and from Google's published interpretation. Package
//     [robots] documents them.
//   - It waits for the turn of the request. Requests to an origin take turns in the order in which they
//     came. Between two requests there is the gap that the site's crawl-delay asks for.
//   - It sends the request. It learns from the answer when the next one may follow.
//
// Package queue fetches many URLs with few workers. No worker waits for a site that is slow or asks for
// a long crawl-delay. Without a queue, start a goroutine for each request: a request that waits takes
// some 11 KB. If a fixed number of workers wait for turns, all of them soon wait for such sites.
//
// A [Policy] says what happens if there is no robots.txt, or if it could not be
// fetched. By default, an origin without a robots.txt (404, for example) allows
// everything. If robots.txt could not be fetched (5xx, no answer, a body that is cut
// short), requests fail with a [NoRulesError].
//
// A [Pace] says how requests take turns. If the turn of a request would come too late
// for its context, the request fails at once with a [DelayError]. Transport.Sites gives
// some sites a Pace of their own: package sites has a table for it. [With] says what is
// different for one request.
//
// A [Cache] keeps the answers of origins, and the turns. It asks again before an answer
// expires, so requests seldom wait for a new one. While an origin is down, its last
// good rules apply. With Cache.Store, it remembers all this when the process ends:
// package boltstore keeps it in a file.
//
// # Errors
//
// Every refusal is [ErrRefused], also inside the *url.Error that http.Client returns.
// Its kind tells what to do:
//
//	resp, err := client.Get(url)
//	switch {
//	case errors.Is(err, polite.ErrDisallowed): // robots.txt says no: leave the page alone
//	case errors.Is(err, polite.ErrNoRules): // there are no rules to go by: try again later
//	case errors.Is(err, polite.ErrDelayed): // its turn would come too late: try again later
//	}
//
// [DisallowedError], [NoRulesError] and [DelayError] say what decided, and when to try again. [ErrUse],
// [ErrStore], [ErrNoHost], [ErrBreak] and public.ErrPrivate say more about the cause.
package polite

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/ask"
	"github.com/go-polite/polite/internal/identity"
	"github.com/go-polite/polite/internal/judge"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/tdm"
	"github.com/go-polite/polite/internal/turns"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// Wrap returns a copy of c that obeys robots.txt. Its requests carry userAgent, which
// names your crawler and says where to read about it: "ExampleBot/1.0
// (+https://example.com/bot)". If userAgent names no crawler, every request fails with
// an error that says what to write. A nil c is a new client. Wrap does not change c.
//
// Wrap a client once and share the result: it remembers the rules of each site and the
// order of requests. A client for each request would fetch robots.txt each time, keep no gap,
// and leave its connections open: a Transport with a Logger warns of this. Set no Timeout on c: it includes the waiting. The Transport of the result is a *[Transport]: its Check tells what robots.txt
// says. For other settings, make a Transport of your own.
//
// If the Transport of c adds credentials, it also adds them to requests for robots.txt. A site may
// redirect these requests to another site. So let such a transport send through polite instead, or see
// [ForRobots].
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
// fields after its first use, and do not copy it. It is safe for concurrent use.
type Transport struct {
	// UserAgent is the User-Agent of the requests for robots.txt and of your requests.
	// A request may have its own User-Agent, if this names the product of UserAgent or
	// one of Agents. Otherwise polite sends UserAgent instead. So a site sees the name
	// by which polite judges. UserAgent is required, since a site must be able to tell
	// which crawler asks: "ExampleBot/1.0 (+https://example.com/bot)".
	UserAgent string

	// Agents are the product tokens by which robots.txt may name your crawler, the most specific first.
	// The first token that the file names decides (RFC 9309 §2.2.1). If nil, Agents is the one token that
	// robots.ProductToken finds in UserAgent.
	Agents []string

	// Base sends the requests, also those for robots.txt. What Base adds goes with all requests. So let a
	// transport that adds credentials send through polite instead, or see ForRobots. If Base is nil, it
	// is whatever http.DefaultTransport is at each request: of an http.Transport, a copy that reads at
	// most 256 KiB of a response's header. In a Base of your own, set MaxResponseHeaderBytes: without it,
	// net/http reads 10 MB and allocates 230 MB for them. To keep out of private networks, set
	// public.Control as the Control of its dialer.
	Base http.RoundTripper

	// Policy says what it means if robots.txt could not be fetched, how long a fetch
	// may take, and which requests need no robots.txt. The zero Policy is RFC 9309's.
	Policy Policy

	// Pace says how requests take turns. The zero Pace keeps to the crawl-delay, up to
	// 30 seconds, to Retry-After, and to what the site bears, as its answers tell.
	Pace Pace

	// Sites returns what is different for the site of a request, or nil. Package sites has a table for
	// it. polite calls Sites when a request comes, unless the request is exempt. For Check, Robots and a
	// redirect of robots.txt, the request has only a method and a URL. If a request waits, polite calls
	// Sites again when this request is the next in its lane. From then on the Pace of the new Options
	// counts. So the pace of the evening holds for requests of the afternoon. All else stays as it was
	// when the request came: MaxWait, MaxQueue, Key, Group, Purposes and Agreed. The requests behind it
	// wait for Sites to return. Sites must not change the request, nor Options that it has returned.
	// Several goroutines call it at the same time.
	Sites func(*http.Request) *Options

	// Cache keeps the answers of origins and the turns. If nil, the Transport has a Cache of its own.
	// Transports that share a Cache take turns with each other. Together they ask each origin once: the
	// first Transport that needs an answer asks, through its Base. Each Transport decides by its own
	// Policy what the answer means, and how long it holds. A Transport asks again only if the answer is
	// of no use to it: if it follows a redirect that the other did not follow, or if its Timeout is
	// longer than the one that ended the fetch.
	Cache *Cache

	// Logger gets a message for each of these. If nil, polite logs nothing.
	//
	//   - Info: a fetch of robots.txt; a site that begins to have too much to do; of the refusals for one
	//     reason at one origin, the first in a minute. The others are at Debug. A dry run (Policy.DryRun)
	//     logs none; requests that wait while those under way, such as long polls, have had no answer for
	//     five seconds, and why, once a minute for each lane.
	//   - Warn: the first failed fetch at a site; the first User-Agent that is replaced; two Transports
	//     without a Cache that ask one site in a minute, and more than ten that ask any; a request that has
	//     waited for its turn for a minute, and why, once an hour for each lane and cause; a crawl-delay that
	//     is capped or refused; a failing Store or Turns; another process that is configured differently.
	Logger *slog.Logger

	// Trace has functions that polite calls while it works. The zero Trace has none.
	Trace Trace

	init   sync.Once
	engine engine
}

// If robots.txt allows req, RoundTrip sends it when its turn comes. If not, the error
// is ErrRefused: a *DisallowedError, a *NoRulesError or a *DelayError. If the
// context ends while req waits for its turn, or is cancelled while req waits for robots.txt,
// the error is context.Cause. A request for /robots.txt is always allowed. A request that is
// neither http nor https goes to Base as it is.
//
// RoundTrip does not change req. It sends a copy if it has to send another User-Agent
// or to spell the host differently: in lower case, or letters beyond ASCII in Punycode.
// Response.Request is then this copy.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.init.Do(t.setup)
	return t.engine.roundTrip(req, nil)
}

// Do is RoundTrip for a request that something else sends: a browser that goes on with a paused
// request, a command, or the client of a service. If req may be sent, Do calls send when its turn
// comes, and returns what send returns. It learns from the status, the header and the error. If req
// must not be sent, Do returns the error of RoundTrip, and does not call send. If send is nil, Base
// sends the request. robots.txt is always fetched through Base.
//
// send gets what Base would get: req, or a copy with the User-Agent to send. It must send this request
// once and follow no redirect: each hop is a request of its own. Like a RoundTripper, it closes the
// body of the request. The Body of its response may be nil.
//
// The gap counts from the call of send. If send first has to connect or to start something, let
// it ask once more in the moment before it writes the request:
//
//	if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.GotConn != nil {
//		trace.GotConn(httptrace.GotConnInfo{}) // waits for the turn
//	}
//	if err := context.Cause(req.Context()); err != nil {
//		return nil, err // do not write the request; Do may call send again
//	}
//
// The gap then counts from this call, and the rules, breaks and limits at this call decide. polite
// learns from the first request whether send asks. So let each send of a Transport ask, or none.
func (t *Transport) Do(req *http.Request, send func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	t.init.Do(t.setup)
	return t.engine.roundTrip(req, send)
}

// Check tells what RoundTrip would do with a GET request for u, but does not send it.
// It asks for robots.txt if necessary. It does not wait for a turn: see Decision.Start.
// A refusal is not an error of Check. Check returns an error if the Transport or u
// cannot be used, and context.Cause if ctx ends.
func (t *Transport) Check(ctx context.Context, u *url.URL) (Decision, error) {
	t.init.Do(t.setup)
	var to destination
	var v judge.Verdict
	req, _, err := t.engine.look(ctx, u, &to, &v)
	if err != nil {
		return Decision{}, err
	}
	d := t.engine.decider.decision(req, &to, &v)
	if !to.exempt {
		if start := t.engine.taker.NextOfAll(ctx, &to.Site, d.Gap); start.After(d.Start) {
			d.Start = start
		}
	}
	return d, nil
}

// Robots returns the robots.txt by which polite judges requests to the site of u now, with its
// sitemaps, licences and other records. The file comes from the Cache, from the Store, or from the
// site. Robots takes no turn, but does not ask during a break. Robots does not call Policy.Exempt. It
// also asks a site whose owner has agreed: see [Options].
//
// If the site has no robots.txt and the Policy allows all, the file is empty. If polite
// would refuse requests because there are no rules to go by, the error is a
// *NoRulesError. Robots returns another error if the Transport or u cannot be used, and
// context.Cause if ctx ends.
func (t *Transport) Robots(ctx context.Context, u *url.URL) (*robots.File, error) {
	t.init.Do(t.setup)
	return t.engine.robots(ctx, u)
}

// Reservation returns what the /.well-known/tdmrep.json of the site of u says about u: whether the site
// reserves text and data mining (usage.TDM), and the URL of its policy. polite asks for the file as for
// a page: the request waits for its turn. Policy.Purposes do not count for it. polite keeps the answer
// as long as an answer for robots.txt, also in the Store. If there is no such file, the Page is zero.
// If polite must not ask, or if the site gives no usable answer, Reservation returns an error: nobody
// knows then what the site reserves.
func (t *Transport) Reservation(ctx context.Context, u *url.URL) (usage.Page, error) {
	t.init.Do(t.setup)
	if !origin.IsHTTP(u) {
		return usage.Page{}, errors.New("polite: only http and https URLs have a tdmrep.json")
	}
	if t.engine.unusable != nil {
		return usage.Page{}, t.engine.unusable
	}
	said, err := t.engine.reservations.Of(ctx, u)
	return said.Of(u.RequestURI()), err
}

// CloseIdleConnections closes the idle connections of Base, if Base can do so. It ends the fetches of
// robots.txt for which no request waits any more. A dry run no longer judges the requests whose robots.txt has not
// come. If the Cache has Turns, polite stops listening to
// them until the next request. polite also stops when Turns is closed, and when no request has come for
// ten seconds.
func (t *Transport) CloseIdleConnections() {
	t.init.Do(t.setup)
	if asker := t.engine.asker; asker != nil {
		asker.Stop() // first: a fetch that begins listens
	}
	if lanes := t.engine.taker.Lanes; lanes != nil {
		lanes.StopWatching()
	}
	t.engine.sender.CloseIdleConnections()
}

// setup makes the engine of the fields.
func (t *Transport) setup() {
	e, cache := &t.engine, t.Cache
	e.observer.user = &t.Trace
	if cache == nil {
		cache = new(Cache)
	}
	e.unusable = e.sender.Use(t.Base, t, cache.countOverdue)
	if e.unusable == nil {
		e.identity.Agents, e.unusable = identity.Tokens(t.UserAgent, t.Agents)
	}
	if e.unusable == nil {
		e.unusable = judge.Usable("Policy.Purposes", t.Policy.Purposes)
	}
	if e.unusable != nil {
		return
	}
	e.observer.log = logged(t, e.identity.Agents)
	cache.init.Do(cache.setup)
	reader := answers.NewReader(cache.memory)
	reader.MaxAge, reader.Timeout, reader.Redirects = t.Policy.maxAge(), t.Policy.timeout(), t.Policy.redirects()
	log := logbook{t.Logger}
	if report := t.Policy.DryRun; report != nil {
		e.rehearsal = &rehearsal{report: report, counts: &cache.dryRun}
	}
	e.sites = sites{usual: t.Pace, plain: t.Pace.plain(), own: t.Sites, exempt: t.Policy.Exempt}
	e.identity.UserAgent, e.identity.Replaced = t.UserAgent, log.replaced
	e.judge = judge.Judge{Agents: e.identity.Agents, Policy: t.Policy.plain(), Memory: reader}
	e.taker = turns.Taker{Lanes: cache.lanes, Memory: reader, Delays: e.sender.Delays, Tells: e.sender.Tells, Hooks: turns.Hooks{
		Called: e.observer.called, Break: e.observer.breakBegan, Block: e.observer.blocked, Limit: e.observer.limited,
		Long:  log.waits(slog.LevelWarn, "requests wait long for their turn"),
		Quiet: log.waits(slog.LevelInfo, "requests wait, and those under way have had no answer for seconds"),
	}}
	cache.lanes.Configure(settings(e.sites.plain, t.Pace.Group, t.Pace.Key != nil, t.Sites != nil, e.identity.Agents), e.observer.ofCache())
	e.decider = decider{agents: e.identity.Agents, memory: reader, taker: &e.taker}
	e.asker = ask.New(ask.Options{
		Desk: cache.desk, Memory: reader, Taker: &e.taker, Base: e.sender.Base(), Mark: e.sender.Mark, SiteOf: e.sites.of,
		UserAgent: t.UserAgent, Agent: strings.ToLower(e.identity.Shown()), Agents: e.identity.Agents,
		InBreak: func(until time.Time) error { return &breakError{until} },
		Hooks:   ask.Hooks{Called: e.observer.called, Asked: e.observer.asked, Changed: e.observer.changed, Delay: log.delay},
	})
	e.reservations.Shelf = tdm.Shelf{
		Client: &http.Client{Transport: t, CheckRedirect: checkSiteFileRedirect}, Refused: func(err error) bool { return errors.Is(err, ErrRefused) },
		Claims: cache.desk.Claims(e.observer.called), Agent: strings.ToLower(e.identity.Shown()),
	}
}
