package boltstore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// The tables of the file.
var (
	tableAbout   = []byte("about")
	tableRecords = []byte("records")
	tablePauses  = []byte("breaks")
	tableStarts  = []byte("starts")
)

// What the table about says.
var (
	aboutFormat = []byte("format") // of the file
	aboutEpoch  = []byte("epoch")  // how often it was opened
	aboutOpen   = []byte("open")   // it was not closed yet
	aboutFloor  = []byte("floor")  // when it was opened last after it had not been closed
	aboutBytes  = []byte("bytes")  // of all records
	aboutSweep  = []byte("sweep")  // the key that was looked at last
)

const format = 1

func number(tx *bbolt.Tx, name []byte) uint64 {
	v, _ := binary.Uvarint(tx.Bucket(tableAbout).Get(name))
	return v
}

func setNumber(tx *bbolt.Tx, name []byte, v uint64) error {
	return tx.Bucket(tableAbout).Put(name, binary.AppendUvarint(nil, v))
}

// formatOf returns the format of the file: 0 if it is new.
func formatOf(tx *bbolt.Tx) (uint64, error) {
	if tx.Bucket(tableAbout) == nil {
		if k, _ := tx.Cursor().First(); k != nil {
			return 0, ErrDamaged // of another program
		}
		return 0, nil
	}
	v := number(tx, aboutFormat)
	if v > format {
		return 0, fmt.Errorf("its format is %d: %w", v, errLater)
	}
	if v == 0 {
		return 0, ErrDamaged
	}
	return v, nil
}

// createTables makes what a new file lacks.
func createTables(tx *bbolt.Tx) error {
	for _, name := range [][]byte{tableAbout, tableRecords, tablePauses, tableStarts} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	return setNumber(tx, aboutFormat, format)
}

// dropTables forgets all.
func dropTables(tx *bbolt.Tx) error {
	for _, name := range [][]byte{tableRecords, tablePauses, tableStarts} {
		if err := tx.DeleteBucket(name); err != nil {
			return err
		}
	}
	if err := setNumber(tx, aboutBytes, 0); err != nil {
		return err
	}
	return createTables(tx)
}

// A shelf is the table of records in a transaction, and how many bytes they take.
type shelf struct {
	table *bbolt.Bucket
	bytes int64
	age   func(stamp) time.Duration
}

func openShelf(tx *bbolt.Tx, age func(stamp) time.Duration) *shelf {
	table := tx.Bucket(tableRecords)
	table.FillPercent = fill
	return &shelf{table: table, bytes: int64(number(tx, aboutBytes)), age: age}
}

const (
	fill     = 0.9
	overhead = 16 // of a value in a page
)

// sizeOf is what a record takes in the file, with the space that stays free in its page.
func sizeOf(key, value []byte) int64 {
	return int64(len(key)+len(value)+overhead) * 3 / 2
}

func (s *shelf) put(key, value []byte) error {
	if old := s.table.Get(key); old != nil {
		s.bytes -= sizeOf(key, old)
	}
	s.bytes += sizeOf(key, value)
	return s.table.Put(key, value)
}

func (s *shelf) remove(key []byte, size int64) error {
	s.bytes -= size
	return s.table.Delete(key)
}

// A sight is what a sweep sees of a record.
type sight struct {
	key  []byte
	size int64
	age  time.Duration
	over bool // past its use
}

// look sees up to n records after a key, and then the first ones.
func (s *shelf) look(after []byte, n int) []sight {
	var seen []sight
	c := s.table.Cursor()
	k, v := c.Seek(after)
	if k != nil && bytes.Equal(k, after) {
		k, v = c.Next()
	}
	for range n {
		if k == nil {
			if k, v = c.First(); k == nil {
				break
			}
		}
		if len(seen) > 0 && bytes.Equal(k, seen[0].key) {
			break
		}
		seen = append(seen, s.see(k, v))
		k, v = c.Next()
	}
	return seen
}

func (s *shelf) see(key, value []byte) sight {
	seen := sight{key: bytes.Clone(key), size: sizeOf(key, value)}
	_, e, ok := entryOf(key, value)
	if !ok {
		seen.over = true
		return seen
	}
	seen.age = s.age(e.put)
	seen.over = seen.age > e.keep
	if seen.age < 0 { // due at once: as good as old
		seen.age = 1<<63 - 1
	}
	return seen
}

// sweep looks at n records after a key. It removes those that are past their use and,
// if all take more than most, the oldest quarter of the others. It returns the last key.
func (s *shelf) sweep(after []byte, n int, most int64) ([]byte, error) {
	seen := s.look(after, n)
	if len(seen) == 0 {
		return nil, nil
	}
	last := seen[len(seen)-1].key
	slices.SortFunc(seen, func(a, b sight) int {
		if a.over != b.over {
			if a.over {
				return -1
			}
			return 1
		}
		return -compareDurations(a.age, b.age)
	})
	more := (len(seen) + 3) / 4
	for _, r := range seen {
		if !r.over {
			if s.bytes <= most || more == 0 {
				break
			}
			more--
		}
		if err := s.remove(r.key, r.size); err != nil {
			return nil, err
		}
	}
	return last, nil
}

func compareDurations(a, b time.Duration) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

const (
	sweepKeys   = 64 // looked at in one go
	sweepRounds = 16 // at most, for a batch that is small
)

// putRecords writes records in the order of their keys, which keeps pages full, and
// removes others, so that all take at most most bytes in the end.
func putRecords(tx *bbolt.Tx, records map[string][]byte, most int64, age func(stamp) time.Duration) error {
	s := openShelf(tx, age)
	for _, key := range slices.Sorted(maps.Keys(records)) {
		if err := s.put([]byte(key), records[key]); err != nil {
			return err
		}
	}
	after := bytes.Clone(tx.Bucket(tableAbout).Get(aboutSweep))
	rounds := 1 + 2*len(records)/sweepKeys
	for i := 0; i < rounds || s.bytes > most && i < sweepRounds*rounds; i++ {
		last, err := s.sweep(after, sweepKeys, most)
		if err != nil {
			return err
		}
		if after = last; after == nil {
			break
		}
	}
	if err := tx.Bucket(tableAbout).Put(aboutSweep, after); err != nil {
		return err
	}
	return setNumber(tx, aboutBytes, uint64(max(s.bytes, 0)))
}

// putPauses writes breaks.
func putPauses(tx *bbolt.Tx, breaks map[string]rest) error {
	table := tx.Bucket(tablePauses)
	for _, lane := range slices.Sorted(maps.Keys(breaks)) {
		key := keyOf(lane)
		if err := table.Put(key, breaks[lane].seal(key, lane)); err != nil {
			return err
		}
	}
	return nil
}

// dropPauses deletes breaks.
func dropPauses(tx *bbolt.Tx, lanes []string) error {
	table := tx.Bucket(tablePauses)
	for _, lane := range lanes {
		if err := table.Delete(keyOf(lane)); err != nil {
			return err
		}
	}
	return nil
}
