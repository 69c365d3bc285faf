package boltstore

import (
	"context"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/internal/memory"
	"go.etcd.io/bbolt"
)

// Take implements [store.Turns]. Reservations are in memory, and Close writes them to the
// file.
func (s *Store) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	if err := s.check(ctx); err != nil {
		return store.Grant{}, err
	}
	ask.Gap, ask.NotBefore = clampGap(ask.Gap), clampGap(ask.NotBefore)
	ask.Slack, ask.Lease = clamp(ask.Slack), clamp(ask.Lease)
	before, err := s.before(lane, ask)
	if err != nil {
		return store.Grant{}, err
	}
	grant, ok := s.turns.Take(lane, ask, before)
	if !ok {
		return store.Grant{}, errClosed
	}
	return grant, nil
}

// before returns the last start of a lane in the process before, if it is needed and the
// file has it.
func (s *Store) before(lane string, ask store.Ask) (memory.Start, error) {
	if ask.Gap == 0 && ask.Slots <= 0 || !s.clean.Load() || s.turns.Has(lane) {
		return memory.Start{}, nil
	}
	start, err := view(s.disk, func(tx *bbolt.Tx) (memory.Start, error) {
		key := keyOf(lane)
		if start, ok := s.opened().readStart(key, tx.Bucket(tableStarts).Get(key)); ok {
			return start, nil
		}
		return memory.Start{}, nil
	})
	return start, ofRead(err)
}

// Done implements [store.Turns].
func (s *Store) Done(ctx context.Context, lane, token string, unused bool) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	s.turns.Done(lane, token, unused)
	return nil
}

// Renew implements [store.Turns]. Slots are in memory.
func (s *Store) Renew(ctx context.Context, lease time.Duration, turns map[string]string) (lost []string, err error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	return s.turns.Renew(clamp(lease), turns), nil
}

// Break implements [store.Turns]. When it returns, the disk has the break. If the break
// could not be written, Break returns the error, and the break counts in this Store.
func (s *Store) Break(ctx context.Context, lane string, wait time.Duration) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	if wait = clamp(wait); wait == 0 {
		return nil
	}
	b := memory.Break{Until: time.Now().Add(wait), Length: wait}
	return s.writer.addBreak(ctx, lane, func() bool { return s.turns.Break(lane, b) })
}

// Teach implements [store.Teacher]. Lessons are in memory.
func (s *Store) Teach(ctx context.Context, lane string, wait time.Duration, lesson string, keep time.Duration) error {
	if err := s.Break(ctx, lane, wait); err != nil {
		return err
	}
	s.turns.Teach(lane, lesson, clamp(keep))
	return nil
}

// Watch implements [store.Turns].
func (s *Store) Watch(ctx context.Context, f func(store.Change)) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.open, func() { cancel(errClosed) })()
	return s.turns.Watch(ctx, f)
}
