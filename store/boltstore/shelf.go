package boltstore

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// A shelf is the table of entries in a transaction.
type shelf struct {
	table *bbolt.Bucket
	bytes int64 // that all entries take
	most  int64 // that they may take
	age   func(stamp) time.Duration
}

// sizeOf returns about what an entry takes in the file, with the space in its page that
// stays free. Where keys come in random order and old ones go, pages are somewhat more
// than half full. A large entry has pages of its own, and wastes less.
func sizeOf(key, value []byte) int64 {
	n := int64(len(key) + len(value) + elemSize)
	return n + min(n, pageSize/4)*3/4
}

// put replaces an entry. One that takes more than all may is not kept.
func (s *shelf) put(key, value []byte) error {
	if old := s.table.Get(key); old != nil {
		s.bytes -= sizeOf(key, old)
	}
	size := sizeOf(key, value)
	if size > s.most {
		return s.table.Delete(key)
	}
	s.bytes += size
	return s.table.Put(key, value)
}

// A sight is what a sweep sees of an entry.
type sight struct {
	key  []byte
	size int64
	age  time.Duration
	over bool // past its use
}

// sweep looks at n entries after a key. It removes those that are past their use and,
// if all take too much, the oldest quarter of the others. It returns the last key, or
// nil: then the next sweep begins anew.
func (s *shelf) sweep(after []byte, n int) (last []byte, err error) {
	var seen []sight
	for k, v := range all(s.table, after) {
		if len(seen) == n {
			break
		}
		_, e, ok := readEntry(k, v)
		last = bytes.Clone(k)
		r := sight{key: last, size: sizeOf(k, v), age: s.age(e.put)}
		r.over = !ok || r.age > e.keep
		if r.age < 0 { // of the future: it is asked for anew, so it is the least loss
			r.age = math.MaxInt64
		}
		seen = append(seen, r)
	}
	slices.SortFunc(seen, func(a, b sight) int { return cmp.Compare(b.age, a.age) })
	quarter := (len(seen) + 3) / 4
	for i, r := range seen {
		if r.over || i < quarter && s.bytes > s.most {
			s.bytes -= r.size
			err = cmp.Or(err, s.table.Delete(r.key))
		}
	}
	return last, err
}

const (
	sweepKeys   = 64 // looked at in one go
	sweepRounds = 16 // of a batch, for each that it needs itself
)

// putEntries writes entries, in the order of their keys, and sweeps: twice as many as it
// writes, and more while all take too much.
func putEntries(tx *bbolt.Tx, st *state, entries map[string][]byte, most int64, age func(stamp) time.Duration) error {
	s := &shelf{table: tx.Bucket(tableEntries), bytes: st.bytes, most: most, age: age}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		if err := s.put([]byte(key), entries[key]); err != nil {
			return err
		}
	}
	rounds := 1 + 2*len(entries)/sweepKeys
	for i := 0; i < rounds || s.bytes > most && i < sweepRounds*rounds; i++ {
		last, err := s.sweep(st.swept, sweepKeys)
		if err != nil {
			return err
		}
		st.swept = last
	}
	st.bytes = max(s.bytes, 0)
	return nil
}
