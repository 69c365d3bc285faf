package polite

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/judge"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/internal/turns"
	"github.com/go-polite/polite/robots/usage"
)

// A Pace says how requests take turns, so that a site never has more to do than it asks
// for. The requests to an origin take turns in the order in which they came. Between
// the starts of two there is a gap: the larger of MinDelay and the crawl-delay or
// request-rate of the site. If the site changes its rules, the new ones apply to all
// requests that wait. Each request keeps its place.
//
// The gap counts from the moment when Base writes a request. polite knows this moment
// if Base calls httptrace's GotConn, as http.Transport does. If the connection is ready
// too early, the request waits before it is written. If a break begins meanwhile, the
// request gives its connection up and waits for another turn, before all others. (A
// request whose body cannot be read again keeps the connection.) With any other Base,
// the gap counts from the moment when Base gets the request.
//
// A Retry-After in an answer of 429, 503 or 403 puts off the next turn. The caller gets the answer, and
// polite does not send the request again. After such a break one request goes first. The others wait
// for its answer, but not for longer than a minute. [Backoff] says how many follow a good answer. If
// Backoff is off, two requests may be under way at the same time, three after two more good answers,
// and so on. During a break, polite does not ask for robots.txt either.
//
// A request waits for its turn until its context ends. If its turn would come later, the request fails
// at once with a [DelayError], which says when to try again. If robots.txt does not come in time, the
// request fails with a DelayError shortly before its context ends. http.Client.Timeout includes the
// waiting. A client with a timeout gets these errors from sites that ask for long delays. A request
// without a deadline and without MaxWait does not wait for a site that is down: see [Backoff].
//
// The zero Pace keeps to the crawl-delay, up to 30 seconds, to Retry-After, and to what the site bears.
// At most 10,000 requests wait for an origin. [Gentle] returns a slower Pace. A negative value is the
// same as zero, but for NoDelay, NoQueue and NoLimit.
type Pace struct {
	// MinDelay is the least gap between the starts of two requests. Cache.Turns may keep only a part of a
	// very long gap: see the documentation of the store.
	MinDelay time.Duration

	// MaxDelay is the longest crawl-delay that polite keeps to. If a site asks for more, polite
	// keeps MaxDelay instead. Decision.CrawlDelay and the Logger tell what the site asked for.
	// Zero is 30 seconds. With Forever, polite waits as long as the site asks; with NoDelay, it
	// keeps to no crawl-delay. A site's value of more than 30 days is taken for a mistake, and
	// ignored in any case.
	MaxDelay time.Duration

	// RefuseLonger makes requests to a site that asks for more than MaxDelay fail with a
	// DelayError. Its Turn is the later of two times: when polite asks for robots.txt again, and
	// when the delay is over.
	RefuseLonger bool

	// Jitter makes each gap longer by a random part of the gap. With 0.1 a gap is up to
	// a tenth longer. It adds a day at most.
	Jitter float64

	// Backoff is how polite finds what the site bears without being told. The zero Backoff
	// is on.
	Backoff Backoff

	// Concurrency is the number of requests to a site that may be under way at the same time. A request
	// is under way from its start until the body of its response is closed or read to its end, or until
	// its context ends. If other Transports share the Cache and set a Concurrency too, their requests
	// count.
	//
	// Zero is six, as a browser opens six connections. Then a request is under way only from when it is
	// written until the header of its answer comes. Processes with the same Cache.Turns share the six, and
	// each may send one at least. With NoLimit, or with zero if Backoff is off, any number may be under way.
	Concurrency int

	// MaxWait is the longest time that a request waits, for robots.txt and for its turn
	// together. If robots.txt has not come for so long, requests fail at once until it comes.
	// With zero, a request waits until its context ends, or until the site is down: see Backoff.
	MaxWait time.Duration

	// MaxQueue is the number of requests that may wait for an origin, or for a Key. When so many wait,
	// further requests fail at once. Zero is 10,000. With NoQueue, no request waits. As many requests may
	// wait for the robots.txt of an origin, besides the one for which polite fetches it. Further requests
	// fail in a moment if robots.txt does not come.
	MaxQueue int

	// MaxRetryAfter is the longest Retry-After that polite keeps to, in answers for
	// pages and for robots.txt. Zero is one day, which is also the most.
	MaxRetryAfter time.Duration

	// Requests with the same Key take turns with each other. For example, return the
	// domain if one machine serves all its subdomains. If Key is nil, the requests to one
	// origin take turns. Key must not change the request. Several goroutines call it at the
	// same time. Check calls it with a request that has only a method and a URL. The Cache keeps
	// the text of each Key that is in use, or a digest if it is longer than 256 octets.
	Key func(*http.Request) string

	// Group adds a second gap and limit, for many origins together: those at one address, for example.
	// The gap and the limit of each origin hold, too. If nil, there is no Group. Do not change a Group
	// after its first use.
	Group *Group
}

