package pagecache

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/quota"
	"github.com/go-polite/polite/provenance"
)

// A Hop is one request on the way to a page, and what became of it.
type Hop struct {
	Number   int // from 1
	Method   string
	URL      string // without its password
	From     string // the URL that redirected to this one; "" for the first
	Decision polite.Decision
	Says     *provenance.Record // what counts for the page; nil if none came, or if nobody asked for it
	Status   int                // of the answer; 0 if there was none
	Break    time.Duration      // that the site asks for by Retry-After; 0 for none
	Err      error              // why there is no page
	Kept     *Kept              // how the page came, if it was kept; nil if the site has sent it
	File     string             // the file of the page, if it has one of its own
}

// A Trail is a RoundTripper that follows a request through its redirects, and remembers what package
// polite decided on each hop.
type Trail struct {
	Transport *polite.Transport // its Trace.Judged is NoteJudged

	// Pages hands out kept pages, and sends by Transport. Its Kept is NoteKept. If nil, none
	// is kept.
	Pages *Transport

	// Asks is told of each hop before anybody is asked anything. If nil, nobody is told.
	Asks func(*url.URL)

	// Waits is told of each hop before it is sent, and returns what is to be called
	// when its wait is over. If nil, nobody is told.
	Waits func(polite.Decision) (over func())

	// Provenance says to find out what counts for each page.
	Provenance bool

	hops []Hop
}

// under is a hop that is under way.
type under struct {
	Hop
	waits func(polite.Decision) (over func())
	over  func()
}

type underKey struct{}

// NoteJudged notes what polite decides on a hop.
func NoteJudged(req *http.Request, r polite.Ruling) {
	h, ok := req.Context().Value(underKey{}).(*under)
	if !ok {
		return
	}
	h.Decision = r.Decision()
	if h.over == nil && h.waits != nil {
		h.over = h.waits(h.Decision)
	}
}

// NoteKept notes that the page of a hop was kept.
func NoteKept(req *http.Request, k Kept) {
	h, ok := req.Context().Value(underKey{}).(*under)
	if !ok {
		return
	}
	h.Hop.Kept = &k
	if !k.Unchanged {
		h.Decision = k.Decision // package polite was not asked for a turn
	}
}

// RoundTrip sends the request through Pages or Transport.
func (t *Trail) RoundTrip(req *http.Request) (*http.Response, error) {
	h := &under{Hop: Hop{Number: len(t.hops) + 1, Method: req.Method, URL: req.URL.Redacted()}, waits: t.Waits}
	if len(t.hops) > 0 {
		h.From = t.hops[len(t.hops)-1].URL
	}
	if t.Asks != nil {
		t.Asks(req.URL)
	}
	var way http.RoundTripper = t.Transport
	if t.Pages != nil {
		way = t.Pages
	}
	resp, err := way.RoundTrip(req.WithContext(context.WithValue(req.Context(), underKey{}, h)))
	if h.over != nil {
		h.over()
	}
	if resp != nil {
		h.Status, resp.Request = resp.StatusCode, req
		if resp.StatusCode >= http.StatusBadRequest {
			h.Break = quota.RetryAfter(resp.Header, time.Now())
		}
		if t.Provenance { // robots.txt is known by now, so nobody is asked
			if p, err := provenance.Of(req.Context(), t.Transport, req.URL, resp.Header); err == nil {
				h.Says = &p
			}
		}
	}
	if d, refused := polite.DecisionOf(err); refused {
		h.Decision = d
	}
	t.hops = append(t.hops, h.Hop)
	return resp, err
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
