package polite

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/ask"
	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/internal/repeats"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/store"
)

// A Trace has functions that polite calls while a Transport works: to count, to time or to show what it
// does. A nil function is not called, and costs nothing. polite calls functions from several goroutines
// at the same time, and waits for them. So they should return soon. They must not change the requests.
// Functions may be added later.
//
// A function must not wait for another request to the same lane. Waits, Waited, Called and Health are
// called while a request has a place in its lane, or its turn, or while robots.txt is being fetched.
// The other request would wait for this place, turn or fetch, and so for the function. Both hang until
// the context of the other request ends. Send such a request in a goroutine of its own.
//
// For a request, polite calls Judged, and Refused if the request is not sent. If the
// request waits for its turn, polite calls Waits and Waited. If its turn has come and
// other rules apply by then, polite calls Judged again. Package queue may try a request several times: polite
// tells of all tries as of one request.
//
// Health concerns a Cache, and so does Called with "watch" and "renew". If several Transports share the
// Cache, polite calls the functions of one of them: of those that have such a function or a Logger, the
// one that was put to use last.
type Trace struct {
	// Judged is called when polite knows what robots.txt means for a request, before the
	// request waits for its turn. Requests that need no robots.txt are judged, too.
	Judged func(*http.Request, Ruling)

	// Refused is called when polite refuses a request, with the error that RoundTrip returns.
	// [DecisionOf] tells all about the refusal; Decision.Reason says why, in a word.
	Refused func(req *http.Request, refusal error)

	// Waits is called when a request begins to wait for its turn, with the estimated
	// start.
	Waits func(req *http.Request, start time.Time)

	// Waited is called when this wait is over, once for each call of Waits. If err is not
	// nil, the request is not sent because of it.
	Waited func(req *http.Request, wait time.Duration, err error)

	// BreakBegan is called when an answer begins a break, with its Origin, Status and Until.
	BreakBegan func(Limit)

	// Blocked is called when the answer to a request looks like a block, from the first on: 403
	// (TroubleBarred), or the challenge of a wall (TroubleChallenged), also one that only the body shows,
	// while the caller reads it. status is that of the answer. Limited tells what polite makes of several.
	Blocked func(req *http.Request, status int, trouble Trouble)

	// Limited is called when a bad answer begins a break, when the request after the break is answered
	// badly, too, and when a good answer ends it. Such calls are rare: see Backoff.
	Limited func(Limit)

	// Answered is called with each response to a request, before the caller gets it. It must not
	// change, read or close the response. usage.OfHeader tells what the headers say about the
	// use of the page, and provenance.PriceOf what the site asks for it.
	Answered func(*http.Request, *http.Response)

	// Asked is called when polite has asked a site for robots.txt.
	Asked func(Fetch)

	// RulesChanged is called when another robots.txt takes the place of the known one, in the Cache or in
	// the Store. RulesChanged is not called if both files are equal octet by octet, if no file was known,
	// or if the origin cannot be reached. A File is nil if the origin had, or has, no robots.txt.
	RulesChanged func(origin string, before, after *robots.File)

	// Called is called after each call of Cache.Store and Cache.Turns that is made for a
	// request or for a fetch of robots.txt, and after each "watch" and "renew" that fails.
	Called func(store.Call)

	// Health is called when something happens to what this process shares by Cache.Turns.
	Health func(store.HealthEvent)
}

// A Ruling is what robots.txt means for a request, in short.
type Ruling struct {
	Allowed bool
	Reason  Reason
	Lookup  string // how robots.txt was known: "hit", in the Cache; "stale", out of date; "miss", the request waited for it; "" if it was not needed
	Again   bool   // the request was judged before, and other rules apply by now
	decide  func() Decision
}

// Decision tells all about the Ruling. Call it only if you need it: it takes a while. The
// Decision of a zero Ruling is zero.
func (r Ruling) Decision() Decision {
	if r.decide == nil {
		return Decision{}
	}
	return r.decide()
}