// A Group is a lane above the lanes of requests. In it, origins or Keys take turns with each other. A
// request is sent when its turn has come both in its own lane and in the Group, and the gaps of both
// count from the moment when it is written. For 4 seconds between two requests to a host, and half a
// second between two to an address:
//
//	Pace{MinDelay: 4 * time.Second, Group: &Group{Key: sites.ByAddress(nil), MinDelay: 500 * time.Millisecond}}
//
// A request takes its place in the Group when it is the next in its own lane. So the lanes of a Group
// have turns one after the other, and a lane in a break does not hold up the others. A request for
// robots.txt takes a turn in the Group alone. Policy.Timeout does not count the wait for this turn. If
// the request is redirected or made again, it takes another turn before the requests for pages, and
// Policy.Timeout counts the wait for it. If a turn would come too late, the Turn of the [DelayError] is
// the later of the two turns. With Cache.Turns, a Group holds for all processes.
//
// Unless Backoff is off, a Group has a break if all its sites fail at once: five or more requests in a
// row, to several sites that were well before, get 5xx, 403 or no answer. The break lasts from a
// second to half a minute. Then one request goes first. A 429 never counts.
type Group struct {
	// Key names the Group of a request: ByDomain and ByAddress of package sites, for example. If it
	// returns "", the request has no Group. Requests with one Key should have the same MinDelay and
	// Concurrency. Key is called like Pace.Key. It may take its time, but should end with the context of
	// the request.
	Key func(*http.Request) string

	// MinDelay is the least gap between two requests of a Group. With zero, the Group has no gap of its
	// own.
	MinDelay time.Duration

	// Concurrency is the number of requests of a Group that may be under way at the same
	// time, as in Pace.Concurrency. Zero is any number.
	Concurrency int
}

// of returns the group of req as the engine goes by it, or nil. limit says that the site of req has
// a Backoff.
func (g *Group) of(req *http.Request, limit bool) *fleet.Group {
	if g == nil || g.Key == nil || g.MinDelay <= 0 && g.Concurrency <= 0 && !limit {
		return nil
	}
	key := g.Key(req)
	if key == "" {
		return nil
	}
	return &fleet.Group{Lane: fleet.OfGroup(key), Terms: lane.Terms{Gap: max(g.MinDelay, 0), Slots: max(g.Concurrency, 0), Limit: limit}}
}

// text returns what other processes are told of g. They are not told what Key returns: nobody knows.
func (g *Group) text() string {
	if g == nil || g.Key == nil {
		return "none"
	}
	return fmt.Sprintf("MinDelay %v, Concurrency %d", g.MinDelay, g.Concurrency)
}

// Values of limits for which zero is a default.
const (
	NoQueue = -1                           // of Pace.MaxQueue: no request waits
	NoLimit = -1                           // of Pace.Concurrency: as many requests may be under way as the site bears
	NoDelay = time.Duration(-1)            // of Pace.MaxDelay: no crawl-delay is kept; of MinDelay in Options: there is no gap of yours
	Forever = time.Duration(math.MaxInt64) // of Options.MaxWait: until the context ends, also for a site that is down; of Pace.MaxDelay: any crawl-delay is kept
)

