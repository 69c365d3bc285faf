// Package boltstore keeps, in a file, what sites answered and when requests may start.
package boltstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/clock"
	"go.etcd.io/bbolt"
)

// Options say how to open a file. The zero value is good for most.
type Options struct {
	// Wait is how long Open waits for another process that has the file open. If zero,
	// Open does not wait.
	Wait time.Duration

	// MaxBytes is about how many bytes of the file records may take. If they take more,
	// old ones are deleted. If zero, it is 4 GiB.
	MaxBytes int64

	wall func() time.Time // the time of day; nil: time.Now
}

const maxBytes = 4 << 30

// A Store is an open file. It is a [polite.Store] and a [polite.Turns]. It is safe for
// concurrent use.
type Store struct {
	disk  *disk
	most  int64
	wall  func() time.Time
	clock *clock.Clock
	born  time.Time // for what goes by the monotonic clock alone
	epoch uint64
	clean bool          // starts of the process before are in the file
	floor time.Duration // all starts that are not known were before it

	writer *writer
	claims claims
	lanes  lanes
	pauses pauses

	close  sync.Once
	closed chan struct{}
	err    error // of Close
}

var (
	_ polite.Store = (*Store)(nil)
	_ polite.Turns = (*Store)(nil)
)

// Open opens the file at path, or creates it. Its folder must exist. Only one process
// can have the file open: if another has, the error is [ErrLocked]. Call
// [Store.Close] when you are done.
func Open(path string, options Options) (*Store, error) {
	d, err := openDisk(path, options.Wait)
	if err != nil {
		return nil, err
	}
	s := newStore(d, options)
	if err := d.update(s.begin); err != nil {
		d.close()
		return nil, explain(path, err)
	}
	return s, nil
}

func newStore(d *disk, options Options) *Store {
	s := &Store{disk: d, most: options.MaxBytes, wall: options.wall, clock: clock.New(options.wall), born: time.Now(), closed: make(chan struct{})}
	if s.most <= 0 {
		s.most = maxBytes
	}
	if s.wall == nil {
		s.wall = time.Now
	}
	s.writer = newWriter(s.write)
	s.claims.all = make(map[string]claim)
	s.lanes.all = make(map[string]*lane)
	s.pauses.all = make(map[string]rest)
	s.pauses.watchers = make(map[*watcher]struct{})
	return s
}

// begin reads what the process before has left, and marks the file as open.
func (s *Store) begin(tx *bbolt.Tx) error {
	found, err := formatOf(tx)
	if err != nil {
		return err
	}
	if err := createTables(tx); err != nil {
		return err
	}
	now := s.wall()
	s.epoch = number(tx, aboutEpoch) + 1
	s.lanes.clean = number(tx, aboutOpen) == 0
	if !s.lanes.clean {
		err = setNumber(tx, aboutFloor, uint64(max(now.UnixMilli(), 0)))
	}
	s.lanes.floor = math.MinInt64 / 4
	if found != 0 {
		s.lanes.floor = s.sinceOpen(time.UnixMilli(int64(number(tx, aboutFloor))), now)
	}
	s.recall(tx, now)
	return errors.Join(err, setNumber(tx, aboutEpoch, s.epoch), setNumber(tx, aboutOpen, 1))
}

// sinceOpen returns how long after Open a time of day was: never after now.
func (s *Store) sinceOpen(at, now time.Time) time.Duration {
	return s.now() - max(now.Sub(at), 0)
}

// recall reads the breaks that are under way.
func (s *Store) recall(tx *bbolt.Tx, now time.Time) {
	c := tx.Bucket(tablePauses).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if lane, p, ok := pauseOf(k, v); ok {
			left := min(p.end().Sub(now), p.length)
			s.pauses.hold(lane, rest{pause: p, until: s.now() + left, kept: true})
		}
	}
}

// now is the monotonic time since Open.
func (s *Store) now() time.Duration { return time.Since(s.born) }

// age returns how old something is that was put.
func (s *Store) age(put stamp) time.Duration {
	now := s.clock.Now()
	if put.epoch == s.epoch {
		return now - put.passed
	}
	return s.clock.Wall(now).Sub(put.wall)
}

// write writes a batch.
func (s *Store) write(b *batch) error {
	over, breaks := s.pauses.forget(s.now(), sweepKeys), s.pauses.of(b.lanes)
	err := s.disk.update(func(tx *bbolt.Tx) error {
		if err := putRecords(tx, b.records, s.most, s.age); err != nil {
			return err
		}
		if err := dropPauses(tx, over); err != nil {
			return err
		}
		return putPauses(tx, breaks)
	})
	if err == nil {
		s.pauses.keep(breaks)
	}
	return tell(err)
}

// tell says that it was a write that failed.
func tell(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("boltstore: could not write the file: %w", err)
}

// Close writes what is not written yet, and closes the file. All calls after it fail
// with [os.ErrClosed]. Close may be called again: it returns the same error.
func (s *Store) Close() error {
	s.close.Do(func() {
		close(s.closed)
		s.err = errors.Join(s.writer.close(), s.disk.update(s.end), s.disk.close())
	})
	return s.err
}

// end writes the starts of lanes, and that the file was closed.
func (s *Store) end(tx *bbolt.Tx) error {
	if err := s.keepStarts(tx); err != nil {
		return err
	}
	return setNumber(tx, aboutOpen, 0)
}

// keepStarts writes the starts that still bind over those that do not.
func (s *Store) keepStarts(tx *bbolt.Tx) error {
	table, now := tx.Bucket(tableStarts), s.now()
	var over [][]byte
	c := table.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if at, ok := startedOf(k, v); !ok || !s.lanes.clean || !s.turnOf(at).binds(now) {
			over = append(over, k)
		}
	}
	for _, k := range over {
		if err := table.Delete(k); err != nil {
			return err
		}
	}
	s.lanes.mu.Lock()
	defer s.lanes.mu.Unlock()
	for name, lane := range s.lanes.all {
		t := lane.newest()
		if key := keyOf(name); t.binds(now) {
			at := started{at: s.wall().Add(t.start - now), gap: t.gap, slack: t.slack}
			if err := table.Put(key, at.seal(key, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// turnOf returns a start of the process before. It was before Open, whatever the time
// of day says.
func (s *Store) turnOf(at started) turn {
	start := min(s.clock.Wall(0).Sub(at.at), 1<<62)
	return turn{start: -max(start, 0), gap: at.gap, slack: at.slack}
}

// check returns why a call cannot be served.
func (s *Store) check(ctx context.Context) error {
	select {
	case <-s.closed:
		return errClosed
	default:
		return context.Cause(ctx)
	}
}
