package polite

import (
	"net/http"
	"time"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// A Trace is told what a Transport does while it does it, to count it, to time it or to
// show it. Functions that are nil are not called, and cost nothing. polite calls the
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

	// Waits is called when a request begins to wait for its turn. The turn comes at about
	// that time, as far as polite knows.
	Waits func(req *http.Request, turn time.Time)

	// Waited is called when this wait is over, once for each call of Waits. If err is not
	// nil, the request is not sent because of it.
	Waited func(req *http.Request, wait time.Duration, err error)

	// BreakBegan is called when an answer asks for a break that delays the requests to a site.
	BreakBegan func(Break)

	// Stated is called when the headers of a response say something about the use of
	// the page. usage.OfHeader returns the same.
	Stated func(*http.Request, usage.Page)

	// Priced is called when a site answers 402 with a price in the header crawler-price.
	// polite never pays. The caller gets the response as it is.
	Priced func(*http.Request, Price)

	// Overdue is called when Base returns and has written the request after the time that
	// Cache.Turns had reserved for it, because this process stood still. See Stats.Overdue.
	Overdue func(req *http.Request, late time.Duration)

	// Asked is called when polite has asked a site for robots.txt.
	Asked func(Fetch)

	// RulesChanged is called when another robots.txt takes the place of the one that
	// was known. It is not called if the new one is the same octet by octet, for an
	// origin that was not known, or if an origin cannot be reached. If there is a Store,
	// what it has is known.
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

// Decision tells all about the Ruling. Call it only if you need it: it takes a while. That
// of a Ruling that polite has not made is zero.
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
