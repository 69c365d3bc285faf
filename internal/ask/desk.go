package ask

import (
	"github.com/go-polite/polite/internal/claims"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/memory"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/store"
)

// A Desk is what the Transports that share a Cache ask with: one fetch for an origin at a
// time, and so many in all. It is safe for concurrent use. Do not copy it.
type Desk struct {
	memory   *memory.Memory
	store    store.Store // may be nil
	flights  flights
	capacity *capacity
	visits   *lane.Lanes[origin.Origin] // of fetches that were redirected
	coder    entry.Coder
}

// NewDesk returns a desk for so many fetches at the same time. s may be nil.
func NewDesk(m *memory.Memory, s store.Store, fetches int) *Desk {
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
