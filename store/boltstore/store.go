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
	"go.etcd.io/bbolt"
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

	journals sync.Map // the tables of those that were read, which are in use

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

// opened returns when the file was opened.
func (s *Store) opened() moment { return moment{s.clock.Wall(0), s.born} }

// now returns the moment now. The time of day may have been set since the file was opened.
func (s *Store) now() moment { return moment{s.wall(), time.Now()} }

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

// Stats tell what a Store keeps now.
type Stats struct {
	Lanes  int // with starts or slots, in memory
	Breaks int // in memory and in the file

	TurnsBytes   int64 // memory for lanes and breaks
	PendingBytes int64 // memory for entries that are not written yet
	EntriesBytes int64 // in the file, for entries
	FileBytes    int64 // of the file, also those that are free
}

// Stats returns what s keeps now. After Close, and if the file cannot be read, it returns
// what is in memory.
func (s *Store) Stats() Stats {
	var stats Stats
	stats.Lanes, stats.Breaks, _ = s.turns.Count()
	stats.TurnsBytes, stats.PendingBytes = s.turns.Bytes(), s.writer.bytes()
	view(s.disk, func(tx *bbolt.Tx) (none struct{}, err error) {
		st, err := stateOf(tx)
		stats.EntriesBytes, stats.FileBytes = st.bytes, tx.Size()
		return none, err
	})
	return stats
}