// A Fetch is one fetch of a robots.txt, with all its redirects and retries.
type Fetch struct {
	Origin    string        // scheme, host and port: "https://example.com"
	URL       string        // that was asked for first
	Hops      []string      // the URLs that it redirected to, in order
	Status    int           // of the last answer; 0 if there was none
	Unchanged bool          // the site has said that its robots.txt is as it was
	Size      int           // octets of the body that were read
	Err       error         // why there is no answer, or why polite cannot rely on it
	Tries     int           // how many fetches have failed since the last answer, with this one; 0 if this one has not failed
	Took      time.Duration // also in redirects and retries
	Next      time.Time     // when polite asks again, at the earliest
}

// An observer calls the functions of the user's Trace and of the Logger.
type observer struct {
	user *Trace
	log  Trace // zero if there is no Logger
}

// judges reports whether the Trace has a function for what robots.txt means for requests.
func (o *observer) judges() bool { return o.user.Judged != nil }

func (o *observer) judged(req *http.Request, r Ruling) { o.user.Judged(req, r) }

// refused tells of a refusal, and returns it.
func (o *observer) refused(req *http.Request, refusal error) error {
	for _, tell := range []func(*http.Request, error){o.user.Refused, o.log.Refused} {
		if tell != nil {
			tell(req, refusal)
		}
	}
	return refusal
}

// tell calls the functions that are not nil.
func tell[T any](of T, functions ...func(T)) {
	for _, function := range functions {
		if function != nil {
			function(of)
		}
	}
}

// A wait tells a Trace when it begins, and when it is over.
type wait struct {
	user  *Trace
	req   *http.Request
	began time.Time // zero if it has not begun, or is over
}

func (w *wait) begin(start time.Time) {
	w.began = time.Now()
	if w.user.Waits != nil {
		w.user.Waits(w.req, start)
	}
}

// left returns what is left of the longest wait. Zero is without end.
func (w *wait) left(most time.Duration) time.Duration {
	if most <= 0 || w.began.IsZero() {
		return most
	}
	return max(most-time.Since(w.began), 1)
}

// end tells that the wait is over. pass is what it has brought.
func (w *wait) end(pass lane.Admission, err error) {
	waited := time.Since(w.began)
	if w.began.IsZero() || w.user.Waited == nil {
		return
	}
	w.began = time.Time{}
	told := false
	defer func() {
		if !told {
			pass.Done() // Waited has panicked, so the turn is of no use
		}
	}()
	w.user.Waited(w.req, waited, err)
	told = true
}

// waits tells that req begins to wait. over, which may be nil, tells that the wait is over.
func (o *observer) waits(req *http.Request, start time.Time) (over func(error)) {
	if o.user.Waits == nil && o.user.Waited == nil {
		return nil
	}
	w := &wait{user: o.user, req: req}
	w.begin(start)
	return func(err error) { w.end(lane.Admission{}, err) }
}

// abandon ends a wait that a panic has cut short.
func (w *wait) abandon() { w.end(lane.Admission{}, errAbandoned) }

var errAbandoned = errors.New("polite: a function of the Trace, the Policy, the Pace or Sites has panicked")

// breakBegan tells that an answer of an origin asks for a break.
func (o *observer) breakBegan(of origin.Origin, status int, until time.Time) {
	tell(Limit{Origin: of.String(), Status: status, Until: until}, o.user.BreakBegan)
}

// blocked tells that the answer to req looks like a block.
func (o *observer) blocked(req *http.Request, status int, kind limit.Kind) {
	if o.user.Blocked != nil {
		o.user.Blocked(req, status, Trouble(kind.String()))
	}
}

// limited tells what an origin bears, or its Group.
func (o *observer) limited(of origin.Origin, s limit.State, group bool) {
	tell(limitOf(of.String(), s, group), o.user.Limited, o.log.Limited)
}

