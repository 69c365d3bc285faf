package ask

import (
	"context"
	"time"

	"github.com/go-polite/polite/internal/memory"
	"github.com/go-polite/polite/internal/turns"
)

// Known returns what is known of the site's robots.txt, and how the request has found it. If
// it is time to ask again, Known starts this in the background. If nothing can be used, Known
// waits for an answer, until ctx ends.
func (a *Asker) Known(ctx context.Context, to *turns.Site) (*memory.Known, memory.Found, error) {
	k, found, due := a.Memory.Find(ctx, to.Origin)
	k, err := a.have(ctx, k, due, to, func() (*memory.Known, error) {
		return a.Desk.flights.wait(ctx, to.Origin, anyone, a.asking(to))
	})
	return k, found, err
}

// anyone may wait for a flight.
func anyone(*flight) error { return nil }

// KnownSoon is Known for a request. It waits no longer than the Pace of the site lets a
// request wait, and takes this time from what is left for its turn. The error is a
// *lane.LateError if the request gives up.
func (a *Asker) KnownSoon(ctx context.Context, to *turns.Site) (*memory.Known, memory.Found, error) {
	k, found, due := a.Memory.Find(ctx, to.Origin)
	k, err := a.have(ctx, k, due, to, func() (*memory.Known, error) {
		began := time.Now()
		k, err := a.wait(ctx, to, to.Pace.LongestWait())
		to.Pace.Waited(time.Since(began))
		return k, err
	})
	return k, found, err
}

// KnownNow is KnownSoon for a request that has waited since. If the turn of the request
// has come, it returns only what is up to date. If most is not zero, it waits no longer
// than most.
func (a *Asker) KnownNow(ctx context.Context, to *turns.Site, come bool, most time.Duration) (*memory.Known, error) {
	k, due := a.Memory.FindAgain(ctx, to.Origin, come)
	return a.have(ctx, k, due, to, func() (*memory.Known, error) { return a.wait(ctx, to, most) })
}

// have returns k. If k is nil, it waits for an answer; one to another Transport may say
// nothing to this one, which then asks itself. It asks in the background if this is due.
func (a *Asker) have(ctx context.Context, k *memory.Known, due bool, to *turns.Site, wait func() (*memory.Known, error)) (_ *memory.Known, err error) {
	for k == nil {
		if k, err = wait(); err != nil {
			return nil, err
		}
		k, due = a.Memory.FindIn(ctx, to.Origin, k) // due: it may have come from the Store
	}
	if due && !a.Taker.Lanes.InBreak(to.Lane) {
		a.Desk.flights.refresh(to.Origin, a.asking(to))
	}
	return k, nil
}
