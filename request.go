package polite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/ask"
	"github.com/go-polite/polite/internal/identity"
	"github.com/go-polite/polite/internal/judge"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/internal/send"
	"github.com/go-polite/polite/internal/tdm"
	"github.com/go-polite/polite/internal/tries"
	"github.com/go-polite/polite/internal/turns"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// An engine has the parts of a Transport, made of its fields. Each request goes the same
// way:
//
//	resolve   find the origin and the lane, and whether robots.txt is needed (pace.go)
//	find      find what robots.txt means (packages ask, answers and judge)
//	permit    refuse the request, or not; decision.go has the refusals
//	takeTurn  wait for the turn; judge again if the rules change (package turns)
//	send      send it through Base, and learn from the answer (packages send and turns)
type engine struct {
	unusable  error // why the fields of the Transport are of no use
	sites     sites
	identity  identity.Identity
	asker     *ask.Asker
	judge     judge.Judge
	taker     turns.Taker
	sender    send.Sender
	decider   decider
	observer  observer
	rehearsal *rehearsal // nil if it is none

	reservations tdm.Reader
}

// roundTrip sends req when its turn comes, if it may be sent: through by, or through Base if by is nil.
func (e *engine) roundTrip(req *http.Request, by send.By) (*http.Response, error) {
	if e.rehearsal != nil {
		return e.rehearse(req, by)
	}
	var room [256]byte // mostly enough for the target, so that nothing is allocated
	var to destination
	var v judge.Verdict
	refused := true
	defer closeIf(&refused, req)
	target, admission, err := e.admit(req, by, room[:0], &to, &v)
	if refused = err != nil; refused {
		return nil, err
	}
	resp, err := e.send(req, by, &to, &v, admission)
	for err != nil && admission.Ticket.SentBack() {
		resp, admission, err = e.sendAgain(req, by, &to, target, &v, admission.Ticket)
	}
	if err != nil && admission.Ticket.Failure() == lane.ErrWritten { // by now, although it was to be sent back
		err = lane.ErrWritten
	}
	if err == lane.ErrRules {
		err = e.overtaken(req, &to, target, &v)
	}
	e.observer.answered(req, resp)
	return resp, e.delayed(req, &to, &v, err)
}

// closeIf closes the body of req if it was not handed on: it was refused, or a hook has panicked.
func closeIf(refused *bool, req *http.Request) {
	if *refused && req.Body != nil {
		req.Body.Close()
	}
}

// admit waits until req may be sent, or returns an error if it must not be sent. It
// fills in to and v. It returns the path and query of req as target, which may lie in
// room.
func (e *engine) admit(req *http.Request, by send.By, room []byte, to *destination, v *judge.Verdict) (target string, admission lane.Admission, err error) {
	if target, err = e.resolve(req, room, to); err != nil {
		return target, admission, err
	}
	ctx, end := send.Context(req)
	defer end()
	if req.Response != nil { // a hop
		if page := tries.Of(ctx); page != nil {
			to.Pace.LimitWait(page.Patience(req)) // also for robots.txt
		}
	}
	if ctx.Err() == context.DeadlineExceeded && !to.exempt {
		err = e.delayed(req, to, v, &lane.LateError{
			Turn: e.taker.ComeBack(&to.Site, time.Now()), Cause: lane.Deadline, Why: "it came after its deadline", Err: ctx.Err(), Unknown: true,
		})
	} else if err = e.find(ctx, to, target, v, true); err == nil {
		err = e.permit(req, to, v)
	} else {
		err = e.delayed(req, to, v, err)
	}
	if err != nil || to.exempt {
		return target, admission, err
	}
	if by != nil {
		v.Found.Idle = math.MaxInt64 // it is likely to connect
	}
	admission, ok := e.taker.Begin(&to.Site, v)
	if !ok {
		admission, err = e.takeTurn(req, to, target, v, nil)
	}
	return target, admission, err
}

// resolve fills in to. It returns the path and query of req, which may lie in room.
func (e *engine) resolve(req *http.Request, room []byte, to *destination) (target string, err error) {
	if !origin.IsHTTP(req.URL) {
		to.exempt, to.reason = true, ReasonNotHTTP
	} else if e.unusable != nil {
		return "", e.unusable
	} else if target, err = e.sites.resolve(req, room, to); err != nil {
		return "", err
	}
	return target, e.sender.Loop(req, to.reason == ReasonRobotsTxt)
}

