package quota

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A family is three fields that say the same of one quota, or of several. Their names are
// in the form of the keys of an http.Header.
type family struct {
	limit, remaining, reset string
	field                   string // as it is documented
}

// families are the names that sites use: those of GitHub and most others, of GitLab and of
// drafts up to version 06, and of X (Twitter).
var families = [...]family{
	{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "X-RateLimit-Remaining"},
	{"Ratelimit-Limit", "Ratelimit-Remaining", "Ratelimit-Reset", "RateLimit-Remaining"},
	{"X-Rate-Limit-Limit", "X-Rate-Limit-Remaining", "X-Rate-Limit-Reset", "X-Rate-Limit-Remaining"},
}

// each visits what the fields say of each quota. A site with several quotas lists them in
// each field, in the same order. at is the time by its clock.
func (f family) each(header http.Header, at time.Time, visit func(remainder)) {
	limits, resets := parts(readable(header[f.limit])), resets(readable(header[f.reset]))
	for i, text := range parts(readable(header[f.remaining])) {
		r := remainder{remaining: whole(text), limit: unknown, field: f.field}
		if i < len(limits) {
			r.limit = whole(limits[i])
		}
		if i < len(resets) {
			r.left = until(resets[i], at)
		}
		visit(r)
	}
}

// parts returns the members of a list, without their parameters: drafts up to version 06
// have the policy in the limit, as in "10, 10;w=1, 50;w=60".
func parts(values []string) []string {
	if len(values) == 0 {
		return nil
	}
	parts := strings.SplitN(strings.Join(values, ","), ",", mostQuotas+1)
	parts = parts[:min(len(parts), mostQuotas)]
	for i, part := range parts {
		part, _, _ = strings.Cut(part, ";")
		parts[i] = strings.TrimSpace(part)
	}
	return parts
}

// resets returns the members of a list of times. A date has a comma of its own.
func resets(values []string) []string {
	if len(values) > 0 && strings.ContainsRune(values[0], ':') {
		return values
	}
	return parts(values)
}

// whole reads a count; unknown if it makes no sense. Some servers send -1 for a quota
// without end, and others for one that is overdrawn, so that a negative count says
// nothing.
func whole(text string) int64 {
	n, ok := decimal(text)
	if !ok {
		return unknown
	}
	return int64(min(n, 1e15))
}

// until returns how long it is until a reset; 0 if that makes no sense. Sites send seconds
// from now, the time of day as a number of seconds or milliseconds, or a date.
func until(text string, at time.Time) time.Duration {
	const (
		first = 3e8 // nobody means ten years by a number of seconds, nor a time of day before 1979
		milli = 1000 * first
		last  = 1000 * milli
	)
	n, ok := decimal(text)
	switch {
	case !ok:
		return bounded(dateOf(text).Sub(at))
	case n >= last:
		return 0
	case n >= milli:
		n = n/1000 - float64(at.UnixMilli())/1000
	case n >= first:
		n -= float64(at.UnixMilli()) / 1000
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

// dateOf reads a date of HTTP or of RFC 3339; the zero time is long ago.
func dateOf(text string) time.Time {
	if date, ok := httpDate(text); ok {
		return date
	}
	if len(text) > longestPart {
		return time.Time{}
	}
	date, _ := time.Parse(time.RFC3339, text)
	return date
}
