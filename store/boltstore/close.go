package boltstore

import (
	"bytes"
	"time"

	"go.etcd.io/bbolt"
)

// Close writes what is not written yet, and closes the file. It waits for the calls that
// are under way, and each Watch returns. If something could not be written, Close returns
// the error, and the file is closed nevertheless. If Close is called again, it returns
// the same error. All other calls after it fail with [os.ErrClosed].
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
	if err := putBreaks(tx, s.breaks.at(wall, now)); err != nil {
		return err
	}
	st.open = false
	return st.put(tx)
}

// startsOf returns the turns that may delay others.
func startsOf(turns map[string]turn, wall time.Time, now time.Duration) map[string]begun {
	starts := make(map[string]begun, len(turns))
	for name, t := range turns {
		if t.binds(now) {
			starts[name] = begun{at: wall.Add(t.start - now), gap: t.gap, slack: t.slack}
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
		if at, ok := begunOf(k, v); !ok || !clean || !s.turnOf(at).binds(s.now()) {
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