// find fills in v: what the robots.txt of the site means for target. The method plays no part. find waits until
// ctx ends. If soon, it waits no longer than a request may, and then the error is a *lane.LateError.
func (e *engine) find(ctx context.Context, to *destination, target string, v *judge.Verdict, soon bool) (err error) {
	if e.findAtOnce(ctx, to, target, v) {
		return nil
	}
	if soon {
		v.Known, err = e.asker.AskSoon(ctx, &to.Site)
	} else {
		v.Known, err = e.asker.Ask(ctx, &to.Site)
	}
	if err == nil {
		e.judge.Judge(v, target)
	}
	return err
}

// findAtOnce is find for a request that does not wait. It reports whether enough is known.
func (e *engine) findAtOnce(ctx context.Context, to *destination, target string, v *judge.Verdict) bool {
	v.Purposes = to.purposes
	if to.reason != "" {
		v.Allowed = true
		return true
	}
	if v.Known, v.Found = e.asker.Known(ctx, &to.Site); v.Known == nil {
		return false
	}
	e.judge.Judge(v, target)
	return true
}

// findAgain is find for a request that has waited since. It reports whether v means
// something else now. If the turn of the request has come, it uses only what is up to
// date. If most is not zero, it waits no longer than most.
func (e *engine) findAgain(ctx context.Context, to *destination, target string, v *judge.Verdict, come bool, most time.Duration) (changed bool, err error) {
	k, err := e.asker.KnownNow(ctx, &to.Site, come, most)
	if err != nil {
		return false, err
	}
	last := *v
	*v = judge.Verdict{Known: k, Found: last.Found, Again: true, Purposes: last.Purposes}
	e.judge.Judge(v, target)
	return v.Differs(&last), nil
}

// permit tells the Trace of v, and returns the error if req must not be sent.
func (e *engine) permit(req *http.Request, to *destination, v *judge.Verdict) error {
	if v.Allowed {
		e.judged(req, to, v)
		return nil
	}
	refusal := e.decider.decision(req, to, v).refusal(req.URL)
	if page := e.triedAgain(req, refusal); page != nil {
		of, at := *to, *v
		page.Refuse(tries.Refusal{Of: req, GivenUp: func() {
			e.judged(req, &of, &at)
			e.observer.refused(req, refusal)
		}})
		return refusal
	}
	e.judged(req, to, v)
	return e.observer.refused(req, refusal)
}

// judged tells the Trace of v. Package queue may try a request many times: it is judged again only if other
// rules refuse it.
func (e *engine) judged(req *http.Request, to *destination, v *judge.Verdict) {
	if !e.observer.judges() {
		return
	}
	page := tries.Of(req.Context())
	if page != nil && req.Response != nil && !v.Again {
		page.Over(nil) // a hop is another request
	}
	if before := page.Judge(); before && v.Allowed && !v.Again {
		return
	} else if before {
		v.Again = true
	}
	e.observer.judged(req, e.ruling(req, to, v))
}

// triedAgain returns the request of package queue that is tried with req, if the queue may try it again after
// refusal. Else it returns nil.
func (e *engine) triedAgain(req *http.Request, refusal error) *tries.Request {
	page := tries.Of(req.Context())
	if page == nil {
		return nil
	}
	if _, _, again := RetryAt(refusal); !again {
		return nil
	}
	return page
}

// ruling returns v in short. The Decision of the Ruling may be asked for at any later time.
func (e *engine) ruling(req *http.Request, to *destination, v *judge.Verdict) Ruling {
	of := struct {
		to destination
		v  judge.Verdict
	}{*to, *v}
	return Ruling{v.Allowed, reason(to, v), lookup(v), v.Again, func() Decision { return e.decider.decision(req, &of.to, &of.v) }}
}

// takeTurn waits for the turn of req. It judges req again if the rules change meanwhile, and asks Sites
// again when req is the next. If back is not nil, it is the turn that was sent back: the request goes
// before the others.
func (e *engine) takeTurn(req *http.Request, to *destination, target string, v *judge.Verdict, back *lane.Ticket) (lane.Admission, error) {
	ctx, end := send.Context(req)
	defer end()
	w := wait{user: e.observer.user, req: req}
	defer w.abandon()
	begin, most := w.begin, to.Pace.LongestWait()
	if page := tries.Of(ctx); page != nil { // the wait may go on in another try, and package queue ends it
		to.Pace.LimitWait(page.Patience(req))
		to.Pace.Return()
		begin = func(start time.Time) { page.Wait(func() func(error) { return e.observer.waits(req, start) }) }
	}
	calls := turns.Calls{Waits: begin, Again: func(come bool) error {
		changed, err := e.findAgain(ctx, to, target, v, come, w.left(most))
		if changed {
			err = e.permit(req, to, v)
		}
		return err
	}}
	if e.sites.changing(req) {
		calls.Pace = func() { to.Pace.Change(e.sites.pace(req)) }
	}
	admission, err := e.taker.Take(ctx, &to.Site, v, back, calls)
	err = e.delayed(req, to, v, err)
	w.end(admission, err)
	return admission, err
}

