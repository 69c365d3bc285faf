package boltstore

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/go-polite/polite/store/internal/memory"
	"go.etcd.io/bbolt"
)

// A value in the file is a checksum and then fields. The checksum is of the key and the
// fields: a value that was cut, changed or moved to another key counts as none.

const longestKey = 500 // bbolt takes 32 KB, and is slow with keys that fill pages

// keyOf returns the key in the file for any text. A long one is known by its hash.
func keyOf(text string) []byte {
	if len(text) <= longestKey {
		return append([]byte{'='}, text...)
	}
	sum := sha256.Sum256([]byte(text))
	return append([]byte{'#'}, sum[:]...)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal puts the checksum and, if key is a hash, its text in front of fields.
func seal(key []byte, text string, fields []byte) []byte {
	value := make([]byte, 4, 4+binary.MaxVarintLen64+len(fields))
	if key[0] == '#' {
		value = binary.AppendUvarint(value, uint64(len(text)))
		value = append(value, text...)
	}
	value = append(value, fields...)
	binary.LittleEndian.PutUint32(value, sumOf(key, value[4:]))
	return value
}

func sumOf(key, rest []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, rest)
}

// unseal returns the text of a key, and the fields of its value. The reader is bad if it has none.
func unseal(key, value []byte) (text string, r reader) {
	if len(key) == 0 || len(value) < 4 || binary.LittleEndian.Uint32(value) != sumOf(key, value[4:]) {
		return "", reader{bad: true}
	}
	r = reader{rest: value[4:]}
	if key[0] == '#' {
		text = string(r.take(int(min(r.number(), uint64(len(value))))))
	} else {
		text = string(key[1:])
	}
	return text, r
}

// A reader reads fields.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.rest, r.bad = nil, true
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.rest)
	r.take(max(n, 0))
	r.bad = r.bad || n <= 0
	return v
}

func (r *reader) duration() time.Duration { return time.Duration(min(r.number(), 1<<63-1)) }

func (r *reader) time() time.Time {
	if b := r.take(8); b != nil {
		return time.UnixMicro(int64(binary.LittleEndian.Uint64(b)))
	}
	return time.Time{}
}

func appendTime(b []byte, t time.Time) []byte {
	return binary.LittleEndian.AppendUint64(b, uint64(t.UnixMicro()))
}

func appendDuration(b []byte, d time.Duration) []byte {
	return binary.AppendUvarint(b, uint64(max(d, 0)))
}

// A stamp is when something was put: by the clock of the process that did, and by the
// time of day for all others.
type stamp struct {
	epoch  uint64        // of the process
	passed time.Duration // by its clock
	wall   time.Time
}

func (s stamp) append(b []byte) []byte {
	b = binary.AppendUvarint(b, s.epoch)
	b = appendDuration(b, s.passed)
	return appendTime(b, s.wall)
}

func (r *reader) stamp() stamp {
	return stamp{epoch: r.number(), passed: r.duration(), wall: r.time()}
}

// A storedEntry is an entry as the file keeps it.
type storedEntry struct {
	put   stamp
	keep  time.Duration
	token string // tokenBytes long
	bytes []byte
}

const tokenBytes = 26 // of rand.Text

func (e storedEntry) seal(key []byte, text string) []byte {
	fields := make([]byte, 0, 64+len(e.bytes))
	fields = e.put.append(fields)
	fields = appendDuration(fields, e.keep)
	fields = append(fields, e.token...)
	return seal(key, text, append(fields, e.bytes...))
}

func readEntry(key, value []byte) (text string, e storedEntry, ok bool) {
	text, r := unseal(key, value)
	e = storedEntry{put: r.stamp(), keep: r.duration(), token: string(r.take(tokenBytes))}
	e.bytes = r.rest
	return text, e, !r.bad
}

// A moment is one by the time of day, as the file keeps times, and by the clock of this process.
type moment struct{ wall, here time.Time }

func (m moment) toWall(t time.Time) time.Time { return m.wall.Add(t.Sub(m.here)) }

// fieldsOfBreak returns when a break began, how long it lasts, and when the first of the breaks began that follow
// each other.
func (m moment) fieldsOfBreak(b memory.Break) []byte {
	began := m.toWall(b.Until).Add(-b.Length)
	return appendTime(appendDuration(appendTime(nil, began), b.Length), m.toWall(b.Since))
}

// readBreak returns a break. What is left of it is never more than its length.
func (m moment) readBreak(key, value []byte) (lane string, b memory.Break, ok bool) {
	lane, r := unseal(key, value)
	began, length := r.time(), r.duration()
	since := began
	if len(r.rest) > 0 { // an earlier version has not written it
		since = r.time()
	}
	left := min(began.Add(length).Sub(m.wall), length)
	return lane, memory.Break{Until: m.here.Add(left), Length: clamp(length), Since: m.here.Add(since.Sub(m.wall))}, !r.bad
}

func (m moment) fieldsOfStart(s memory.Start) []byte {
	return appendDuration(appendDuration(appendTime(nil, m.toWall(s.At)), s.Gap), s.Slack)
}

// readStart returns the newest start of a lane. It was before the moment, whatever the time of day says.
func (m moment) readStart(key, value []byte) (memory.Start, bool) {
	_, r := unseal(key, value)
	s := memory.Start{At: m.before(r.time()), Gap: clampGap(r.duration()), Slack: clamp(r.duration())}
	return s, !r.bad
}

// before returns a time of day by the clock of this process, but none after the moment.
func (m moment) before(wall time.Time) time.Time { return m.here.Add(min(wall.Sub(m.wall), 0)) }

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
	_, r := unseal(aboutState, tx.Bucket(tableAbout).Get(aboutState))
	st = state{epoch: r.number(), open: r.number() != 0, floor: r.time(), bytes: int64(r.duration())}
	st.swept = bytes.Clone(r.rest)
	if r.bad {
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
