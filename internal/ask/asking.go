package ask

import (
	"context"

	"github.com/go-polite/polite/internal/memory"
	"github.com/go-polite/polite/internal/turns"
)

// asking returns a function that asks for the site's robots.txt.
func (a *Asker) asking(to *turns.Site) ask {
	asked := *to
	return func(ctx context.Context) (*memory.Known, error) {
		return a.ask(ctx, &inquiry{asker: a, to: &asked, last: a.Memory.Load(asked.Origin)})
	}
}

// ask finds out what is known of the site's robots.txt by now. It serves all who wait for
// the answer, so ctx ends only when nobody waits any more. It calls the hooks after the
// fetch has given its capacity back, and the next may begin: a hook may ask for this
// robots.txt or for another.
func (a *Asker) ask(ctx context.Context, q *inquiry) (*memory.Known, error) {
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
