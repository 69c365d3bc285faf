package boltstore

import (
	"bytes"
	"context"
	"maps"
	"math"
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
	opened := s.opened()
	s.clean.Store(!st.open)
	if st.open {
		st.floor = opened.wall
	}
	if !st.floor.IsZero() {
		s.turns.Floor(opened.before(st.floor))
	}
	s.recall(tx, opened)
	st.epoch++
	st.open = true
	s.epoch = st.epoch
	return st.put(tx)
}

// recall reads breaks, in the order in which they began.
func (s *Store) recall(tx *bbolt.Tx, opened moment) {
	breaks := make(map[string]memory.Break)
	for k, v := range all(tx.Bucket(tableBreaks), nil) {
		if lane, b, ok := opened.readBreak(k, v); ok && b.Until.After(s.born) {
			breaks[lane] = b
		}
	}
	for _, lane := range slices.SortedFunc(maps.Keys(breaks), func(a, b string) int { return breaks[a].Since.Compare(breaks[b].Since) }) {
		s.turns.Break(lane, breaks[lane])
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
		if err := putAll(tx.Bucket(tableBreaks), breaks, s.now().fieldsOfBreak); err != nil {
			return err
		}
		return st.put(tx)
	}))
}

// Close writes the last entries, breaks and starts, and closes the file. It waits for the
// calls that are under way, and each Watch returns. If something could not be written,
// Close returns the error, and the file is closed nevertheless. If Close is called again,
// it returns the same error. All other calls after it fail with [os.ErrClosed] and
// [store.ErrClosed].
func (s *Store) Close() error {
	s.once.Do(func() {
		s.finish(errClosed)
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

// end writes starts and breaks by the time of day, and that the file was closed.
func (s *Store) end(tx *bbolt.Tx) error {
	st, err := stateOf(tx)
	if err != nil {
		return err
	}
	starts, breaks, floor := s.turns.Close()
	if floor.After(s.born) { // some starts were forgotten
		st.floor = s.wall().Add(time.Until(floor))
	}
	switch whole, err := s.dropStarts(tx); {
	case err != nil:
		return err
	case !whole:
		st.floor = clock.Later(st.floor, s.wall().Add(time.Until(s.born)))
	}
	now := s.now()
	maps.DeleteFunc(starts, func(_ string, start memory.Start) bool { return !start.Binds(now.here) }) // it delays nobody
	if err := putAll(tx.Bucket(tableStarts), starts, now.fieldsOfStart); err != nil {
		return err
	}
	maps.DeleteFunc(breaks, func(_ string, b memory.Break) bool { return !b.Until.After(now.here) })
	kept := func(lane string) bool { _, ok := breaks[lane]; return ok }
	if _, err := sweepBreaks(tx, nil, math.MaxInt, kept); err != nil {
		return err
	}
	if err := putAll(tx.Bucket(tableBreaks), breaks, now.fieldsOfBreak); err != nil {
		return err
	}
	st.open = false
	return st.put(tx)
}

// dropStarts deletes the starts in the file that delay nobody any more. If the process
// before did not close the file, they are older than the floor. If there are too many that
// delay others, it deletes some, and returns false.
func (s *Store) dropStarts(tx *bbolt.Tx) (whole bool, err error) {
	table, opened, now := tx.Bucket(tableStarts), s.opened(), time.Now()
	var over [][]byte
	left, whole := s.mostTurns, true
	for k, v := range all(table, nil) {
		start, ok := opened.readStart(k, v)
		if binds := ok && s.clean.Load() && start.Binds(now); binds && left > 0 {
			left -= sizeOf(k, v)
		} else {
			over = append(over, bytes.Clone(k))
			whole = whole && !binds
		}
	}
	return whole, deleteAll(table, over)
}
