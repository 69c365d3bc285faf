// Package ask finds out what is known of an origin's robots.txt. It looks in memory and then in the
// Store. Then it asks the site, once for all requests that wait.
//
//	asker.go    for a Transport: what is known now, or soon
//	flights.go  one fetch for an origin at a time, for all who wait for it, and how long they do
//	inquiry.go  what memory and the Store know already; of all processes that share a Store, one
//	            fetches (package claims)
//	capacity.go so many fetches in all
//	visit.go    a fetch that is redirected asks at another origin
package ask

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/claims"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/status"
	"github.com/go-polite/polite/internal/turns"
	"github.com/go-polite/polite/store"
)

// An Asker asks sites for their robots.txt, for a Transport. It is safe for concurrent use.
type Asker struct {
	Options
	client *fetch.Client
	claims claims.Claims
}

// Options configure an Asker. All of them are needed.
type Options struct {
	Desk   *Desk
	Memory *answers.Reader
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
	Changed func(o origin.Origin, before, after *answers.Known)            // another file takes the place of one
	Delay   func(o origin.Origin, asked, kept time.Duration, refused bool) // a site asks for a longer crawl-delay than is kept
}

// A Fetch is what came of a fetch of robots.txt.
type Fetch struct {
	fetch.Answer
	Err   error
	Took  time.Duration
	Tries int       // fetches that have failed since the last answer; 0 if this one has not failed
	Next  time.Time // when to ask again, at the earliest
}

// New returns an Asker.
func New(options Options) *Asker {
	a := &Asker{Options: options}
	a.claims = a.Desk.Claims(a.Hooks.Called)
	a.client = fetch.New(fetch.Options{
		Base: a.Base, UserAgent: a.UserAgent, Timeout: a.Memory.Timeout, Visit: a.visit, Redirects: a.Memory.Redirects,
	})
	return a
}

// Stop ends the fetches for which nobody waits, or dry runs alone, except fetches that refresh an answer.
func (a *Asker) Stop() { a.Desk.flights.stop() }

// A Desk makes the fetches of all Transports that share a Cache: one fetch for an origin at a time, and
// a bounded number in all. It is safe for concurrent use. Do not copy it.
type Desk struct {
	memory   *answers.Memory
	store    store.Store // may be nil
	flights  flights
	capacity *capacity
	visits   *lane.Lanes[origin.Origin] // of fetches that were redirected
	coder    entry.Coder
}

// NewDesk returns a desk for so many fetches at the same time. s may be nil.
func NewDesk(m *answers.Memory, s store.Store, fetches int) *Desk {
	c := newCapacity(fetches)
	return &Desk{
		memory: m, store: s, flights: flights{yielded: c.yielded}, capacity: c,
		visits: lane.New(lane.FewestLanes, lane.Keys[origin.Origin]{
			Own: origin.Origin.Own, Size: origin.Origin.Size, Name: origin.Origin.Key, Hash: origin.Origin.Hash,
		}),
	}
}

// Claims returns what a crawler asks of the Store. called is called after each call.
func (d *Desk) Claims(called fleet.Called) claims.Claims {
	return claims.Claims{Store: d.store, Coder: &d.coder, Now: d.memory.Now, Called: called}
}

// asking returns a function that asks for the site's robots.txt.
func (a *Asker) asking(to *turns.Site) ask {
	asked := *to
	return func(ctx context.Context) (*answers.Known, error) {
		return a.ask(ctx, &inquiry{asker: a, to: &asked, last: a.Memory.Load(asked.Origin)})
	}
}

// ask finds out what is known of the site's robots.txt by now. It serves all who wait for the answer,
// so ctx ends only when nobody waits any more. It calls the hooks after the fetch has given its
// capacity back, when the next fetch may begin: a hook may ask for this robots.txt or for another.
func (a *Asker) ask(ctx context.Context, q *inquiry) (*answers.Known, error) {
	k, err := q.find(ctx)
	a.Desk.flights.landed(ctx, q.to.Origin)
	if q.fetched != nil {
		a.Hooks.Asked(q.to.Origin, *q.fetched)
	}
	if q.brought != nil {
		a.tellDelay(q.to, q.brought)
		a.tellChange(ctx, q)
	}
	return k, err
}

// tellDelay calls the hook if polite does not keep to the crawl-delay that a site asks for.
func (a *Asker) tellDelay(to *turns.Site, k *answers.Known) {
	delay := k.CrawlDelay(a.Agents)
	if gap, refuse := to.Pace.Gap(delay); refuse || delay > gap {
		a.Hooks.Delay(to.Origin, delay, gap, refuse)
	}
}

