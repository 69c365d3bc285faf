package boltstore

import (
	"context"
	"time"

	"github.com/go-polite/polite"
	"go.etcd.io/bbolt"
)

const longest = 24 * time.Hour // of a gap or a break

func clamp(d time.Duration) time.Duration { return min(max(d, 0), longest) }

// Take implements [polite.Turns]. Reservations live in memory. Close writes them to the
// file.
func (s *Store) Take(ctx context.Context, name string, ask polite.Ask) (polite.Grant, error) {
	if err := s.check(ctx); err != nil {
		return polite.Grant{}, err
	}
	gap := clamp(ask.Gap)
	if gap == 0 {
		return polite.Grant{Wait: s.pauses.left(name, s.now())}, nil
	}
	first, err := s.first(name)
	if err != nil {
		return polite.Grant{}, err
	}
	s.lanes.mu.Lock()
	defer s.lanes.mu.Unlock()
	now := s.now()
	l := s.lanes.find(name, now, first)
	start := max(now+max(clamp(ask.NotBefore), s.pauses.left(name, now)), l.start(ask.Token, gap))
	if late := clamp(ask.MaxWait); late > 0 && start-now > late {
		return polite.Grant{Wait: start - now, Late: true}, nil
	}
	l.reserve(turn{token: ask.Token, mine: true, start: start, gap: gap, slack: clamp(ask.Slack)})
	return polite.Grant{Wait: start - now}, nil
}

// first returns the turn that a lane begins with if it is not in memory.
func (s *Store) first(name string) (turn, error) {
	first, clean := s.lanes.unknown()
	if !clean {
		return first, nil
	}
	err := s.disk.view(func(tx *bbolt.Tx) error {
		key := keyOf(name)
		if at, ok := startedOf(key, tx.Bucket(tableStarts).Get(key)); ok {
			first = s.turnOf(at)
		}
		return nil
	})
	return first, err
}

// Done implements [polite.Turns].
func (s *Store) Done(ctx context.Context, name, token string) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	s.lanes.mu.Lock()
	defer s.lanes.mu.Unlock()
	if l, ok := s.lanes.all[name]; ok {
		l.done(token)
	}
	return nil
}

// Hold implements [polite.Turns]. When it returns, the disk has the break. If it could
// not be written, Hold returns the error, and the break holds in this process alone.
func (s *Store) Hold(ctx context.Context, name string, wait time.Duration) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	wait = clamp(wait)
	if wait == 0 {
		return nil
	}
	if s.pauses.hold(name, rest{pause: pause{began: s.wall(), length: wait}, until: s.now() + wait}) {
		return nil
	}
	return s.writer.pause(ctx, name)
}

const beat = time.Second / 2 // between two zero changes

// Watch implements [polite.Turns].
func (s *Store) Watch(ctx context.Context, f func(polite.Change)) error {
	w := s.pauses.watch()
	defer s.pauses.unwatch(w)
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		if err := s.check(ctx); err != nil {
			return err
		}
		for lane := range w.take() {
			if left := s.pauses.left(lane, s.now()); left > 0 {
				f(polite.Change{Lane: lane, Hold: left})
			}
		}
		f(polite.Change{})
		select {
		case <-w.some:
		case <-tick.C:
		case <-ctx.Done():
		case <-s.closed:
		}
	}
}
