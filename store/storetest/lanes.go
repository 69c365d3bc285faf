package storetest

import (
	"context"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/internal/memory"
)

// Lanes is [store.Turns] in memory: a double for tests. Its clock is time.Now, so in a
// testing/synctest bubble no test waits.
//
// The zero Lanes is ready for use. It is safe for concurrent use. Do not copy it.
type Lanes struct{ turns memory.Turns }

// Take reserves the next start of a lane. See [store.Turns].
func (l *Lanes) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	if err := ctx.Err(); err != nil {
		return store.Grant{}, err
	}
	grant, _ := l.turns.Take(lane, ask, memory.Start{})
	return grant, nil
}

// Done ends what token has. See [store.Turns].
func (l *Lanes) Done(ctx context.Context, lane, token string, unused bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.turns.Done(lane, token, unused)
	return nil
}

// Renew lets slots be taken for longer. See [store.Turns].
func (l *Lanes) Renew(ctx context.Context, lease time.Duration, turns map[string]string) (lost []string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.turns.Renew(lease, turns), nil
}

// Break begins a break of a lane. See [store.Turns].
func (l *Lanes) Break(ctx context.Context, lane string, wait time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if wait > 0 {
		l.turns.Break(lane, memory.Break{Until: time.Now().Add(wait), Length: wait})
	}
	return nil
}

// Teach begins a break of a lane, and lets each Watch tell lesson. See [store.Teacher].
func (l *Lanes) Teach(ctx context.Context, lane string, wait time.Duration, lesson string, keep time.Duration) error {
	if err := l.Break(ctx, lane, wait); err != nil {
		return err
	}
	l.turns.Teach(lane, lesson, keep)
	return nil
}

// Watch calls f for each break. See [store.Turns].
func (l *Lanes) Watch(ctx context.Context, f func(store.Change)) error { return l.turns.Watch(ctx, f) }
