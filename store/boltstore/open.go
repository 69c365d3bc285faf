package boltstore

import (
	"context"
	"slices"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/store/internal/memory"
	"go.etcd.io/bbolt"
)

// Options say how to open a file. The zero value is good for most.
type Options struct {
	// Wait is how long Open waits for another process that has the file open. If zero,
	// Open does not wait.
	Wait time.Duration

	// MaxBytes is about how many bytes of the file may be in use. If entries take more, old ones are
	// deleted, some with each write. Breaks and starts take up to a quarter of MaxBytes, and up to 16 MB,
	// in memory and in the file. If they take more, the Store deletes those of the domains that have the
	// most, the newest first. The file may be larger by a half, or by 1 MB. If zero, MaxBytes is 4 GiB.
	MaxBytes int64

	wall func() time.Time // the time of day; nil: time.Now
}

const (
	maxBytes   = 4 << 30
	mostTurns  = 16 << 20  // bytes of breaks and starts
	leastTurns = 128 << 10 // for which there is room in any case
)

// Open opens the file at path, or creates it. It does not create folders. Only one Store
// can have a file open: if there is another, the error is [ErrLocked]. If the file is
// damaged, or if it is of another program, the error is [ErrDamaged], and the file stays
// as it is.
//
// Call [Store.Close] when you are done. If you do not, the entries of the last second and the times of
// starts are lost: after the next Open, the first start of each lane waits for one gap.
func Open(path string, options Options) (*Store, error) {
	if options.MaxBytes <= 0 {
		options.MaxBytes = maxBytes
	}
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
	turns := max(min(options.MaxBytes/4, mostTurns), leastTurns)
	s := &Store{
		disk:      d,
		most:      options.MaxBytes,
		mostTurns: turns,
		wall:      options.wall,
		clock:     clock.New(options.wall),
		born:      time.Now(),
		claims:    make(memory.Claims),
	}
	s.open, s.finish = context.WithCancelCause(context.Background())
	s.writer = newWriter(s.write)
	s.writer.kept = s.turns.Kept
	s.writer.limit(options.MaxBytes)
	s.turns.Bound(turns)
	d.db.AllocSize = int(min(max(options.MaxBytes/32, 64<<10), 16<<20)) // by which the file grows
	if s.wall == nil {
		s.wall = time.Now
	}
	return s
}

// begin reads the state and the breaks of the process before, and marks the file as open.
func (s *Store) begin(tx *bbolt.Tx) error {
	st, err := prepare(tx)
	if err != nil {
		return err
	}
	now := s.clock.Wall(0)
	s.clean.Store(!st.open)
	if st.open {
		st.floor = now
	}
	if !st.floor.IsZero() {
		s.turns.Floor(s.startOf(storedStart{at: st.floor}).At)
	}
	s.recall(tx, now)
	st.epoch++
	st.open = true
	s.epoch = st.epoch
	return st.put(tx)
}

// recall reads breaks, in the order in which they began. What is left of one is never more
// than its length.
func (s *Store) recall(tx *bbolt.Tx, now time.Time) {
	type found struct {
		lane string
		storedBreak
	}
	var all []found
	c := tx.Bucket(tableBreaks).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if lane, b, ok := readBreak(k, v); ok && b.left(now) > 0 {
			all = append(all, found{lane, b})
		}
	}
	slices.SortFunc(all, func(a, b found) int { return a.since.Compare(b.since) })
	for _, b := range all {
		b.length = clamp(b.length)
		s.turns.Break(b.lane, memory.Break{Until: s.born.Add(b.left(now)), Length: b.length, Since: s.born.Add(b.since.Sub(now))})
	}
}

// write writes a batch, and deletes breaks that are not kept any more.
func (s *Store) write(b *batch) error {
	breaks := make(map[string]memory.Break, len(b.lanes))
	for lane := range b.lanes {
		if found, ok := s.turns.BreakOf(lane); ok {
			breaks[lane] = found
		}
	}
	looks := sweepKeys + 2*len(b.lanes)
	s.turns.DropOver(looks)
	return ofWrite(s.disk.update(func(tx *bbolt.Tx) error {
		st, err := stateOf(tx)
		if err != nil {
			return err
		}
		if err := putEntries(tx, &st, b.entries, max(s.most-s.turns.Bytes(), s.most/2), s.age); err != nil {
			return err
		}
		if s.swept, err = sweepBreaks(tx, s.swept, looks, s.turns.Kept); err != nil {
			return err
		}
		if err := putAll(tx.Bucket(tableBreaks), s.storedBreaks(breaks)); err != nil {
			return err
		}
		return st.put(tx)
	}))
}
