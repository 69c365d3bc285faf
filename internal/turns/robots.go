package turns

import (
	"context"
	"sync/atomic"

	"github.com/go-polite/polite/internal/pace"
	"github.com/go-polite/polite/internal/send"
)

// UpperOfRobots returns the way of a request for robots.txt, which takes no turn in its own lane.
// One that is ahead goes before those that come in order.
func (t *Taker) UpperOfRobots(to *Site, ahead bool) *Upper {
	u := t.Lanes.upper(to, nil, t.Hooks.Called)
	u.ahead = ahead
	return u
}

// GuardRobots returns the Guard of the requests for the robots.txt of a site. Each takes a turn
// above; first is that of the first, or nil. The others go ahead of those that came in order,
// since the fetch may not take long.
func (t *Taker) GuardRobots(to *Site, first *pace.Turn, stopped func() error) *send.Guard {
	guard := t.Lanes.Guard(to.Lane, stopped)
	if to.Group == nil {
		return guard
	}
	var own atomic.Pointer[pace.Turn]
	own.Store(first)
	guard.Take = func(ctx context.Context) (*pace.Turn, error) {
		if turn := own.Swap(nil); turn != nil {
			return turn, nil
		}
		return t.UpperOfRobots(to, true).Take(ctx)
	}
	return guard
}
