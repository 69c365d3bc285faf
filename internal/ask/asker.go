// Package ask finds out what is known of an origin's robots.txt. It looks in memory, then
// in the Store, and then asks the site, once for all who wait. Each fetch goes these ways:
//
//	flights   one fetch for an origin at a time, for all who wait for it
//	inquiry   what memory and the Store know already; of all processes that share a Store,
//	          one fetches (package claims)
//	capacity  so many fetches in all
//	visit     a fetch that is redirected asks at another origin
package ask

import (
	"context"
	"net/http"
	"time"

	"github.com/go-polite/polite/internal/claims"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/memory"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/turns"
)

// An Asker asks sites for their robots.txt, for a Transport. It is safe for concurrent use.
type Asker struct {
	Options
	client *fetch.Client
	claims claims.Claims
}

// Options are what an Asker goes by. All are needed.
type Options struct {
	Desk   *Desk
	Memory *memory.Reader
	Taker  *turns.Taker
	Base   http.RoundTripper
	Mark   func(context.Context) context.Context // marks the context of a fetch
	SiteOf func(origin.Origin) turns.Site        // of an origin to which a fetch is redirected

	UserAgent string
	Agent     string   // the product token that sites see, in lower case
	Agents    []string // the product tokens of the crawler, most specific first

	InBreak func(until time.Time) error // why robots.txt is not asked for in a break
	Hooks   Hooks
}

// Hooks are called when something happens. None is nil.
type Hooks struct {
	Called  fleet.Called
	Asked   func(o origin.Origin, f Fetch)                                 // a fetch is over
	Changed func(o origin.Origin, before, after *memory.Known)             // another file takes the place of one
	Delay   func(o origin.Origin, asked, kept time.Duration, refused bool) // a site asks for a longer crawl-delay than is kept
}

// A Fetch is what came of a fetch of robots.txt.
type Fetch struct {
	fetch.Answer
	Err   error
	Took  time.Duration
	Tries int       // fetches that have failed since the last answer; 0 if this one has not
	Next  time.Time // when to ask again, at the earliest
}

// New returns an Asker.
func New(options Options) *Asker {
	a := &Asker{Options: options}
	a.claims = a.Desk.Claims(a.Hooks.Called)
	v := visitor{taker: a.Taker, visits: a.Desk.visits, siteOf: a.SiteOf}
	a.client = fetch.New(fetch.Options{
		Base: a.Base, UserAgent: a.UserAgent, Timeout: a.Memory.Timeout, Visit: v.visit, Redirects: a.Memory.Redirects,
	})
	return a
}

// Stop ends the fetches that nobody waits for, but those that refresh an answer.
func (a *Asker) Stop() { a.Desk.flights.stop() }
