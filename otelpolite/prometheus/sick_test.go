package main

import (
	"context"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
)

// sick is Turns with a fault.
type sick struct {
	memstore.Turns
	watch   error         // Watch returns it,
	lasts   time.Duration // after so long
	profile string        // of another process
	renew   bool          // no slot is renewed
	slow    time.Duration // each Take
}

// ill returns a Transport that uses sick Turns.
func ill(turns *sick) *polite.Transport {
	return &polite.Transport{Cache: &polite.Cache{Turns: turns}, Pace: polite.Pace{MinDelay: time.Millisecond, Concurrency: 1}}
}

func (s *sick) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	time.Sleep(s.slow)
	return s.Turns.Take(ctx, lane, ask)
}

func (s *sick) Renew(ctx context.Context, lease time.Duration, turns map[string]string) (lost []string, err error) {
	if !s.renew {
		return s.Turns.Renew(ctx, lease, turns)
	}
	for token := range turns {
		lost = append(lost, token)
	}
	return lost, nil
}

func (s *sick) Report(ctx context.Context, _ func() store.Status, f func(store.Change)) error {
	switch {
	case s.watch != nil:
		if s.lasts > 0 {
			f(store.Change{})
			pause(ctx, s.lasts)
		}
		return s.watch
	}
	return s.Watch(ctx, func(c store.Change) {
		if s.profile != "" {
			f(store.Change{Profile: s.profile})
		}
		f(c)
	})
}

// pause waits until ctx ends, for some time at most.
func pause(ctx context.Context, most time.Duration) {
	select {
	case <-time.After(most):
	case <-ctx.Done():
	}
}
