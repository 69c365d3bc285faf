package redisfleet

import (
	"encoding/binary"
	"strconv"
	"time"
)

const (
	day    = 24 * time.Hour
	month  = 30 * day  // the longest gap
	far    = 2 * month // no start is further away
	always = 10 * 365 * day
)

// whole returns d in whole microseconds, rounded up, of zero to most.
func whole(d, most time.Duration) int64 {
	d = min(max(d, 0), most)
	return int64((d + time.Microsecond - 1) / time.Microsecond)
}

// micros returns d as the scripts want it.
func micros(d, most time.Duration) string { return strconv.FormatInt(whole(d, most), 10) }

// bytes appends d, of up to most, as a lane has its numbers.
func bytes(to []byte, d, most time.Duration) []byte {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(whole(d, most)))
	return append(to, n[1:]...)
}

// numberSize is how many bytes a number has in a lane, and in the answer to a turn.
const numberSize = 7

// numberAt returns the number with which a text begins.
func numberAt(text string) (n int64) {
	for _, b := range []byte(text[:numberSize]) {
		n = n<<8 | int64(b)
	}
	return n
}

// atMost returns a limit as the scripts want it, rounded down.
func atMost(d time.Duration) string {
	if d <= 0 || d > always {
		d = always
	}
	return strconv.FormatInt(int64(d/time.Microsecond), 10)
}

// duration returns what a script says, as long as it makes sense.
func duration(micros int64) time.Duration {
	const most = int64(always / time.Microsecond)
	return time.Duration(min(max(micros, -most), most)) * time.Microsecond
}

// flag returns b as the scripts want it.
func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
