// Package quota reads what the fields of an answer say of the limit of a site: how many
// requests remain, until when, and when to ask again. It has no state and no clock.
//
// A site may send anything. Whatever it sends, it can ask for no more than a gap of
// LongestGap and a break of LongestBreak, or of MaxRetryAfter where it refuses a request.
// What makes no sense does not count. More quotas never ask for less.
package quota

import (
	"net/http"
	"time"

	"github.com/go-polite/polite/internal/status"
)

// Read returns what an answer asks for. now is the time by the clock of this machine. It
// counts only where the answer has no Date.
//
// If a refusal has a Retry-After, that alone counts
// (draft-ietf-httpapi-ratelimit-headers-11 §7). Else a quota of which less than half
// remains asks for a gap, and one of which nothing remains for a break. Of several quotas,
// the longest break and the longest gap count.
func Read(code int, header http.Header, now time.Time) Ask {
	longestBreak := LongestBreak
	if status.Of(code).Refuses {
		if wait := RetryAfter(header, now); wait > 0 {
			return Ask{Break: wait, Why: "Retry-After"}
		}
		longestBreak = MaxRetryAfter
	}
	if !mentioned(header) || cached(header) {
		return Ask{}
	}
	return all(header, now, longestBreak)
}

// mentioned reports whether an answer says anything of a quota. Most answers do not, and
// this is all that they cost.
func mentioned(header http.Header) bool {
	if len(header[rateLimit]) > 0 {
		return true
	}
	for i := range families {
		if len(header[families[i].remaining]) > 0 {
			return true
		}
	}
	return false
}

// cached reports whether an answer comes from a cache, so that its quota is an old one
// (§7.3).
func cached(header http.Header) bool {
	age, ok := Seconds(header.Get("Age"))
	return ok && age > 0
}

func all(header http.Header, now time.Time, longestBreak time.Duration) (ask Ask) {
	add := func(r remainder) { ask = ask.and(r.ask(longestBreak)) }
	if limits := readable(header[rateLimit]); len(limits) > 0 {
		listed(limits, readable(header[rateLimitPolicy]), add)
	}
	at := siteTime(header, now)
	for _, f := range families {
		if len(header[f.remaining]) > 0 {
			f.each(header, at, add)
		}
	}
	return ask
}