const (
	defaultMaxDelay = 30 * time.Second
	defaultMaxQueue = 10_000
	defaultCeiling  = 6
)

// Gentle returns a Pace for crawlers that have time, and for sites of which nothing is known: one
// request at a time to each, and a second between two, or longer where the site asks for it.
func Gentle() Pace { return Pace{MinDelay: time.Second, Concurrency: 1} }

// plain returns p as the engine goes by it.
func (p *Pace) plain() turns.Pace {
	plain := turns.Pace{Terms: p.terms(), MaxDelay: p.MaxDelay, MaxRetryAfter: p.MaxRetryAfter, Refuse: p.RefuseLonger, Judge: judging(&p.Backoff)}
	if p.MaxDelay <= 0 && p.MaxDelay != NoDelay {
		plain.MaxDelay = defaultMaxDelay
	}
	return plain
}

// terms returns how requests take turns if the site asks for no crawl-delay.
func (p *Pace) terms() lane.Terms {
	terms := lane.Terms{
		Gap: max(p.MinDelay, 0), Jitter: p.Jitter, Slots: max(p.Concurrency, 0), MaxWait: max(p.MaxWait, 0), MaxQueue: p.MaxQueue,
		Limit: !p.Backoff.Off,
	}
	if terms.MaxQueue <= 0 && terms.MaxQueue != NoQueue {
		terms.MaxQueue = defaultMaxQueue
	}
	if terms.Limit && terms.Slots == 0 && p.Concurrency != NoLimit {
		terms.Ceiling = defaultCeiling
	}
	if !(terms.Jitter > 0) {
		terms.Jitter = 0
	}
	return terms
}

// Options say what is different for a site or for one request. [Transport.Sites] returns them for a
// site, and [With] puts them into the context of a request. A field that is zero changes nothing. A
// field of With comes before the same field of Sites, and both come before the fields of the Transport.
type Options struct {
	// Pace has the fields of Transport.Pace that are different. A field that is zero here is as in
	// Transport.Pace. For the default instead, write a negative value: NoDelay for no MinDelay, -2 where
	// -1 has a meaning of its own. RefuseLonger and Backoff.Off can only be turned on. With the zero
	// Group, the site is in no Group.
	Pace *Pace

	// Requests with this Key take turns with each other, as if Pace.Key had returned it. polite
	// does not call Pace.Key then.
	Key string

	// MaxWait is the longest time that the request waits, instead of Pace.MaxWait: for
	// robots.txt and for its turn together. With Forever, the request waits until its context
	// ends, also for a site that is down.
	MaxWait time.Duration

	// Purposes are what you want the page for, instead of Policy.Purposes. If empty and not nil,
	// polite does not look at what robots.txt says about use.
	Purposes []usage.Use

	// Agreed says that the owner of the site has agreed to the request. polite does not ask the
	// site for robots.txt, and refuses nothing because of it. The request still takes its turn.
	// polite does not learn the site's crawl-delay, so only the Pace counts, and breaks
	// (Retry-After). Agreed of With does not count for a redirect to another origin.
	Agreed bool

	// Basis says where the agreement is written down: "sites.txt:5". Decision.Basis tells it.
	Basis string
}

// With returns a context for requests that are different. A Transport looks at the context
// of each request that it gets, and of Check and Robots:
//
//	ctx = polite.With(ctx, polite.Options{MaxWait: time.Second})
//	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
//
// A request that Policy.Exempt exempts stays exempt. http.Client gives the context of a request to all
// hops of a redirect, so the Options are for these, too. If ctx has Options already, o takes the place
// of all their fields. Do not change Purposes or Pace afterwards.
func With(ctx context.Context, o Options) context.Context {
	return context.WithValue(ctx, optionsKey{}, &o)
}

