package quota

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// MaxRetryAfter is the longest that a site is taken at its word.
const MaxRetryAfter = 24 * time.Hour

// RetryAfter returns how long an answer asks to wait (RFC 9110 §10.2.3), within
// MaxRetryAfter; 0 if it does not, or not in a way that makes sense.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if wait, ok := Seconds(value); ok {
		return min(wait, MaxRetryAfter)
	}
	if date, ok := httpDate(value); ok {
		return bounded(date.Sub(siteTime(header, now)))
	}
	return 0
}

// Seconds reads a number of seconds, however large (RFC 9111 §1.2.2).
func Seconds(s string) (time.Duration, bool) {
	const most = 1 << 31
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		n = most
	}
	return time.Duration(n) * time.Second, true
}

// siteTime returns what time it is by the clock of the site, which may differ from this
// one: the Date of the answer, and how long a cache has kept it (RFC 9111 §4.2.3). Without
// a Date, it returns now.
func siteTime(header http.Header, now time.Time) time.Time {
	date, ok := httpDate(header.Get("Date"))
	if !ok {
		return now
	}
	age, _ := Seconds(header.Get("Age"))
	return date.Add(age)
}

// httpDate reads a date (RFC 9110 §5.6.7).
func httpDate(text string) (time.Time, bool) {
	if text == "" || len(text) > longestPart {
		return time.Time{}, false
	}
	date, err := http.ParseTime(text)
	return date, err == nil
}

func bounded(wait time.Duration) time.Duration { return min(max(wait, 0), MaxRetryAfter) }
