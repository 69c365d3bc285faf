package turns

import (
	"context"
	"sync/atomic"

	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/send"
)

// WayOfRobots returns the way of a request for robots.txt, which takes no turn in its own lane. If
// ahead, it goes before the requests that come in order.
func (t *Taker) WayOfRobots(to *Site, ahead bool) *fleet.Way {
	way := t.above(to)
	if ahead {
		way.Ahead()
	}
	return way
}

// GuardRobots returns the Guard of the requests for the robots.txt of a site. Each takes a turn above.
// first is the ticket of the first request, or nil. The further requests go ahead of those that came in
// order, since the fetch must be over soon.
func (t *Taker) GuardRobots(to *Site, first *lane.Ticket, stopped func() error) *send.Guard {
	guard := t.Lanes.Guard(to.Lane, stopped)
	if to.Group == nil {
		return guard
	}
	var own atomic.Pointer[lane.Ticket]
	own.Store(first)
	guard.Take = func(ctx context.Context) (*lane.Ticket, error) {
		if ticket := own.Swap(nil); ticket != nil {
			return ticket, nil
		}
		return t.WayOfRobots(to, true).Take(ctx)
	}
	return guard
}