type optionsKey struct{}

// optionsOf returns the Options of the context of req, or nil.
func optionsOf(req *http.Request) *Options {
	o, _ := req.Context().Value(optionsKey{}).(*Options)
	return o
}

// isFirstOrigin reports whether req goes to the origin that was asked for before the
// redirects that led to req.
func isFirstOrigin(req *http.Request, to *destination) bool {
	first := firstURL(req)
	if first == req.URL {
		return true
	}
	at, err := origin.OfURL(first)
	return err == nil && at == to.Origin
}

// sites says what applies to which site.
type sites struct {
	usual  Pace                         // Transport.Pace
	plain  turns.Pace                   // usual, as the engine goes by it
	own    func(*http.Request) *Options // Transport.Sites
	exempt func(*http.Request) bool     // Policy.Exempt
}

// resolve fills in to. It returns the path and query of req, which may lie in room.
func (s *sites) resolve(req *http.Request, room []byte, to *destination) (target string, err error) {
	if s.exempt != nil && s.exempt(req) {
		to.exempt, to.reason = true, ReasonExempt
		to.Origin, err = origin.OfRequest(req) // its target is sent as it is: nobody judges it
	} else {
		to.Origin, target, err = origin.Of(req, room)
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("polite: %w", printable.Error(err))
	case to.exempt:
		return "", nil
	case target == "/robots.txt":
		to.reason = ReasonRobotsTxt // always allowed (RFC 9309 §2.2.2)
	}
	s.settle(to, req, optionsOf(req))
	return target, judge.Usable("Options.Purposes", to.purposes)
}

// settle fills in what applies to requests to a site: first with counts, which may be nil, then Sites,
// then the fields of the Transport.
func (s *sites) settle(to *destination, req *http.Request, with *Options) {
	var of Options
	if s.own != nil {
		if own := s.own(req); own != nil {
			of = *own
		}
	}
	if with != nil {
		of.Key, of.MaxWait = cmp.Or(with.Key, of.Key), cmp.Or(with.MaxWait, of.MaxWait)
		if with.Purposes != nil {
			of.Purposes = with.Purposes
		}
		if with.Agreed && isFirstOrigin(req, to) {
			of.Agreed, of.Basis = true, with.Basis
		}
	}
	var merged Pace
	pace := &s.usual
	to.Pace = s.plain
	for _, own := range [...]*Pace{of.Pace, with.ownPace()} {
		if own != nil {
			merged = own.over(pace)
			pace, to.Pace = &merged, merged.plain()
		}
	}
	switch {
	case of.MaxWait == Forever:
		to.Pace.LimitWait(-1)
	case of.MaxWait > 0:
		to.Pace.LimitWait(of.MaxWait)
	}
	if to.purposes = of.Purposes; of.Agreed && to.reason == "" {
		to.reason, to.basis = ReasonAgreed, of.Basis
	}
	switch {
	case of.Key != "":
		to.Lane = fleet.OfUser(of.Key)
	case pace.Key != nil:
		to.Lane = fleet.OfUser(pace.Key(req))
	default:
		to.Lane = fleet.OfOrigin(to.Origin)
	}
	to.Group = pace.Group.of(req, to.Pace.FindsLimit())
}

// ownPace returns o.Pace. A nil o has none.
func (o *Options) ownPace() *Pace {
	if o == nil {
		return nil
	}
	return o.Pace
}

