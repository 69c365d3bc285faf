package kept

import (
	"context"
	"time"

	"github.com/go-polite/polite"
)

// turns is Turns that tell how long a request waits, since the memory of this run does
// not have the runs before. If they fail, this run goes on without them.
type turns struct {
	polite.Turns
	waits func(time.Duration) // may be nil
	*trouble
}

// Take tells how long the request waits. If nobody knows, it waits as if another one had
// just been sent.
func (t turns) Take(ctx context.Context, lane string, ask polite.Ask) (polite.Grant, error) {
	grant, err := t.Turns.Take(ctx, lane, ask)
	if err != nil && ctx.Err() == nil {
		t.note(err)
		grant, err = polite.Grant{Wait: ask.Gap}, nil
	}
	if t.waits != nil && err == nil && !grant.Late {
		t.waits(grant.Wait)
	}
	return grant, err
}

// Hold notes what fails. The break holds in this run all the same.
func (t turns) Hold(ctx context.Context, lane string, wait time.Duration) error {
	err := t.Turns.Hold(ctx, lane, wait)
	t.note(err)
	return err
}
