package boltstore

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/store"
)

// A Store is an open file. It is a [store.Store] and a [store.Turns]. It is safe for
// concurrent use.
type Store struct {
	disk  *disk
	most  int64
	wall  func() time.Time
	clock *clock.Clock
	born  time.Time // for what goes by the monotonic clock alone
	epoch uint64

	writer *writer
	claims claims
	lanes  lanes
	breaks breaks

	once   sync.Once
	closed chan struct{}
	err    error // of Close
}

var (
	_ store.Store = (*Store)(nil)
	_ store.Turns = (*Store)(nil)
)

// now returns the time since Open, by the monotonic clock.
func (s *Store) now() time.Duration { return time.Since(s.born) }

// age returns how long ago something was put.
func (s *Store) age(put stamp) time.Duration {
	now := s.clock.Now()
	if put.epoch == s.epoch {
		return now - put.passed
	}
	return s.clock.Wall(now).Sub(put.wall)
}

// turnOf returns a start of the process before. It was before Open, whatever the time of
// day says.
func (s *Store) turnOf(at begun) turn {
	ago := s.clock.Wall(0).Sub(at.at)
	return turn{start: -min(max(ago, 0), math.MaxInt64/4), gap: clamp(at.gap), slack: clamp(at.slack)}
}

const longest = 24 * time.Hour // of a gap, a slack, or a break

func clamp(d time.Duration) time.Duration { return min(max(d, 0), longest) }

// check returns why a call cannot be served.
func (s *Store) check(ctx context.Context) error {
	select {
	case <-s.closed:
		return errClosed
	default:
		return context.Cause(ctx)
	}
}
