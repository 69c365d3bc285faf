package boltstore

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/store/internal/memory"
	"go.etcd.io/bbolt"
)

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
	switch all, err := s.dropStarts(tx); {
	case err != nil:
		return err
	case !all:
		st.floor = clock.Later(st.floor, s.wall().Add(time.Until(s.born)))
	}
	if err := putAll(tx.Bucket(tableStarts), s.storedStarts(starts)); err != nil {
		return err
	}
	maps.DeleteFunc(breaks, func(_ string, b memory.Break) bool { return time.Until(b.Until) <= 0 })
	kept := func(lane string) bool { _, ok := breaks[lane]; return ok }
	if _, err := sweepBreaks(tx, nil, math.MaxInt, kept); err != nil {
		return err
	}
	if err := putAll(tx.Bucket(tableBreaks), s.storedBreaks(breaks)); err != nil {
		return err
	}
	st.open = false
	return st.put(tx)
}

// storedStarts returns the starts that may delay others, as the file keeps them.
func (s *Store) storedStarts(starts map[string]memory.Start) map[string]storedStart {
	kept, now, wall := make(map[string]storedStart, len(starts)), time.Now(), s.wall()
	for lane, start := range starts {
		if start.Binds(now) {
			kept[lane] = storedStart{at: wall.Add(start.At.Sub(now)), gap: start.Gap, slack: start.Slack}
		}
	}
	return kept
}

// storedBreaks returns breaks as the file keeps them: by the time of day, which may have been
// set since they began.
func (s *Store) storedBreaks(breaks map[string]memory.Break) map[string]storedBreak {
	kept, now, wall := make(map[string]storedBreak, len(breaks)), time.Now(), s.wall()
	for lane, b := range breaks {
		kept[lane] = storedBreak{began: wall.Add(b.Until.Sub(now) - b.Length), length: b.Length, since: wall.Add(b.Since.Sub(now))}
	}
	return kept
}

// dropStarts deletes the starts in the file that delay nobody any more. If the process
// before did not close the file, they are older than the floor. If there are too many that
// delay others, it deletes some, and returns false.
func (s *Store) dropStarts(tx *bbolt.Tx) (all bool, err error) {
	table, clean, now := tx.Bucket(tableStarts), s.clean.Load(), time.Now()
	var over [][]byte
	left, all := s.mostTurns, true
	c := table.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		at, ok := readStart(k, v)
		if binds := ok && clean && s.startOf(at).Binds(now); binds && left > 0 {
			left -= sizeOf(k, v)
		} else {
			over = append(over, bytes.Clone(k))
			all = all && !binds
		}
	}
	for _, k := range over {
		err = cmp.Or(err, table.Delete(k))
	}
	return all, err
}