// over returns p with the fields of usual where p says nothing.
func (p Pace) over(usual *Pace) Pace {
	p.MinDelay, p.MaxDelay = cmp.Or(p.MinDelay, usual.MinDelay), cmp.Or(p.MaxDelay, usual.MaxDelay)
	p.Jitter, p.Concurrency = cmp.Or(p.Jitter, usual.Jitter), cmp.Or(p.Concurrency, usual.Concurrency)
	p.MaxWait, p.MaxQueue = cmp.Or(p.MaxWait, usual.MaxWait), cmp.Or(p.MaxQueue, usual.MaxQueue)
	p.MaxRetryAfter, p.Group = cmp.Or(p.MaxRetryAfter, usual.MaxRetryAfter), cmp.Or(p.Group, usual.Group)
	p.RefuseLonger, p.Backoff.Off = p.RefuseLonger || usual.RefuseLonger, p.Backoff.Off || usual.Backoff.Off
	if p.Backoff.Judge == nil {
		p.Backoff.Judge = usual.Backoff.Judge
	}
	if p.Key == nil {
		p.Key = usual.Key
	}
	return p
}

// changing reports whether Sites may give req another Pace when its turn comes.
func (s *sites) changing(req *http.Request) bool {
	with := optionsOf(req)
	return s.own != nil && (with == nil || with.Pace == nil)
}

// pace returns the Pace of the site of req as Sites says it now. Sites must not be nil.
func (s *sites) pace(req *http.Request) turns.Pace {
	if own := s.own(req); own != nil && own.Pace != nil {
		pace := own.Pace.over(&s.usual)
		return pace.plain()
	}
	return s.plain
}

// of returns the site of an origin to which a fetch of robots.txt is redirected.
func (s *sites) of(at origin.Origin) turns.Site {
	to := destination{Site: turns.Site{Origin: at}}
	s.settle(&to, &http.Request{Method: http.MethodGet, URL: at.RobotsURL()}, nil)
	return to.Site
}

// A Backoff says how polite finds out what a site bears, beyond what the site says. The
// zero Backoff is on.
//
// At first two requests may be under way to a site at the same time, and one more after each good
// answer, up to Pace.Concurrency. Here a request is under way until the header of its answer comes: set
// Pace.Concurrency where pages are large. If answers become slower, fewer may be under way. After a 429
// or 503, a refused connection, timeouts, or several errors in a row, there is a break. The break lasts
// a second, and twice as long after each further bad answer, up to five minutes. Then there is a gap,
// which slowly becomes shorter. A quota that the site tells in its answers (RateLimit,
// X-RateLimit-Remaining) is kept to. Processes that share Cache.Turns tell each other of breaks and
// gaps, and find the limit together. A request whose MaxQueue is NoQueue may be sent while fewer than
// Pace.Concurrency requests are under way, even if the site bears less.
//
// Nobody knows when a site that is down comes back. So if more than a minute of such a break is left, a
// request fails at once with a [DelayError], which says when to try again. The request waits all the
// same if its MaxWait or its deadline comes after the break, or if its Options.MaxWait is Forever. A
// break that the site itself has asked for makes all requests wait.
type Backoff struct {
	// Off turns Backoff off. Then only the gaps, the Concurrency and Retry-After count.
	Off bool

	// Judge says what an answer means for the load of the site, where the status does not tell:
	// LoadBusy for a captcha with status 200, or for a page to log in. If Judge is nil, polite
	// judges all answers by itself. Either resp is nil or err is. A Retry-After and a quota count
	// whatever Judge says, and an error is never good.
	//
	// Judge gets resp before the caller does, and must not change or close it. If Judge reads
	// from the body, it must put back what it has read:
	//
	//	head, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
	//	resp.Body = struct {
	//		io.Reader
	//		io.Closer
	//	}{io.MultiReader(bytes.NewReader(head), resp.Body), resp.Body}
	//
	// The caller waits for Judge. Judge must not send requests to the site. Several goroutines call it at
	// the same time. If it panics, the turn is over and the response is closed.
	Judge func(req *http.Request, resp *http.Response, err error) Load
}

// A Load is what an answer means for the load of a site: see [Backoff].
type Load int

const (
	LoadAsUsual Load = iota // polite judges the answer by itself
	LoadGood                // the site is well, and more requests may be under way
	LoadBusy                // the site has too much to do, as if it had answered 429
	LoadNeutral             // the answer says nothing of the load, as a 404
)

