package cachefile

import (
	"context"
	"time"

	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/store"
)

// turns is Turns that tell how long a request waits, since the memory of this run does
// not have the runs before. If they fail, this run goes on without them.
type turns struct {
	store.Turns
	waits func(time.Duration)                     // may be nil
	asks  func(origin string, wait time.Duration) // may be nil
	*trouble
}

// Take tells how long the request waits. If nobody knows, it waits as if another one had
// just been sent.
func (t turns) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	grant, err := t.Turns.Take(ctx, lane, ask)
	if err != nil && ctx.Err() == nil {
		t.note(err)
		grant, err = store.Grant{Wait: ask.Gap, Slot: ask.Slots > 0}, nil
	}
	if t.waits != nil && err == nil && !grant.Late {
		t.waits(grant.Wait)
	}
	if t.asks != nil && err == nil && ask.Token == "" && 0 < grant.Wait && grant.Wait <= LongBreak {
		t.asks(fleet.Told(lane), grant.Wait)
	}
	return grant, err
}

// LongBreak is the longest break (Retry-After) of a site that polite waits for before it
// asks for robots.txt. During a longer one it does not ask. It is the usual
// Policy.Timeout.
const LongBreak = 30 * time.Second

// inBreak reports whether the origin of a key is in a long break.
func (t turns) inBreak(ctx context.Context, key string) bool {
	lane, ok := laneOf(key)
	if !ok {
		return false
	}
	grant, err := t.Turns.Take(ctx, lane, store.Ask{})
	return err == nil && grant.Wait > LongBreak
}

// Break notes what fails. The break counts in this run all the same.
func (t turns) Break(ctx context.Context, lane string, wait time.Duration) error {
	err := t.Turns.Break(ctx, lane, wait)
	t.note(err)
	return err
}
