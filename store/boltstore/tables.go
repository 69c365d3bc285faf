package boltstore

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// The tables of the file.
var (
	tableAbout   = []byte("about")
	tableEntries = []byte("entries")
	tableBreaks  = []byte("breaks")
	tableStarts  = []byte("starts")
)

// The keys of the table about.
var (
	aboutFormat = []byte("format")
	aboutState  = []byte("state")
)

// format is of the tables and their values. A later one may change all but where it is.
const format = 1

// A state is what the file says about itself.
type state struct {
	epoch uint64    // how often it was opened
	open  bool      // it was not closed yet
	floor time.Time // when it was opened last after it had not been closed
	bytes int64     // of all entries
	swept []byte    // the key that was looked at last
}

func stateOf(tx *bbolt.Tx) (st state, err error) {
	_, r, ok := unseal(aboutState, tx.Bucket(tableAbout).Get(aboutState))
	st = state{epoch: r.number(), open: r.number() != 0, floor: r.time(), bytes: int64(r.duration())}
	st.swept = bytes.Clone(r.rest)
	if !ok || r.bad {
		return state{}, fmt.Errorf("%w: what it says about itself", ErrDamaged)
	}
	return st, nil
}

func (st state) put(tx *bbolt.Tx) error {
	var open uint64
	if st.open {
		open = 1
	}
	fields := binary.AppendUvarint(binary.AppendUvarint(nil, st.epoch), open)
	fields = appendDuration(appendTime(fields, st.floor), time.Duration(st.bytes))
	return tx.Bucket(tableAbout).Put(aboutState, seal(aboutState, "", append(fields, st.swept...)))
}

// prepare returns the state of the file. If the file is new, it makes the tables.
func prepare(tx *bbolt.Tx) (state, error) {
	if name, _ := tx.Cursor().First(); name == nil {
		if err := createTables(tx); err != nil {
			return state{}, err
		}
		return state{}, tx.Bucket(tableAbout).Put(aboutFormat, []byte{format})
	}
	about := tx.Bucket(tableAbout)
	if about == nil || len(about.Get(aboutFormat)) == 0 {
		return state{}, fmt.Errorf("%w: another program wrote it", ErrDamaged)
	}
	if found := about.Get(aboutFormat); found[0] > format {
		return state{}, fmt.Errorf("its format is %d: %w", found[0], errLater)
	}
	return stateOf(tx)
}

func createTables(tx *bbolt.Tx) error {
	for _, name := range [][]byte{tableAbout, tableEntries, tableBreaks, tableStarts} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	return nil
}

// dropTables empties all tables but the one about the file.
func dropTables(tx *bbolt.Tx) error {
	for _, name := range [][]byte{tableEntries, tableBreaks, tableStarts} {
		if err := tx.DeleteBucket(name); err != nil {
			return err
		}
	}
	return createTables(tx)
}

// putAll writes values by their names. In the order of the keys that is much faster.
func putAll[V any](table *bbolt.Bucket, values map[string]V, fields func(V) []byte) error {
	keys := make(map[string]string, len(values))
	for name := range values {
		keys[string(keyOf(name))] = name
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		name := keys[key]
		if err := table.Put([]byte(key), seal([]byte(key), name, fields(values[name]))); err != nil {
			return err
		}
	}
	return nil
}

// all yields what a table has after a key.
func all(table *bbolt.Bucket, after []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		c := table.Cursor()
		for k, v := c.Seek(append(after, 0)); k != nil && yield(k, v); k, v = c.Next() {
		}
	}
}

// deleteAll deletes keys of a table.
func deleteAll(table *bbolt.Bucket, keys [][]byte) (err error) {
	for _, k := range keys {
		err = cmp.Or(err, table.Delete(k))
	}
	return err
}

// sweepBreaks looks at n breaks after a key, and deletes the breaks of lanes that are not kept any
// more. It returns the last key, or nil: then the next sweep begins anew.
func sweepBreaks(tx *bbolt.Tx, after []byte, n int, kept func(lane string) bool) (last []byte, err error) {
	table := tx.Bucket(tableBreaks)
	var over [][]byte
	for k, v := range all(table, after) {
		if n--; n < 0 {
			return last, deleteAll(table, over)
		}
		last = bytes.Clone(k)
		if lane, _, ok := (moment{}).readBreak(k, v); !ok || !kept(lane) {
			over = append(over, last)
		}
	}
	return nil, deleteAll(table, over)
}
