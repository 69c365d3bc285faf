package boltstore

import (
	"bytes"
	"context"
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
		s.finish(errClosed)
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

// InFile counts the entries in the file, also those past their use.
func (s *Store) InFile() int {
	n, _ := view(s.disk, func(tx *bbolt.Tx) (int, error) { return tx.Bucket(tableEntries).Stats().KeyN, nil })
	return n
}

// Bytes returns what the entries take in the file as the file says, and as it is.
func (s *Store) Bytes() (said, used int64) {
	both, _ := view(s.disk, func(tx *bbolt.Tx) ([2]int64, error) {
		st, err := stateOf(tx)
		stats := tx.Bucket(tableEntries).Stats()
		return [2]int64{st.bytes, int64(stats.LeafAlloc + stats.BranchAlloc)}, err
	})
	return both[0], both[1]
}

// Damage changes what the file has of a name: by change, or, if that is nil, by what it
// has of another.
func (s *Store) Damage(name, other string, change func([]byte) []byte) {
	s.disk.update(func(tx *bbolt.Tx) error {
		for _, table := range [][]byte{tableEntries, tableBreaks, tableStarts} {
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

// Lanes returns how many lanes are in memory.
func (s *Store) Lanes() int {
	lanes, _, _ := s.turns.Count()
	return lanes
}

// Breaks returns how many breaks are in memory, and in the file.
func (s *Store) Breaks() []int {
	_, breaks, _ := s.turns.Count()
	kept, _ := view(s.disk, func(tx *bbolt.Tx) (int, error) { return tx.Bucket(tableBreaks).Stats().KeyN, nil })
	return []int{breaks, kept}
}

// FailWrites makes all writes fail, or none.
func (s *Store) FailWrites(err error) {
	s.disk.write.Lock()
	defer s.disk.write.Unlock()
	s.disk.broken = err
}

// Stall makes writes wait.
func (s *Store) Stall() (release func()) {
	gate, write := make(chan struct{}), s.writer.write
	s.writer.write = func(b *batch) error {
		<-gate
		return write(b)
	}
	return func() { close(gate) }
}

// Claims returns how many claims are in memory.
func (s *Store) Claims() int {
	s.claiming.Lock()
	defer s.claiming.Unlock()
	return len(s.claims)
}

// Watchers returns how many Watch calls are under way.
func (s *Store) Watchers() int {
	_, _, watches := s.turns.Count()
	return watches
}

// CloseLanes is a part of Close.
func (s *Store) CloseLanes() { s.turns.Close() }

// Has tells whether there is an entry of key.
func (s *Store) Has(key string) bool {
	c, err := s.Claim(context.Background(), key, "", 0)
	return err == nil && c.Entry != nil
}

// Starts returns how many starts are in the file.
func (s *Store) Starts() int {
	n, _ := view(s.disk, func(tx *bbolt.Tx) (int, error) { return tx.Bucket(tableStarts).Stats().KeyN, nil })
	return n
}
