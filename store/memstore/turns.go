package memstore

import (
	"context"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/internal/memory"
)

// Turns is [store.Turns], and a [store.Teacher]. It forgets a lane some ten minutes after the lane has last
// delayed a request, when it is asked for other lanes.
//
// The zero Turns is ready for use. It is safe for concurrent use. Do not copy it.
type Turns struct{ turns memory.Turns }

// Take reserves the next start of a lane. See [store.Turns].
func (t *Turns) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	if err := ctx.Err(); err != nil {
		return store.Grant{}, err
	}
	grant, _ := t.turns.Take(lane, ask, memory.Start{})
	return grant, nil
}

// Done ends what token has. See [store.Turns].
func (t *Turns) Done(ctx context.Context, lane, token string, unused bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.turns.Done(lane, token, unused)
	return nil
}

// Renew lets slots be taken for longer. See [store.Turns].
func (t *Turns) Renew(ctx context.Context, lease time.Duration, turns map[string]string) (lost []string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return t.turns.Renew(lease, turns), nil
}

// Break begins a break of a lane. See [store.Turns].
func (t *Turns) Break(ctx context.Context, lane string, wait time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if wait > 0 {
		t.turns.Break(lane, memory.Break{Until: time.Now().Add(wait), Length: wait})
	}
	return nil
}

// Teach begins a break of a lane, and lets each Watch tell lesson. See [store.Teacher].
func (t *Turns) Teach(ctx context.Context, lane string, wait time.Duration, lesson string, keep time.Duration) error {
	if err := t.Break(ctx, lane, wait); err != nil {
		return err
	}
	t.turns.Teach(lane, lesson, keep)
	return nil
}

// Watch calls f for each break. See [store.Turns].
func (t *Turns) Watch(ctx context.Context, f func(store.Change)) error { return t.turns.Watch(ctx, f) }

// Clear forgets all starts and breaks, like an engine that has lost its data. Slots stay taken. The
// first start of each lane comes a gap later.
func (t *Turns) Clear() { t.turns.Clear() }

// Has reports whether a lane is known: a request in it may be delayed.
func (t *Turns) Has(lane string) bool { return t.turns.Has(lane) }

// Len returns how many lanes are kept, also lanes that delay nobody and are not forgotten yet.
func (t *Turns) Len() int {
	lanes, _, _ := t.turns.Count()
	return lanes
}