// answered tells of resp, the answer to req, which may be nil. If the Trace panics, answered
// closes resp.
func (o *observer) answered(req *http.Request, resp *http.Response) {
	if resp != nil && o.user.Answered != nil {
		orClose(resp, func() { o.user.Answered(req, resp) })
	}
}

// orClose calls tell. If this panics, the caller gets no response to close: orClose closes
// resp, which may be nil.
func orClose(resp *http.Response, tell func()) {
	told := false
	defer func() {
		if !told && resp != nil && resp.Body != nil {
			resp.Body.Close()
		}
	}()
	tell()
	told = true
}

// asked tells of a fetch of an origin's robots.txt.
func (o *observer) asked(of origin.Origin, fetch ask.Fetch) {
	tell(Fetch{
		Origin: of.String(), URL: of.RobotsURL().String(), Hops: fetch.Hops, Status: fetch.Status, Unchanged: fetch.Unchanged,
		Size: len(fetch.Body), Err: fetch.Err, Tries: fetch.Tries, Took: fetch.Took, Next: fetch.Next,
	}, o.user.Asked, o.log.Asked)
}

// changed tells that another file has taken the place of one.
func (o *observer) changed(of origin.Origin, before, after *answers.Known) {
	if o.user.RulesChanged != nil {
		o.user.RulesChanged(of.String(), before.File.Parsed(), after.File.Parsed())
	}
}

// called tells of a call of Store or Turns that began at some time.
func (o *observer) called(ctx context.Context, name string, began time.Time, err error) {
	switch {
	case errors.Is(err, store.ErrLost):
		err = nil
	case err != nil && ctx.Err() == context.Canceled: // whatever the error says
		err = context.Canceled
	}
	tell(store.Call{Name: name, Took: time.Since(began), Err: err}, o.user.Called, o.log.Called)
}

// happened tells of an event of the health.
func (o *observer) happened(e store.HealthEvent) { tell(e, o.user.Health, o.log.Health) }

// ofCache returns the observer of what concerns a Cache, or nil.
func (o *observer) ofCache() *fleet.Observer {
	if o.user.Health == nil && o.log.Health == nil && o.user.Called == nil && o.log.Called == nil {
		return nil
	}
	return &fleet.Observer{Called: o.called, Happened: o.happened}
}

// A logbook logs what no Trace tells. The rest of the log is a Trace: see logged.
type logbook struct{ logger *slog.Logger }

// delay tells that polite does not keep to the crawl-delay that o asks for: it keeps a
// shorter gap, or refuses all requests.
func (l logbook) delay(o origin.Origin, asked, kept time.Duration, refused bool) {
	switch {
	case l.logger == nil:
	case refused:
		l.logger.Warn("crawl-delay is longer than allowed: requests are refused", "url", o.RobotsURL().String(), "delay", asked)
	default:
		l.logger.Warn("crawl-delay is longer than it is honoured", "url", o.RobotsURL().String(), "delay", asked, "honoured", kept)
	}
}

// waits returns the function that logs that requests wait. It is nil if there is no Logger: then no request
// looks how long it has waited.
func (l logbook) waits(level slog.Level, text string) func(context.Context, origin.Origin, fleet.Key, lane.State) {
	if l.logger == nil {
		return nil
	}
	return func(ctx context.Context, o origin.Origin, key fleet.Key, s lane.State) {
		waits := laneOf(key, s)
		attrs := []slog.Attr{slog.String("origin", o.String()), slog.Int("waiting", waits.Waiting), slog.String("why", waits.Why())}
		if !waits.Next.IsZero() {
			attrs = append(attrs, slog.Time("until", waits.Next))
		}
		l.logger.LogAttrs(ctx, level, text, attrs...)
	}
}

