package polite

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/ask"
	"github.com/go-polite/polite/internal/memory"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/pace"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
	"github.com/go-polite/polite/store"
)

// A Trace has functions that polite calls while a Transport works: to count, to time or
// to show what it does. A nil function is not called, and costs nothing. polite calls the
// others from several goroutines at the same time, and waits for them: they should return
// soon. They must not change the requests. Functions may be added later.
//
// For a request, polite calls Judged, and Refused if the request is not sent. If the
// request waits for its turn, polite calls Waits and Waited. If its turn has come and
// other rules apply by then, polite calls Judged again.
type Trace struct {
	// Judged is called when polite knows what robots.txt means for a request, before the
	// request waits for its turn. Requests that need no robots.txt are judged, too.
	Judged func(*http.Request, Ruling)

	// Refused is called when polite refuses a request, with the error that RoundTrip
	// returns. [DecisionOf] tells all about it.
	Refused func(req *http.Request, refusal error)

	// Waits is called when a request begins to wait for its turn, with the estimated
	// start.
	Waits func(req *http.Request, start time.Time)

	// Waited is called when this wait is over, once for each call of Waits. If err is not
	// nil, the request is not sent because of it.
	Waited func(req *http.Request, wait time.Duration, err error)

	// BreakBegan is called when an answer asks for a break.
	BreakBegan func(Break)

	// Stated is called when the headers of a response say something about the use of
	// the page. usage.OfHeader returns the same.
	Stated func(*http.Request, usage.Page)

	// Priced is called when a site answers 402 with a price in the header crawler-price.
	// polite never pays. The caller gets the response as it is.
	Priced func(*http.Request, Price)

	// Overdue is called when Base returns and has written the request after the window of
	// its turn, because this process stood still. See Stats.Overdue.
	Overdue func(req *http.Request, late time.Duration)

	// Asked is called when polite has asked a site for robots.txt.
	Asked func(Fetch)

	// RulesChanged is called when another robots.txt takes the place of the one that was
	// known, in the Cache or in the Store. It is not called if both are equal octet by
	// octet, if none was known, or if the origin cannot be reached.
	RulesChanged func(RulesChange)

	// Called is called after each call of Cache.Store and Cache.Turns that is made for a
	// request or for a fetch of robots.txt.
	Called func(Call)
}

