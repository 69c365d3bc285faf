// Package trail follows a request through its redirects, and remembers what package
// polite decided on each hop.
package trail

import (
	"errors"
	"net/http"
	"time"

	"github.com/go-polite/polite"
)

// A Hop is one request on the way to a page, and what became of it.
type Hop struct {
	Number   int // from 1
	Method   string
	URL      string // without its password
	From     string // the URL that redirected to this one; "" for the first
	Decision polite.Decision
	Status   int   // of the answer; 0 if there was none
	Err      error // why there is no page
}

// A Trail is a RoundTripper that remembers the hops.
type Trail struct {
	Transport *polite.Transport

	// Waits is told of each hop before it is sent, and returns what is to be called
	// when its wait is over. If nil, nobody is told.
	Waits func(polite.Decision) (over func())

	hops []Hop
}

// RoundTrip sends the request through Transport.
func (t *Trail) RoundTrip(req *http.Request) (*http.Response, error) {
	h := Hop{Number: len(t.hops) + 1, Method: req.Method, URL: req.URL.Redacted()}
	if len(t.hops) > 0 {
		h.From = t.hops[len(t.hops)-1].URL
	}
	h.Decision, _ = t.Transport.Check(req.Context(), req.URL)
	over := func() {}
	if t.Waits != nil {
		over = t.Waits(h.Decision)
	}
	resp, err := t.Transport.RoundTrip(req)
	over()
	if resp != nil {
		h.Status = resp.StatusCode
	}
	h.Decision = t.decided(req, h.Decision, err)
	t.hops = append(t.hops, h)
	return resp, err
}

// decided returns the decision by which req was refused or sent. It is the one from
// before, unless robots.txt may have been fetched again since.
func (t *Trail) decided(req *http.Request, before polite.Decision, err error) polite.Decision {
	if d, refused := refusal(err); refused {
		return d
	}
	if before.Next.IsZero() || time.Now().Before(before.Next) {
		return before
	}
	after, err := t.Transport.Check(req.Context(), req.URL)
	if err != nil {
		return before
	}
	return after
}

// refusal returns the decision of an error that is a refusal.
func refusal(err error) (polite.Decision, bool) {
	if e, ok := errors.AsType[*polite.DisallowedError](err); ok {
		return e.Decision, true
	}
	if e, ok := errors.AsType[*polite.NoRulesError](err); ok {
		return e.Decision, true
	}
	if e, ok := errors.AsType[*polite.DelayError](err); ok {
		return e.Decision, true
	}
	return polite.Decision{}, false
}

// Fail says that the last hop led to no page. If there was no hop, it does nothing.
func (t *Trail) Fail(err error) {
	if len(t.hops) > 0 {
		t.hops[len(t.hops)-1].Err = err
	}
}

// Take returns the hops, and forgets them.
func (t *Trail) Take() []Hop {
	hops := t.hops
	t.hops = nil
	return hops
}
