package boltstore

import (
	"bytes"
	"time"

	"go.etcd.io/bbolt"
)

// At returns options with a time of day of the test's own.
func (o Options) At(wall func() time.Time) Options {
	o.wall = wall
	return o
}

// Abandon does what the end of a process does to a Store.
func (s *Store) Abandon() error {
	s.once.Do(func() {
		close(s.closed)
		s.writer.mu.Lock()
		defer s.writer.mu.Unlock()
		s.writer.closed = true
		if s.writer.timer != nil {
			s.writer.timer.Stop()
		}
		s.err = s.disk.close()
	})
	return s.err
}

// InFile counts the records in the file, also those past their use.
func (s *Store) InFile() (n int) {
	s.disk.view(func(tx *bbolt.Tx) error {
		n = tx.Bucket(tableRecords).Stats().KeyN
		return nil
	})
	return n
}

// Bytes returns what the records take in the file as the file says, and as it is.
func (s *Store) Bytes() (said, used int64) {
	s.disk.view(func(tx *bbolt.Tx) error {
		st, _ := stateOf(tx)
		stats := tx.Bucket(tableRecords).Stats()
		said = st.bytes
		used = int64(stats.LeafAlloc + stats.BranchAlloc)
		return nil
	})
	return said, used
}

// Damage changes what the file has of a name: by change, or, if that is nil, by what it
// has of another.
func (s *Store) Damage(name, other string, change func([]byte) []byte) {
	s.disk.update(func(tx *bbolt.Tx) error {
		for _, table := range [][]byte{tableRecords, tablePauses, tableStarts} {
			table := tx.Bucket(table)
			value := bytes.Clone(table.Get(keyOf(name)))
			switch {
			case value == nil:
				continue
			case change == nil:
				value = bytes.Clone(table.Get(keyOf(other)))
			default:
				value = change(value)
			}
			if err := table.Put(keyOf(name), value); err != nil {
				return err
			}
		}
		return nil
	})
}
