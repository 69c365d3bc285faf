package boltstore

import "go.etcd.io/bbolt"

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
