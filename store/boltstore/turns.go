package boltstore

import (
	"context"
	"time"

	"github.com/go-polite/polite/store"
	"go.etcd.io/bbolt"
)

// Take implements [store.Turns]. What it reserves is in memory, and Close writes it to
// the file.
func (s *Store) Take(ctx context.Context, name string, ask store.Ask) (store.Grant, error) {
	if err := s.check(ctx); err != nil {
		return store.Grant{}, err
	}
	ask.Gap, ask.Slack = clamp(ask.Gap), clamp(ask.Slack)
	ask.NotBefore, ask.Lease = clamp(ask.NotBefore), clamp(ask.Lease)
	if ask.Gap == 0 && ask.Slots <= 0 {
		return store.Grant{Wait: s.breaks.left(name, s.now())}, nil
	}
	first, err := s.first(name)
	if err != nil {
		return store.Grant{}, err
	}
	return s.reserve(name, first, ask)
}

// first returns the turn that a lane begins with if it is not in memory.
func (s *Store) first(name string) (turn, error) {
	floor, look := s.lanes.unknown(name)
	if !look {
		return floor, nil
	}
	first, err := view(s.disk, func(tx *bbolt.Tx) (turn, error) {
		key := keyOf(name)
		if at, ok := begunOf(key, tx.Bucket(tableStarts).Get(key)); ok {
			return s.turnOf(at), nil
		}
		return floor, nil
	})
	return first, ofRead(err)
}

func (s *Store) reserve(name string, first turn, ask store.Ask) (store.Grant, error) {
	s.lanes.mu.Lock()
	defer s.lanes.mu.Unlock()
	if s.lanes.closed {
		return store.Grant{}, errClosed
	}
	now := s.now()
	from := now + max(ask.NotBefore, s.breaks.left(name, now))
	return s.lanes.find(name, now, first).take(ask, from, now), nil
}

// Done implements [store.Turns].
func (s *Store) Done(ctx context.Context, name, token string, unused bool) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	s.lanes.mu.Lock()
	defer s.lanes.mu.Unlock()
	if l, ok := s.lanes.all[name]; ok {
		l.done(token, unused)
	}
	return nil
}

// Renew implements [store.Turns]. Slots are in memory.
func (s *Store) Renew(ctx context.Context, lease time.Duration, turns map[string]string) (lost []string, err error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	s.lanes.mu.Lock()
	defer s.lanes.mu.Unlock()
	now := s.now()
	for token, name := range turns {
		if l, ok := s.lanes.all[name]; !ok || !l.slots.renew(token, now, clamp(lease)) {
			lost = append(lost, token)
		}
	}
	return lost, nil
}

// Break implements [store.Turns]. When it returns, the disk has the break. If the break
// could not be written, Break returns the error, and the break holds for this Store.
func (s *Store) Break(ctx context.Context, name string, wait time.Duration) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	if wait = clamp(wait); wait == 0 {
		return nil
	}
	h := held{hold: hold{began: s.wall(), length: wait}, until: s.now() + wait}
	if kept := s.breaks.begin(name, h); kept {
		return nil
	}
	return s.writer.hold(ctx, name)
}

const beat = time.Second / 2 // between two zero changes

// Watch implements [store.Turns].
func (s *Store) Watch(ctx context.Context, f func(store.Change)) error {
	w := s.breaks.watch()
	defer s.breaks.unwatch(w)
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		s.tell(w, f)
		if err := s.check(ctx); err != nil {
			return err
		}
		f(store.Change{})
		select {
		case <-w.some:
		case <-tick.C:
		case <-ctx.Done():
		case <-s.closed:
		}
	}
}

// tell calls f for what w has collected.
func (s *Store) tell(w *watcher, f func(store.Change)) {
	lanes, records := w.take()
	for lane := range lanes {
		if left := s.breaks.left(lane, s.now()); left > 0 {
			f(store.Change{Lane: lane, Break: left})
		}
	}
	for key := range records {
		f(store.Change{Key: key})
	}
}