// A Ruling is what robots.txt means for a request, in short.
type Ruling struct {
	Allowed bool
	Reason  Reason
	Lookup  Lookup // how robots.txt was known; "" if it was not needed
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

// A RulesChange tells that the rules of an origin have changed.
type RulesChange struct {
	Origin string       // scheme, host and port: "https://example.com"
	Before *robots.File // nil if the origin had no robots.txt
	After  *robots.File // nil if it has none now
}

// A Break is a time in which a site wants no requests.
type Break struct {
	Origin string // that has asked for it: scheme, host and port
	Status int    // 429 or 503
	Until  time.Time
}

// A Call is a call of Cache.Store or Cache.Turns.
type Call struct {
	Name string // "claim" and "put" of Store; "take", "done" and "break" of Turns
	Took time.Duration
	Err  error // context.Canceled if nobody waits any more; not ErrLost, which is no failure
}

// traces are the Traces to notify: the user's, and the Logger's.
type traces []*Trace

// judges reports whether a Trace wants to know what robots.txt means for requests.
func (ts traces) judges() bool {
	return slices.ContainsFunc(ts, func(t *Trace) bool { return t.Judged != nil })
}

func (ts traces) judged(req *http.Request, r Ruling) {
	for _, t := range ts {
		if t.Judged != nil {
			t.Judged(req, r)
		}
	}
}

// refused tells of a refusal, and returns it.
func (ts traces) refused(req *http.Request, refusal error) error {
	for _, t := range ts {
		if t.Refused != nil {
			t.Refused(req, refusal)
		}
	}
	return refusal
}

// A wait tells the Traces when it begins, and when it is over.
type wait struct {
	traces traces
	req    *http.Request
	began  time.Time // zero if it has not begun, or is over
}

func (w *wait) begin(turn time.Time) {
	w.began = time.Now()
	for _, t := range w.traces {
		if t.Waits != nil {
			t.Waits(w.req, turn)
		}
	}
}

// end tells that the wait is over. turn is what it has brought, or nil.
func (w *wait) end(turn *pace.Turn, err error) {
	if w.began.IsZero() {
		return
	}
	told := false
	defer func() {
		if !told {
			turn.Done() // a Trace has panicked, so the turn is of no use
		}
	}()
	waited := time.Since(w.began)
	w.began = time.Time{}
	for _, t := range w.traces {
		if t.Waited != nil {
			t.Waited(w.req, waited, err)
		}
	}
	told = true
}

// abandon ends a wait that a panic has cut short.
func (w *wait) abandon() { w.end(nil, errAbandoned) }

var errAbandoned = errors.New("polite: a function of the Trace, the Policy or the Pace has panicked")

// breakBegan tells that an answer of o asks for a break.
func (ts traces) breakBegan(o origin.Origin, status int, until time.Time) {
	for _, t := range ts {
		if t.BreakBegan != nil {
			t.BreakBegan(Break{Origin: o.String(), Status: status, Until: until})
		}
	}
}

// stated tells what the headers of resp, the answer to req, say about the use of the page
// and about its price. resp may be nil. If a Trace panics, stated closes it.
func (ts traces) stated(req *http.Request, resp *http.Response, agents []string) {
	if slices.ContainsFunc(ts, func(t *Trace) bool { return t.Stated != nil || t.Priced != nil }) {
		orClose(resp, func() { ts.tellStated(req, resp, agents) })
	}
}

func (ts traces) tellStated(req *http.Request, resp *http.Response, agents []string) {
	for _, t := range ts {
		if t.Stated == nil || resp == nil {
			continue
		}
		if page := usage.OfHeader(resp.Header, agents...); !page.IsZero() {
			t.Stated(req, page)
		}
	}
	price, ok := priceOf(resp)
	for _, t := range ts {
		if ok && t.Priced != nil {
			t.Priced(req, price)
		}
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
func (ts traces) overdue(req *http.Request, late time.Duration) {
	for _, t := range ts {
		if t.Overdue != nil && late > 0 {
			t.Overdue(req, late)
		}
	}
}

// asked tells of a fetch of o's robots.txt.
func (ts traces) asked(o origin.Origin, fetch ask.Fetch) {
	if !slices.ContainsFunc(ts, func(t *Trace) bool { return t.Asked != nil }) {
		return
	}
	f := Fetch{
		Origin: o.String(), URL: o.RobotsURL().String(), Hops: fetch.Hops, Status: fetch.Status, Unchanged: fetch.Unchanged,
		Size: len(fetch.Body), Err: fetch.Err, Tries: fetch.Tries, Took: fetch.Took, Next: fetch.Next,
	}
	for _, t := range ts {
		if t.Asked != nil {
			t.Asked(f)
		}
	}
}

// changed tells that another file has taken the place of one.
func (ts traces) changed(o origin.Origin, before, after *memory.Known) {
	for _, t := range ts {
		if t.RulesChanged != nil {
			t.RulesChanged(RulesChange{Origin: o.String(), Before: before.File.Parsed(), After: after.File.Parsed()})
		}
	}
}

// called tells of a call of Store or Turns that began at some time.
func (ts traces) called(ctx context.Context, name string, began time.Time, err error) {
	switch {
	case errors.Is(err, store.ErrLost):
		err = nil
	case err != nil && ctx.Err() == context.Canceled: // whatever the error says
		err = context.Canceled
	}
	for _, t := range ts {
		if t.Called != nil {
			t.Called(Call{Name: name, Took: time.Since(began), Err: err})
		}
	}
}

// A Price is what a site asks for a page, as its header crawler-price says.
type Price struct {
	Text     string // what the site wrote, the first 64 octets of it, made printable
	Currency string // "USD"; "" if the site did not write a price like "USD 0.01"
	Amount   string // "0.01", in decimal digits; "" if Currency is
}

const maxPrice = 64 // octets

// priceOf returns the price of resp, which may be nil. Without the header, a 402 asks
// for no price.
func priceOf(resp *http.Response) (p Price, ok bool) {
	if resp == nil || resp.StatusCode != http.StatusPaymentRequired {
		return p, false
	}
	text := strings.Trim(resp.Header.Get("Crawler-Price"), " \t")
	if text == "" {
		return p, false
	}
	if len(text) > maxPrice {
		return Price{Text: printable.Text(text[:maxPrice])}, true
	}
	p.Text = printable.Text(text)
	if currency, amount, _ := strings.Cut(text, " "); isCurrency(currency) && isDecimal(amount) {
		p.Currency, p.Amount = currency, amount
	}
	return p, true
}

// isCurrency reports whether s has the form of a code of ISO 4217.
func isCurrency(s string) bool {
	return len(s) == 3 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// isDecimal reports whether s is digits, with a point among them or without.
func isDecimal(s string) bool {
	whole, part, point := strings.Cut(s, ".")
	return isDigits(whole) && (!point || isDigits(part))
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
