package boltstore

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/internal/memory"
)

// A Store is an open file. It is a [store.Store] and a [store.Turns]. It is safe for
// concurrent use.
type Store struct {
	disk      *disk
	most      int64 // bytes
	mostTurns int64 // of which breaks and starts take so many
	wall      func() time.Time
	clock     *clock.Clock
	born      time.Time // when the file was opened
	epoch     uint64

	writer *writer
	turns  memory.Turns
	swept  []byte      // the last break in the file that a sweep has looked at; of the writer
	clean  atomic.Bool // the file has the starts that the process before knew

	claiming sync.Mutex // for claims
	claims   memory.Claims

	once   sync.Once
	open   context.Context // ends with Close
	finish context.CancelCauseFunc
	err    error // of Close
}

var (
	_ store.Store = (*Store)(nil)
	_ store.Turns = (*Store)(nil)
)

// age returns how long ago something was put.
func (s *Store) age(put stamp) time.Duration {
	now := s.clock.Now()
	if put.epoch == s.epoch {
		return now - put.passed
	}
	return s.clock.Wall(now).Sub(put.wall)
}

// startOf returns a start of the process before. It was before Open, whatever the time of
// day says.
func (s *Store) startOf(at storedStart) memory.Start {
	ago := max(s.clock.Wall(0).Sub(at.at), 0)
	return memory.Start{At: s.born.Add(-ago), Gap: clampGap(at.gap), Slack: clamp(at.slack)}
}

const (
	longest    = 24 * time.Hour       // of a slack, a lease or a break
	longestGap = 365 * 24 * time.Hour // a user chooses it, and not a site
)

func clamp(d time.Duration) time.Duration    { return min(max(d, 0), longest) }
func clampGap(d time.Duration) time.Duration { return min(max(d, 0), longestGap) }

// check returns why a call cannot be served.
func (s *Store) check(ctx context.Context) error {
	return cmp.Or(context.Cause(s.open), context.Cause(ctx))
}
