package ask

import (
	"context"

	"github.com/go-polite/polite/internal/memory"
	"github.com/go-polite/polite/internal/turns"
)

// Known returns what is known of the site's robots.txt, and how the request has found
// it. If it is time to ask again, Known starts this in the background. If nothing can be
// used, Known waits for an answer, until ctx ends.
func (a *Asker) Known(ctx context.Context, to *turns.Site) (*memory.Known, memory.Found, error) {
	k, found, due := a.Memory.Find(ctx, to.Origin)
	k, err := a.have(ctx, to, k, due)
	return k, found, err
}

// KnownNow is Known for a request that has waited since. If the turn of the request has
// come, it returns only what is up to date.
func (a *Asker) KnownNow(ctx context.Context, to *turns.Site, come bool) (*memory.Known, error) {
	k, due := a.Memory.FindAgain(ctx, to.Origin, come)
	return a.have(ctx, to, k, due)
}

// have waits for an answer if k is nil, and asks in the background if it is due. An answer
// to another Transport may say nothing to this one, which then asks itself.
func (a *Asker) have(ctx context.Context, to *turns.Site, k *memory.Known, due bool) (_ *memory.Known, err error) {
	for k == nil {
		if k, err = a.Desk.flights.wait(ctx, to.Origin, a.asking(to)); err != nil {
			return nil, err
		}
		k, due = a.Memory.FindIn(ctx, to.Origin, k) // due: it may have come from the Store
	}
	if due && !a.Taker.Lanes.InBreak(to.Lane) {
		a.Desk.flights.refresh(to.Origin, a.asking(to))
	}
	return k, nil
}

// asking returns a function that asks for the site's robots.txt.
func (a *Asker) asking(to *turns.Site) ask {
	asked := *to
	return func(ctx context.Context, end context.CancelCauseFunc) (*memory.Known, error) {
		return a.ask(ctx, &inquiry{asker: a, to: &asked, last: a.Memory.Load(asked.Origin)}, end)
	}
}

// ask finds out what is known of the site's robots.txt by now. It serves all who wait for
// the answer, so ctx ends only when nobody waits any more. It calls the hooks after the
// fetch has given its capacity back, and the next may begin: a hook may ask for this
// robots.txt or for another.
func (a *Asker) ask(ctx context.Context, q *inquiry, end context.CancelCauseFunc) (*memory.Known, error) {
	k, err := q.find(ctx, end)
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
func (a *Asker) tellDelay(to *turns.Site, k *memory.Known) {
	delay := k.CrawlDelay(a.Agents)
	if gap, refuse := to.Pace.Gap(delay); refuse || delay > gap {
		a.Hooks.Delay(to.Origin, delay, gap, refuse)
	}
}

// tellChange calls the hook if q has brought another file than the one that was known. ctx
// has ended; both were read before.
func (a *Asker) tellChange(ctx context.Context, q *inquiry) {
	before, after := q.read(ctx, q.last), q.read(ctx, q.brought)
	if before != nil && after != nil && before.Status != 0 && after.Status != 0 && !before.File.Equals(after.File) {
		a.Hooks.Changed(q.to.Origin, before, after)
	}
}