// tellChange calls the hook if q has brought another file than the known one. ctx has ended; both files
// were read before.
func (a *Asker) tellChange(ctx context.Context, q *inquiry) {
	before, after := q.read(ctx, q.last), q.read(ctx, q.brought)
	if before != nil && after != nil && before.Status != 0 && after.Status != 0 && !before.File.Equals(after.File) {
		a.Hooks.Changed(q.to.Origin, before, after)
	}
}

// Known returns what is known of the site's robots.txt, and how the request has found it. If it is time to
// ask again, Known starts this in the background. If nothing can be used, it returns nil: see Ask.
func (a *Asker) Known(ctx context.Context, to *turns.Site) (*answers.Known, answers.Found) {
	k, found, due := a.Memory.Find(ctx, to.Origin)
	if k != nil {
		a.refresh(to, due)
	}
	return k, found
}

// Ask waits for an answer of the site, until ctx ends.
func (a *Asker) Ask(ctx context.Context, to *turns.Site) (*answers.Known, error) {
	return a.orAsk(ctx, nil, false, to, func() (*answers.Known, error) {
		return a.Desk.flights.wait(ctx, to.Origin, 0, anyone, a.asking(to))
	})
}

// AskDry begins to ask for a request of a dry run, which does not wait itself. The function waits for the
// answer, and is to be called once. Stop ends this wait.
func (a *Asker) AskDry(ctx context.Context, to *turns.Site) (wait func() (*answers.Known, error)) {
	f := &a.Desk.flights
	flight, landed, _ := f.enter(to.Origin, 1, anyone, a.asking(to))
	return func() (*answers.Known, error) {
		return a.orAsk(ctx, nil, false, to, func() (*answers.Known, error) {
			if entered := flight; entered != nil {
				flight = nil
				return f.await(ctx, to.Origin, 1, entered, landed)
			}
			return f.wait(ctx, to.Origin, 1, anyone, a.asking(to))
		})
	}
}

// anyone may wait for a flight.
func anyone(*flight) error { return nil }

// AskSoon is Ask for a request. It waits no longer than the Pace of the site lets a
// request wait, and takes this time from what is left for its turn. The error is a
// *lane.LateError if the request gives up.
func (a *Asker) AskSoon(ctx context.Context, to *turns.Site) (*answers.Known, error) {
	return a.orAsk(ctx, nil, false, to, func() (*answers.Known, error) {
		began := time.Now()
		k, err := a.wait(ctx, to, to.Pace.LongestWait())
		to.Pace.Waited(time.Since(began))
		return k, err
	})
}

// KnownNow is what is known for a request that has waited since. If the turn of the request
// has come, it returns only what is up to date. If it has to ask, and most is not zero, it waits no
// longer than most.
func (a *Asker) KnownNow(ctx context.Context, to *turns.Site, come bool, most time.Duration) (*answers.Known, error) {
	k, due := a.Memory.FindAgain(ctx, to.Origin, come)
	return a.orAsk(ctx, k, due, to, func() (*answers.Known, error) { return a.wait(ctx, to, most) })
}

// orAsk returns k. If k is nil, orAsk waits for an answer. If the answer came to another Transport and
// says nothing to this one, orAsk asks again. If it is due, orAsk asks in the background.
func (a *Asker) orAsk(ctx context.Context, k *answers.Known, due bool, to *turns.Site, wait func() (*answers.Known, error)) (_ *answers.Known, err error) {
	for k == nil {
		if k, err = wait(); err != nil {
			return nil, err
		}
		k, due = a.Memory.FindIn(ctx, to.Origin, k) // due: it may have come from the Store
	}
	a.refresh(to, due)
	return k, nil
}

// refresh asks in the background if it is due.
func (a *Asker) refresh(to *turns.Site, due bool) {
	if due && !a.Taker.Lanes.InBreak(to.Lane) {
		a.Desk.flights.refresh(to.Origin, a.asking(to))
	}
}

// isClear reports whether an answer says what the site wants: its rules, or that it has no rules.
func isClear(answer fetch.Answer, err error) bool {
	switch {
	case errors.Is(err, fetch.ErrTooManyRedirects):
		return true
	case err != nil:
		return false
	default:
		return answer.Unchanged || status.Of(answer.Status).File.Exists()
	}
}
