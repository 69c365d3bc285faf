package quota

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// MaxRetryAfter is the longest that a site is taken at its word.
const MaxRetryAfter = 24 * time.Hour

// RetryAfter returns how long an answer asks to wait (RFC 9110 §10.2.3), within
// MaxRetryAfter; 0 if it does not, or not in a way that makes sense. Of several, the longest counts.
func RetryAfter(header http.Header, now time.Time) (wait time.Duration) {
	values := readable(header["Retry-After"])
	if len(values) == 0 {
		return 0
	}
	at := siteTime(header, now)
	for _, value := range values {
		for _, text := range members(value) {
			if n, _ := decimal(text); n >= lastTime {
				return MaxRetryAfter // a number of seconds, however large
			}
			wait = max(wait, until(text, at))
		}
	}
	return wait
}

// members returns the members of a list, or a date as it is: it has a comma of its own.
func members(value string) []string {
	if strings.ContainsRune(value, ':') {
		return []string{strings.TrimSpace(value)}
	}
	return parts([]string{value})
}

const (
	firstTime  = 3e8 // nobody means ten years by a number of seconds, nor a time of day before 1979
	firstMilli = 1000 * firstTime
	lastTime   = 1000 * firstMilli
)

// until returns how long it is until a time; 0 if that makes no sense. Sites send seconds
// from now, the time of day as a number of seconds or milliseconds since 1970, or a date.
func until(text string, at time.Time) time.Duration {
	n, ok := decimal(text)
	switch {
	case !ok:
		return bounded(dateOf(text).Sub(at))
	case n >= lastTime:
		return 0
	case n >= firstMilli:
		n = n/1000 - float64(at.UnixMilli())/1000
	case n >= firstTime:
		n -= float64(at.UnixMilli()) / 1000
	default:
		n = math.Ceil(n)
	}
	n = min(max(n, 0), MaxRetryAfter.Seconds())
	return time.Duration(n * float64(time.Second))
}

// decimal reads a number that has digits and a point alone.
func decimal(text string) (float64, bool) {
	if len(text) > longestPart || strings.Trim(text, "0123456789.") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// dateOf reads a date of HTTP, one that is nearly so, or one of RFC 3339; the zero time is long ago.
func dateOf(text string) time.Time {
	if date, ok := httpDate(text); ok || len(text) > longestPart {
		return date
	}
	if _, date, ok := strings.Cut(text, ", "); ok {
		text = date // the day of the week says nothing that the date does not
	}
	for _, layout := range []string{time.RFC3339, "2 Jan 2006 15:04:05 GMT", "2 Jan 2006 15:04:05 UTC", "2 Jan 2006 15:04:05 -0700"} {
		if date, err := time.Parse(layout, text); err == nil {
			return date
		}
	}
	return time.Time{}
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
