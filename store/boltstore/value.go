package boltstore

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"time"

	"github.com/go-polite/polite/store/internal/memory"
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

// unseal returns the text of a key, and the fields of its value.
func unseal(key, value []byte) (text string, r reader, ok bool) {
	if len(key) == 0 || len(value) < 4 || binary.LittleEndian.Uint32(value) != sumOf(key, value[4:]) {
		return "", reader{}, false
	}
	r = reader{rest: value[4:]}
	if key[0] == '#' {
		text = string(r.take(int(min(r.number(), uint64(len(value))))))
	} else {
		text = string(key[1:])
	}
	return text, r, !r.bad
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
	text, r, ok := unseal(key, value)
	e = storedEntry{put: r.stamp(), keep: r.duration(), token: string(r.take(tokenBytes))}
	e.bytes = r.rest
	return text, e, ok && !r.bad
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
	lane, r, ok := unseal(key, value)
	began, length := r.time(), r.duration()
	since := began
	if len(r.rest) > 0 { // an earlier version has not written it
		since = r.time()
	}
	left := min(began.Add(length).Sub(m.wall), length)
	return lane, memory.Break{Until: m.here.Add(left), Length: clamp(length), Since: m.here.Add(since.Sub(m.wall))}, ok && !r.bad
}

func (m moment) fieldsOfStart(s memory.Start) []byte {
	return appendDuration(appendDuration(appendTime(nil, m.toWall(s.At)), s.Gap), s.Slack)
}

// readStart returns the newest start of a lane. It was before the moment, whatever the time of day says.
func (m moment) readStart(key, value []byte) (memory.Start, bool) {
	_, r, ok := unseal(key, value)
	s := memory.Start{At: m.before(r.time()), Gap: clampGap(r.duration()), Slack: clamp(r.duration())}
	return s, ok && !r.bad
}

// before returns a time of day by the clock of this process, but none after the moment.
func (m moment) before(wall time.Time) time.Time { return m.here.Add(min(wall.Sub(m.wall), 0)) }