// delayed returns the refusal if err says that a turn comes too late, else err.
func (e *engine) delayed(req *http.Request, to *destination, v *judge.Verdict, err error) error {
	late, ok := err.(*lane.LateError) // itself: a refusal may wrap another
	if !ok {
		return err
	}
	refusal := e.delay(req, to, v, late)
	if page := e.triedAgain(req, refusal); page != nil {
		page.Refuse(e.putOff(req, to, v, refusal))
		return refusal
	}
	return e.observer.refused(req, refusal)
}

// putOff makes refusal, of a try of package queue, say what keeps the lane, rather than that the try does not
// wait. It returns how to tell of it.
func (e *engine) putOff(req *http.Request, to *destination, v *judge.Verdict, refusal *DelayError) tries.Refusal {
	told := tries.Refusal{Of: req, GivenUp: func() { e.observer.refused(req, refusal) }}
	if refusal.Reason == ReasonUnknown {
		return told
	}
	key, state, reserves := e.taker.Keeps(&to.Site, v)
	told.Reserves = reserves
	awaits := state.AwaitsRequest() || state.Cause == lane.NoCause // an answer may have come since
	if refusal.Cause == CauseQueue {
		told.Awaits = awaits
	} else if refusal.Cause == CauseDeadline && refusal.err == nil {
		waits := laneOf(key, state)
		refusal.Cause, refusal.Why, told.Awaits = waits.Cause, waits.Why(), awaits
		switch {
		case waits.Cause == "":
			refusal.Cause, refusal.Why = CauseDeadline, "other requests of the lane go before it"
		case waits.Group:
			refusal.Cause = CauseGroup
		}
	}
	told.Waits = func() func(error) { return e.observer.waits(req, refusal.Turn) }
	of := to.Origin
	told.Long = func(began time.Time) {
		if refusal.Turn.Sub(began) > turns.LongWait {
			e.taker.TellLong(req.Context(), of, key, state)
		}
	}
	return told
}

// delay returns the refusal of a request whose turn comes too late.
func (e *engine) delay(req *http.Request, to *destination, v *judge.Verdict, late *lane.LateError) *DelayError {
	d := e.decider.decision(req, to, v)
	if d.Reason = ReasonDelayed; late.Unknown {
		d.Reason = ReasonUnknown // also if a turn has come and the rules are out of date
	}
	err := &DelayError{Decision: d, whole: new(*req.URL), Method: method(req), Turn: late.Turn, Wait: max(time.Until(late.Turn), 0), Cause: causes[late.Cause], Why: late.Why, err: late.Err}
	if late.Err != nil {
		err.Why = printable.Text(late.Why + ": " + late.Err.Error())
	}
	return err
}

// overtaken returns the error for a request that was not written because the rules
// have changed when its connection was ready. The request cannot be sent again.
func (e *engine) overtaken(req *http.Request, to *destination, target string, v *judge.Verdict) error {
	_, err := e.findAgain(req.Context(), to, target, v, true, to.Pace.LongestWait())
	if err == nil {
		err = e.permit(req, to, v)
	}
	if err == nil {
		err = &lane.LateError{Turn: time.Now(), Cause: lane.Changed, Why: "the rules have changed while it waited, and its body cannot be read again"}
	}
	return err
}

// send sends a request whose turn has come, and which was judged by v, and learns from the
// answer.
func (e *engine) send(req *http.Request, by send.By, to *destination, v *judge.Verdict, admission lane.Admission) (resp *http.Response, err error) {
	turn, kept := admission.Ticket, false
	defer func() {
		if !kept {
			admission.Done() // also if Base panics
		}
	}()
	out := req
	if to.reason != ReasonNotHTTP {
		out = e.identity.Outgoing(req, &to.Origin)
	}
	resp, err = e.sender.Send(out, turn, e.changed(req, turn, v, to.LongestDelay()), by)
	if !to.exempt {
		orClose(resp, func() {
			kept = e.taker.Answered(req, &to.Site, admission, resp, err)
		})
	}
	return resp, err
}