// replaced tells that polite replaces the User-Agent of requests that do not name our
// product.
func (l logbook) replaced(ctx context.Context, replaced, sent string) {
	if l.logger != nil {
		l.logger.WarnContext(ctx, "User-Agent replaced; not logged again",
			"replaced", replaced, "sent", sent)
	}
}

// logged returns a Trace that writes to the Logger of a Transport with these product tokens. If
// there is none, the Trace is zero.
func logged(t *Transport, agents []string) Trace {
	if t.Logger == nil {
		return Trace{}
	}
	l := &logTrace{logger: t.Logger}
	if t.Cache == nil {
		l.alone = strings.ToLower(strings.Join(agents, ","))
	}
	return Trace{Refused: l.refused, Limited: l.limited, Asked: l.asked, Called: l.called, Health: l.differs}
}

// A logTrace writes what a Trace tells.
type logTrace struct {
	logger  *slog.Logger
	alone   string      // the product tokens, if the Transport shares its Cache with no other
	asks    atomic.Bool // it has asked for a robots.txt
	repeats repeats.Repeats
}

// refused tells of a request that is not sent. Of refusals for one reason at one origin,
// one in a minute is logged at Info, and the others at Debug.
func (l *logTrace) refused(req *http.Request, refusal error) {
	d, ok := DecisionOf(refusal)
	if !ok {
		return
	}
	level, before := slog.LevelDebug, 0
	if first, n := l.repeats.Note(d.Origin+" "+string(d.Reason), time.Now()); first {
		level, before = slog.LevelInfo, n
	}
	ctx := req.Context()
	if !l.logger.Enabled(ctx, level) {
		return
	}
	attrs := append(make([]slog.Attr, 0, 16), slog.String("reason", string(d.Reason)))
	attrs = append(attrs, about(d)...)
	if late, ok := errors.AsType[*DelayError](refusal); ok {
		attrs = append(attrs, slog.Duration("wait", late.Wait), slog.Time("turn", late.Turn), slog.String("cause", string(late.Cause)), slog.String("why", late.Why))
	}
	if before > 0 {
		attrs = append(attrs, slog.Int("repeated", before))
	}
	l.logger.LogAttrs(ctx, level, "refused a request", attrs...)
}

// limited tells that a site, or its Group, begins to have too much to do.
func (l *logTrace) limited(found Limit) {
	if found.Trouble == "" || found.Tries > 0 {
		return
	}
	who := "a site"
	if found.Group {
		who = "a group of sites"
	}
	l.logger.Info(who+" has too much to do", "origin", found.Origin, "trouble", string(found.Trouble), "until", found.Until, "gap", found.Gap)
}

// about returns the attributes of a Decision that have a value.
func about(d Decision) []slog.Attr {
	attrs := []slog.Attr{slog.String("url", d.URL), slog.String("origin", d.Origin)}
	if d.From != "" {
		attrs = append(attrs, slog.String("from", d.From))
	}
	if d.Reason == ReasonRule {
		attrs = append(attrs, slog.String("rule", printable.Text(d.Rule.String())), slog.Int("line", d.Rule.Line), slog.String("group", printable.Text(d.Group)))
	}
	if d.Reason == ReasonUse {
		attrs = append(attrs, slog.String("use", printable.Text(string(d.Use.Use))), slog.String("rule", printable.Text(d.Use.String())), slog.Int("line", d.Use.Line), slog.String("group", printable.Text(d.Group)))
	}
	if d.Basis != "" {
		attrs = append(attrs, slog.String("basis", d.Basis))
	}
	if d.Status != 0 && (d.Reason == ReasonUnreachable || d.Reason == ReasonUnavailable) {
		attrs = append(attrs, slog.Int("status", d.Status))
	}
	if d.Reason == ReasonUnreachable || d.Reason == ReasonUnavailable {
		attrs = withError(attrs, d.Err)
	}
	if !d.Next.IsZero() {
		attrs = append(attrs, slog.Time("next", d.Next))
	}
	return attrs
}