// kind returns the kind of answer that l means to the engine. It returns false if polite judges by
// itself.
func (l Load) kind() (limit.Kind, bool) {
	switch l {
	case LoadGood:
		return limit.Good, true
	case LoadBusy:
		return limit.Busy, true
	case LoadNeutral:
		return limit.Neutral, true
	default:
		return limit.Neutral, false
	}
}

// judging returns b.Judge as the engine calls it, or nil.
func judging(b *Backoff) func(*http.Request, *http.Response, error) (limit.Kind, bool) {
	if b.Judge == nil || b.Off {
		return nil
	}
	judge := b.Judge
	return func(req *http.Request, resp *http.Response, err error) (limit.Kind, bool) {
		return judge(req, resp, err).kind()
	}
}

// A Limit is what a site bears, as polite finds out from its answers: see [Backoff].
type Limit struct {
	Origin  string        // whose answers tell: scheme, host and port
	Group   bool          // it is the limit of the origin's Pace.Group: of all origins in it together
	Status  int           // of the answer that has begun a break, in Trace.BreakBegan; 0 if there was none
	Trouble Trouble       // what the last bad answer was; "" if a good one came since
	Tries   int           // how many requests, each the first after a break, were answered badly in this trouble
	Window  int           // how many requests may be under way; 0 for a Group, since polite finds no such number for it
	Gap     time.Duration // the least time between the starts of two; 0 if there is none
	Until   time.Time     // the end of the break; zero if there is none
	Asked   bool          // the site has asked for this break, with Retry-After or a quota
}

// A Trouble says what is wrong at a site that has too much to do.
type Trouble string

const (
	TroubleBusy    Trouble = "busy"    // it answers 429 or 503, or Backoff.Judge says so
	TroubleRefused Trouble = "refused" // it refuses connections
	TroubleSilent  Trouble = "silent"  // it does not answer in time
	TroubleBroken  Trouble = "broken"  // it answers 5xx but 503, again and again
	TroubleBarred  Trouble = "barred"  // it answers 403, again and again

	TroubleChallenged Trouble = "challenged" // a wall before it answers with challenges for browsers, again and again
)

// String returns l in a few words: "the site is busy: 1 request at a time, one every 2s". The
// times at which a break ends are left out.
func (l Limit) String() string {
	text := l.Trouble.sentence()
	switch {
	case l.Group && l.Trouble == "":
		text = "the group of the site is well"
	case l.Group:
		text = "the group of " + strings.TrimSuffix(text, ":")
	case l.Window == 1:
		text += " 1 request at a time"
	default:
		text += fmt.Sprintf(" %d requests at a time", l.Window)
	}
	if l.Gap > 0 {
		text += fmt.Sprintf(", one every %v", printable.Duration(l.Gap))
	}
	return text
}

// sentence returns the beginning of a sentence about t.
func (t Trouble) sentence() string {
	switch t {
	case "":
		return "the site bears"
	case TroubleRefused:
		return "the site refuses connections:"
	case TroubleSilent:
		return "the site does not answer:"
	case TroubleBroken:
		return "the site answers with errors:"
	case TroubleBarred:
		return "the site forbids its pages:"
	case TroubleChallenged:
		return "a wall before the site answers with challenges:"
	default:
		return "the site is busy:"
	}
}

// limitOf returns s, which the answers of an origin tell: of itself, or of its Group.
func limitOf(origin string, s limit.State, group bool) Limit {
	l := Limit{Origin: origin, Group: group, Window: s.Window, Gap: s.Gap, Asked: s.Asked}
	if group {
		l.Window = 0
	}
	if s.Incident {
		l.Trouble, l.Tries = Trouble(s.Why.String()), s.Tries
	}
	if s.Break > 0 {
		l.Until = time.Now().Add(s.Break)
	}
	return l
}
