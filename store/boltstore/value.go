package boltstore

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"time"
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

// A storedBreak is a break as the file keeps it.
type storedBreak struct {
	began  time.Time
	length time.Duration
	since  time.Time // when the first of the breaks began that follow each other
}

// left returns how long b still lasts: never more than its length.
func (b storedBreak) left(now time.Time) time.Duration {
	return min(b.began.Add(b.length).Sub(now), b.length)
}

func (b storedBreak) seal(key []byte, lane string) []byte {
	return seal(key, lane, appendTime(appendDuration(appendTime(nil, b.began), b.length), b.since))
}

func readBreak(key, value []byte) (lane string, b storedBreak, ok bool) {
	lane, r, ok := unseal(key, value)
	b = storedBreak{began: r.time(), length: r.duration()}
	if b.since = b.began; len(r.rest) > 0 { // an earlier version has not written it
		b.since = r.time()
	}
	return lane, b, ok && !r.bad
}

// A storedStart is the newest start of a lane as the file keeps it.
type storedStart struct {
	at         time.Time
	gap, slack time.Duration
}

func (b storedStart) seal(key []byte, lane string) []byte {
	return seal(key, lane, appendDuration(appendDuration(appendTime(nil, b.at), b.gap), b.slack))
}

func readStart(key, value []byte) (b storedStart, ok bool) {
	_, r, ok := unseal(key, value)
	b = storedStart{at: r.time(), gap: r.duration(), slack: r.duration()}
	return b, ok && !r.bad
}