// sendAgain waits for another turn of a request that was sent back, and sends it. If it was
// written all the same, it is not sent again.
func (e *engine) sendAgain(req *http.Request, by send.By, to *destination, target string, v *judge.Verdict, back *lane.Ticket) (resp *http.Response, admission lane.Admission, err error) {
	again, err := send.Again(req)
	if err != nil {
		return nil, admission, err
	}
	refused := true
	defer closeIf(&refused, again)
	admission, err = e.takeTurn(req, to, target, v, back)
	if back.Failure() == lane.ErrWritten {
		admission.Done()
		return nil, admission, lane.ErrWritten
	}
	if err != nil {
		return nil, admission, err
	}
	refused = false
	resp, err = e.send(again, by, to, v, admission)
	if resp != nil && resp.Request == again {
		resp.Request = req
	}
	return resp, admission, err
}

// changed returns a function that is called at the wire, before req is written. The function reports whether
// req, which v allowed, has to be judged again, and else which gap req has to keep now. It is nil if
// nothing can change until then.
func (e *engine) changed(req *http.Request, turn *lane.Ticket, v *judge.Verdict, maxDelay time.Duration) func() (bool, time.Duration) {
	if v.Known == nil || !turn.Hooked() {
		return nil
	}
	k, purposes := v.Known, v.Purposes
	return func() (changed bool, gap time.Duration) {
		if k.IsReplaced() {
			changed, gap = e.forbids(req, k, purposes)
			return changed, min(gap, maxDelay)
		}
		return e.judge.Memory.Announced(k) && send.Replayable(req), 0 // what the Store has is not known here
	}
}

// forbids reports whether the rules that are known now forbid req, which was judged by last. If not,
// forbids returns the crawl-delay.
func (e *engine) forbids(req *http.Request, last *answers.Known, purposes []usage.Use) (forbidden bool, delay time.Duration) {
	o, target, _ := origin.Of(req, nil) // it was sent, so it has an origin
	now := e.judge.Memory.Newest(o)
	if now == nil { // it was evicted, or is to be found out first
		return e.judge.Memory.Load(o) != nil && send.Replayable(req), 0
	}
	before, after := judge.Verdict{Known: last, Purposes: purposes}, judge.Verdict{Known: now, Purposes: purposes}
	e.judge.Judge(&before, target)
	e.judge.Judge(&after, target)
	delay, _ = after.Rules.CrawlDelay()
	return after.Forbids(&before) || e.judge.Memory.Announced(now) && send.Replayable(req), delay
}

// look finds out what robots.txt means for a GET request for u, which it returns with its
// target.
func (e *engine) look(ctx context.Context, u *url.URL, to *destination, v *judge.Verdict) (req *http.Request, target string, err error) {
	if u == nil {
		return nil, "", errors.New("polite: the URL is nil: parse one with url.Parse")
	}
	if u.Scheme == "" {
		return nil, "", fmt.Errorf("polite: the URL %.100q has no scheme: write it as in https://example.com/", u.Redacted())
	}
	req = (&http.Request{Method: http.MethodGet, URL: u, Host: u.Host}).WithContext(ctx)
	if target, err = e.resolve(req, nil, to); err == nil {
		err = e.find(ctx, to, target, v, false)
	}
	return req, target, err
}

// robots returns the file by which requests to the site of u are judged.
func (e *engine) robots(ctx context.Context, u *url.URL) (*robots.File, error) {
	if !origin.IsHTTP(u) {
		return nil, errors.New("polite: only http and https URLs have a robots.txt")
	}
	if e.unusable != nil {
		return nil, e.unusable
	}
	var to destination
	var v judge.Verdict
	req := (&http.Request{Method: http.MethodGet, URL: &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}}).WithContext(ctx)
	sites := e.sites
	sites.exempt = nil
	target, err := sites.resolve(req, nil, &to)
	if err != nil {
		return nil, err
	}
	to.reason = "" // also where the owner has agreed
	if err := e.find(ctx, &to, target, &v, false); err != nil {
		return nil, err
	}
	switch file := v.File().Parsed(); {
	case file != nil:
		return file, nil
	case v.Allowed:
		return robots.Parse(nil), nil
	default:
		return nil, e.decider.decision(req, &to, &v).refusal(req.URL)
	}
}
