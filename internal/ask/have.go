package ask

import (
	"context"
	"time"

	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/memory"
	"github.com/go-polite/polite/internal/turns"
)

// Known returns what is known of the site's robots.txt, and its state now. If it is time
// to ask again, Known starts this in the background. If nothing can be used, Known waits
// for an answer, until ctx ends.
func (a *Asker) Known(ctx context.Context, to *turns.Site) (*memory.Known, known.State, error) {
	k, state, due := a.memory.Find(to.Origin)
	k, err := a.have(k, due, to, func() (*memory.Known, error) {
		return a.Desk.flights.wait(ctx, to.Origin, anyone, a.asking(to))
	})
	return k, state, err
}

// anyone may wait for a flight.
func anyone(*flight) error { return nil }

// KnownSoon is Known for a request. It waits no longer than the Pace of the site lets a
// request wait, and takes this time from what is left for its turn. The error is a
// *pace.LateError if the request gives up.
func (a *Asker) KnownSoon(ctx context.Context, to *turns.Site) (*memory.Known, known.State, error) {
	k, state, due := a.memory.Find(to.Origin)
	k, err := a.have(k, due, to, func() (*memory.Known, error) {
		began := time.Now()
		k, err := a.wait(ctx, to, to.Pace.LongestWait())
		to.Pace.Waited(time.Since(began))
		return k, err
	})
	return k, state, err
}

// KnownNow is KnownSoon for a request that has waited since. If the turn of the request
// has come, it returns only what is up to date. If most is not zero, it waits no longer
// than most.
func (a *Asker) KnownNow(ctx context.Context, to *turns.Site, come bool, most time.Duration) (*memory.Known, error) {
	k, due := a.memory.FindAgain(to.Origin, come)
	return a.have(k, due, to, func() (*memory.Known, error) { return a.wait(ctx, to, most) })
}

// have returns k. If k is nil, it waits for an answer. It asks in the background if this is
// due.
func (a *Asker) have(k *memory.Known, due bool, to *turns.Site, wait func() (*memory.Known, error)) (_ *memory.Known, err error) {
	if k == nil {
		if k, err = wait(); err != nil {
			return nil, err
		}
		due = a.memory.Begin(k) // it may have come from the Store
	}
	if due && !a.Taker.Lanes.InBreak(to.Lane) {
		a.Desk.flights.refresh(to.Origin, a.asking(to))
	}
	return k, nil
}