func withError(attrs []slog.Attr, err error) []slog.Attr {
	if err == nil {
		return attrs
	}
	return append(attrs, slog.Any("error", printable.Error(err)))
}

// loneTransports has what Transports that share no Cache have asked in the last minute. If a program makes a
// Transport for each request, two of them can meet in no other value. So this is the one memory of the
// whole process: a thousand digests, and only of Transports with a Logger.
var loneTransports repeats.Repeats

// tellStranger tells, once a minute, that another Transport has asked an origin a moment ago that
// this one asks for the first time. Its turns are not known here. A Transport that has logged about a
// thousand sites is past that: it is shared.
func (l *logTrace) tellStranger(origin string, now time.Time) {
	if mine, _ := l.repeats.Note("asked "+origin, now); l.alone == "" || !mine || l.repeats.IsFull() {
		return // it may have asked itself, if it has forgotten some
	}
	if noOther, _ := loneTransports.Note(l.alone+" "+origin, now); noOther {
		return
	}
	if untold, _ := loneTransports.Note(l.alone, now); untold {
		l.logger.Warn("two Transports ask the same site and share no Cache: no gap holds between their requests; make one client and share it", "origin", origin)
	}
}

// mostAlone is how many Transports of a crawler may begin in a minute, each with a Cache of its own.
const mostAlone = 10

// tellMany tells, once a minute, that there are more.
func (l *logTrace) tellMany(now time.Time) {
	if loneTransports.Nth("many "+l.alone, now) == mostAlone+1 {
		l.logger.Warn("more than ten Transports in a minute share no Cache: each asks for robots.txt and keeps connections open; make one client and share it")
	}
}

// asked tells what came of a request for robots.txt. The first failure is a warning; a
// site that is down stays so for many tries.
func (l *logTrace) asked(f Fetch) {
	now := time.Now()
	if l.alone != "" && !l.asks.Swap(true) {
		l.tellMany(now)
	}
	l.tellStranger(f.Origin, now)
	level := slog.LevelInfo
	if f.Tries == 1 {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{slog.String("url", f.URL), slog.String("origin", f.Origin)}
	if len(f.Hops) > 0 {
		attrs = append(attrs, slog.Any("hops", f.Hops))
	}
	if f.Status != 0 {
		attrs = append(attrs, slog.Int("status", f.Status))
	}
	attrs = withError(attrs, f.Err)
	if f.Tries > 0 {
		attrs = append(attrs, slog.Int("tries", f.Tries))
	}
	attrs = append(attrs, slog.Duration("took", f.Took), slog.Time("next", f.Next))
	l.logger.LogAttrs(context.Background(), level, "asked for robots.txt", attrs...)
}

// called tells, once a minute, that calls fail.
func (l *logTrace) called(c store.Call) {
	text := ""
	switch c.Name {
	case "claim", "put":
		text = "the store fails: this process asks for robots.txt by itself"
	case "break":
		text = "turns fail: only this process knows of a break"
	case "watch":
		text = "turns fail: this process does not hear of breaks"
	case "renew":
		text = "turns fail: requests may lose their slots, and then end"
	case "take":
		if !errors.Is(c.Err, context.DeadlineExceeded) { // which may be the request's own
			text = "turns fail: requests that need a turn are refused"
		}
	}
	if c.Err == nil || text == "" || errors.Is(c.Err, context.Canceled) {
		return
	}
	if first, _ := l.repeats.Note(text, time.Now()); first {
		l.logger.Warn(text, "error", printable.Error(c.Err))
	}
}

// differs tells that another process is configured differently.
func (l *logTrace) differs(e store.HealthEvent) {
	d := e.Difference
	if e.Kind != store.HealthDiffers {
		return
	}
	l.logger.Warn("another process that shares the turns is configured differently: sites get requests sooner than one of the two allows",
		"setting", printable.Text(d.Setting), "here", printable.Text(d.Here), "there", printable.Text(d.There))
}
