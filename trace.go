package polite

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/ask"
	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/store"
)

// A Trace has functions that polite calls while a Transport works: to count, to time or
// to show what it does. A nil function is not called, and costs nothing. polite calls the
// others from several goroutines at the same time, and waits for them: they should return
// soon. They must not change the requests. Functions may be added later.
//
// A function must not wait for another request to the same lane. Waits, Waited, Called
// and Health are called while a request has a place in its lane, or its turn, or while
// robots.txt is being fetched. The other request waits for this, and so for the function:
// both hang until the context of the other ends. Send such a request in a goroutine of its
// own.
//
// For a request, polite calls Judged, and Refused if the request is not sent. If the
// request waits for its turn, polite calls Waits and Waited. If its turn has come and
// other rules apply by then, polite calls Judged again.
//
// Health, and Called with "watch" and "renew" concern a Cache. If several Transports
// share it, polite calls the functions of only one: of all that have one of these functions or
// a Logger, the one whose first use was last.
type Trace struct {
	// Judged is called when polite knows what robots.txt means for a request, before the
	// request waits for its turn. Requests that need no robots.txt are judged, too.
	Judged func(*http.Request, Ruling)

	// Refused is called when polite refuses a request, with the error that RoundTrip
	// returns. [DecisionOf] tells all about it; its Reason says why, in a word.
	Refused func(req *http.Request, refusal error)

	// Waits is called when a request begins to wait for its turn, with the estimated
	// start.
	Waits func(req *http.Request, start time.Time)

	// Waited is called when this wait is over, once for each call of Waits. If err is not
	// nil, the request is not sent because of it.
	Waited func(req *http.Request, wait time.Duration, err error)

	// BreakBegan is called when an answer begins a break, with its Origin, Status and Until.
	BreakBegan func(Limit)

	// Limited is called when a bad answer begins a break, when the request after the break is
	// answered badly, too, and when a good answer ends it. This is seldom: see Backoff.
	Limited func(Limit)

	// Answered is called with each response to a request, before the caller gets it. It must not
	// change, read or close the response. usage.OfHeader tells what the headers say about the
	// use of the page, and provenance.PriceOf what the site asks for it.
	Answered func(*http.Request, *http.Response)

	// Overdue is called when Base returns and has written the request after the window of
	// its turn, because this process stood still. See Stats.Overdue.
	Overdue func(req *http.Request, late time.Duration)

	// Asked is called when polite has asked a site for robots.txt.
	Asked func(Fetch)

	// RulesChanged is called when another robots.txt takes the place of the one that was
	// known, in the Cache or in the Store. It is not called if both are equal octet by
	// octet, if none was known, or if the origin cannot be reached. A File is nil if the origin had, or
	// has, no robots.txt.
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
	Tries     int           // how many fetches have failed since the last answer; 0 if this one has not
	Took      time.Duration // also in redirects and retries
	Next      time.Time     // when polite asks again, at the earliest
}

// An observer calls the functions of the user's Trace, and those of the Logger.
type observer struct {
	user *Trace
	log  Trace // zero if there is no Logger
}

// judges reports whether the Trace wants to know what robots.txt means for requests.
func (o *observer) judges() bool { return o.user.Judged != nil }

func (o *observer) judged(req *http.Request, r Ruling) { o.user.Judged(req, r) }

// refused tells of a refusal, and returns it.
func (o *observer) refused(req *http.Request, refusal error) error {
	if o.user.Refused != nil {
		o.user.Refused(req, refusal)
	}
	if o.log.Refused != nil {
		o.log.Refused(req, refusal)
	}
	return refusal
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

// abandon ends a wait that a panic has cut short.
func (w *wait) abandon() { w.end(lane.Admission{}, errAbandoned) }

var errAbandoned = errors.New("polite: a function of the Trace, the Policy, the Pace or Sites has panicked")

// breakBegan tells that an answer of an origin asks for a break.
func (o *observer) breakBegan(of origin.Origin, status int, until time.Time) {
	if o.user.BreakBegan != nil {
		o.user.BreakBegan(Limit{Origin: of.String(), Status: status, Until: until})
	}
}

// limited tells what an origin bears, or its Group.
func (o *observer) limited(of origin.Origin, s limit.State, group bool) {
	if o.user.Limited == nil && o.log.Limited == nil {
		return
	}
	found := limitOf(of.String(), s, group)
	if o.user.Limited != nil {
		o.user.Limited(found)
	}
	if o.log.Limited != nil {
		o.log.Limited(found)
	}
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

// overdue tells of a request that was written too late, if late is positive.
func (o *observer) overdue(req *http.Request, late time.Duration) {
	if o.user.Overdue != nil && late > 0 {
		o.user.Overdue(req, late)
	}
}

// asked tells of a fetch of an origin's robots.txt.
func (o *observer) asked(of origin.Origin, fetch ask.Fetch) {
	f := Fetch{
		Origin: of.String(), URL: of.RobotsURL().String(), Hops: fetch.Hops, Status: fetch.Status, Unchanged: fetch.Unchanged,
		Size: len(fetch.Body), Err: fetch.Err, Tries: fetch.Tries, Took: fetch.Took, Next: fetch.Next,
	}
	if o.user.Asked != nil {
		o.user.Asked(f)
	}
	if o.log.Asked != nil {
		o.log.Asked(f)
	}
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
	c := store.Call{Name: name, Took: time.Since(began), Err: err}
	if o.user.Called != nil {
		o.user.Called(c)
	}
	if o.log.Called != nil {
		o.log.Called(c)
	}
}

// happened tells of an event of the health.
func (o *observer) happened(e store.HealthEvent) {
	if o.user.Health != nil {
		o.user.Health(e)
	}
	if o.log.Health != nil {
		o.log.Health(e)
	}
}

// ofCache returns who is told what concerns a Cache, or nil.
func (o *observer) ofCache() *fleet.Observer {
	if o.user.Health == nil && o.log.Health == nil && o.user.Called == nil && o.log.Called == nil {
		return nil
	}
	return &fleet.Observer{Called: o.called, Happened: o.happened}
}
