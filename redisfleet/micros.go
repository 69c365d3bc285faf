package redisfleet

import (
	"strconv"
	"time"
)

const (
	day    = 24 * time.Hour
	week   = 7 * day
	always = 10 * 365 * day
)

// micros returns d as the scripts want it: whole microseconds, rounded up, of zero to
// most.
func micros(d, most time.Duration) string {
	d = min(max(d, 0), most)
	return strconv.FormatInt(int64((d+time.Microsecond-1)/time.Microsecond), 10)
}

// padded returns micros of up to a day in eleven digits.
func padded(d time.Duration) string {
	text := micros(d, day)
	return "00000000000"[len(text):] + text
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
