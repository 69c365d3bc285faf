// Package boltstore keeps what sites answered, and when requests may start, in a file.
package boltstore

import (
	"bytes"
	"context"
	"errors"
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

	writer *writer
	claims claims
	lanes  lanes
	pauses pauses

	once   sync.Once
	closed chan struct{}
	err    error // of Close
}

var (
	_ polite.Store = (*Store)(nil)
	_ polite.Turns = (*Store)(nil)
)

// Open opens the file at path, or creates it. It does not create folders. Only one Store
// can have a file open: if there is another, the error is [ErrLocked]. If the file is
// damaged, or if it is of another program, the error is [ErrDamaged], and the file stays
// as it is.
//
// Call [Store.Close] when you are done. Without it nothing is lost but the records of the
// last second, and when requests started: so the first request to each site waits for
// one gap.
func Open(path string, options Options) (*Store, error) {
	d, err := openDisk(path, options.Wait)
	if err != nil {
		return nil, explain(path, err)
	}
	s := newStore(d, options)
	if err := d.update(s.begin); err != nil {
		d.close()
		return nil, explain(path, err)
	}
	return s, nil
}

func newStore(d *disk, options Options) *Store {
	s := &Store{
		disk:   d,
		most:   options.MaxBytes,
		wall:   options.wall,
		clock:  clock.New(options.wall),
		born:   time.Now(),
		claims: claims{all: make(map[string]claim)},
		lanes:  lanes{all: make(map[string]*lane)},
		pauses: pauses{all: make(map[string]rest), watchers: make(map[*watcher]struct{})},
		closed: make(chan struct{}),
	}
	s.writer = newWriter(s.write)
	if s.most <= 0 {
		s.most = maxBytes
	}
	if s.wall == nil {
		s.wall = time.Now
	}
	return s
}

// begin reads what the process before has left, and marks the file as open.
func (s *Store) begin(tx *bbolt.Tx) error {
	st, err := prepare(tx)
	if err != nil {
		return err
	}
	now := s.clock.Wall(0) // all times since Open are from then on
	if st.open {
		st.floor = now
	}
	s.lanes.floor, s.lanes.clean = math.MinInt64/4, !st.open
	if !st.floor.IsZero() {
		s.lanes.floor = -max(now.Sub(st.floor), 0)
	}
	s.recall(tx, now)
	st.epoch++
	st.open = true
	s.epoch = st.epoch
	return st.put(tx)
}

// recall reads breaks. What is left of one is never more than its length.
func (s *Store) recall(tx *bbolt.Tx, now time.Time) {
	c := tx.Bucket(tablePauses).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if lane, p, ok := pauseOf(k, v); ok {
			p.length = min(p.length, longest)
			s.pauses.hold(lane, rest{pause: p, until: min(p.end().Sub(now), p.length), kept: true})
		}
	}
}

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

// write writes a batch, and deletes breaks that are over.
func (s *Store) write(b *batch) error {
	breaks, over := s.pauses.of(b.lanes), s.pauses.over(s.now(), sweepKeys+2*len(b.lanes))
	err := s.disk.update(func(tx *bbolt.Tx) error {
		st, err := stateOf(tx)
		if err != nil {
			return err
		}
		if err := putRecords(tx, &st, b.records, s.most, s.age); err != nil {
			return err
		}
		if err := errors.Join(dropPauses(tx, over), putPauses(tx, breaks)); err != nil {
			return err
		}
		return st.put(tx)
	})
	if err == nil {
		s.pauses.forget(over)
		s.pauses.keep(breaks)
	}
	return ofWrite(err)
}

// Close writes what is not written yet, and closes the file. It waits for the calls that
// are under way. The error of all calls after it is [os.ErrClosed]. If Close is called
// again, it returns the same error.
func (s *Store) Close() error {
	s.once.Do(func() {
		close(s.closed)
		s.err = s.writer.close()
		if err := s.disk.update(s.end); s.err == nil {
			s.err = ofWrite(err)
		}
		if err := s.disk.close(); s.err == nil {
			s.err = ofWrite(err)
		}
	})
	return s.err
}

// end writes what goes by the monotonic clock as it is by the time of day, and that the
// file was closed.
func (s *Store) end(tx *bbolt.Tx) error {
	st, err := stateOf(tx)
	if err != nil {
		return err
	}
	turns, clean := s.lanes.close()
	if err := s.dropStarts(tx, clean); err != nil {
		return err
	}
	now, wall := s.now(), s.wall()
	if err := putStarts(tx, startsOf(turns, wall, now)); err != nil {
		return err
	}
	if err := putPauses(tx, s.pauses.at(wall, now)); err != nil {
		return err
	}
	st.open = false
	return st.put(tx)
}

// startsOf returns the turns that may delay others.
func startsOf(turns map[string]turn, wall time.Time, now time.Duration) map[string]started {
	starts := make(map[string]started, len(turns))
	for name, t := range turns {
		if t.binds(now) {
			starts[name] = started{at: wall.Add(t.start - now), gap: t.gap, slack: t.slack}
		}
	}
	return starts
}

// dropStarts deletes the starts in the file that delay nobody any more. If the process
// before did not close the file, they are older than the floor.
func (s *Store) dropStarts(tx *bbolt.Tx, clean bool) error {
	table := tx.Bucket(tableStarts)
	var over [][]byte
	c := table.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if at, ok := startedOf(k, v); !ok || !clean || !s.turnOf(at).binds(s.now()) {
			over = append(over, bytes.Clone(k))
		}
	}
	for _, k := range over {
		if err := table.Delete(k); err != nil {
			return err
		}
	}
	return nil
}

// turnOf returns a start of the process before. It was before Open, whatever the time of
// day says.
func (s *Store) turnOf(at started) turn {
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
