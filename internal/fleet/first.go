package fleet

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
)

// A first is the right to go first after a break, of all that share a lane, or waits for it. The right is the
// only slot of a lane of its own, and ends when the answer is known. A nil first is none.
type first struct {
	lane   string
	token  string
	has    bool // the right
	leases *leases
	queues *queues // nil: it waits in no queue
	called Called
	once   sync.Once
}

// waits reports whether another has the right.
func (f *first) waits() bool { return f != nil && !f.has }

// take notes that f has the right since a time.
func (f *first) take(since time.Time) {
	f.has = true
	f.queues.leave(f.token)
	f.leases.add(f.token, f.lane, since, func(error) {})
}

// end lets another go first.
func (f *first) end() {
	if f == nil {
		return
	}
	f.once.Do(func() {
		f.queues.leave(f.token)
		f.leases.give(f.lane, f.token, false, true, f.called)
	})
}

// goFirst takes the right to go first if r needs it. If another has it, it returns when to try
// again.
func (r *reservation) goFirst(ctx context.Context) (wait time.Duration, err error) {
	switch {
	case !r.request.First && r.first.waits(): // the site is well meanwhile
		r.turn, r.turnComes = time.Time{}, nil
		r.first.end()
		r.first = nil
		return 0, nil
	case !r.request.First, r.first != nil && r.first.has:
		return 0, nil
	case r.first == nil:
		r.release()
		r.first = &first{lane: "first " + r.lane, token: rand.Text(), leases: r.leases, queues: r.queues, called: r.called}
	}
	f, began := r.first, time.Now()
	ask := store.Ask{Token: f.token, Slots: 1, Lease: slotLease, Queue: r.queues != nil}
	if ask.Queue {
		r.turn, r.turnComes = time.Time{}, r.queues.join(f.token)
	}
	grant, err := r.callLane(ctx, f.lane, ask)
	switch {
	case err != nil:
		return 0, err
	case grant.Queued:
		return r.lookAgain(grant), nil
	case !grant.Slot:
		return r.nextLook(), nil
	}
	f.take(began)
	r.turnComes = nil
	return 0, nil
}
