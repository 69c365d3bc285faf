package pagecache

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/quota"
)

// longestGuess is how long a page is fresh at most, if its site does not say how long it
// is (RFC 9111 §4.2.2).
const longestGuess = 24 * time.Hour

// freshness returns for how long the page is fresh (RFC 9111 §4.2.1).
func (h head) freshness() time.Duration {
	says := directivesOf(h.Header, "Cache-Control")
	if says.has("no-cache") {
		return 0
	}
	if age, ok := says.time("max-age"); ok {
		return age
	}
	if expires := h.Header.Values("Expires"); len(expires) > 0 {
		end, ok := strictTime(expires[0])
		if !ok || len(expires) > 1 {
			return 0
		}
		return bounded(end.Sub(h.date()))
	}
	return h.guess()
}

// strictTime reads a time that is written as RFC 9110 §5.6.7 says. Any other is a time in the
// past, where it ends what is fresh (RFC 9111 §5.3).
func strictTime(text string) (time.Time, bool) {
	t, err := http.ParseTime(text)
	written := func(layout string) bool { return strings.EqualFold(t.Format(layout), text) }
	return t, err == nil && slices.ContainsFunc([]string{http.TimeFormat, time.RFC850, time.ANSIC}, written)
}

// guess is a tenth of the time since the page has changed.
func (h head) guess() time.Duration {
	guessed := []int{
		http.StatusOK, http.StatusNonAuthoritativeInfo, http.StatusMultipleChoices,
		http.StatusMovedPermanently, http.StatusPermanentRedirect, http.StatusNotFound, http.StatusGone,
	}
	changed, err := http.ParseTime(h.Header.Get("Last-Modified"))
	if err != nil || !slices.Contains(guessed, h.Status) {
		return 0
	}
	return min(bounded(h.date().Sub(changed))/10, longestGuess)
}

// date is when the page was sent, by the clock of its site.
func (h head) date() time.Time {
	if date, err := http.ParseTime(h.Header.Get("Date")); err == nil {
		return date
	}
	return h.Came
}

// age returns how old the page is at a time (RFC 9111 §4.2.3). Other caches may have kept
// it before.
func (h head) age(now time.Time) time.Duration {
	said, _, _ := strings.Cut(h.Header.Get("Age"), ",") // what cannot be read says nothing (§5.1)
	before, _ := quota.Seconds(said)
	came := max(bounded(h.Came.Sub(h.date())), before+bounded(h.Came.Sub(h.Sent)))
	return came + bounded(now.Sub(h.Came))
}

// longest is the longest time that a number of seconds can say (RFC 9111 §1.2.2).
const longest = (1 << 31) * time.Second

// bounded returns d, or the nearest time that a number of seconds can say. Sums of such
// times do not overflow.
func bounded(d time.Duration) time.Duration { return min(max(d, 0), longest) }

// accept reports whether a kept page answers a request with these directives. One that is
// out of date never does: max-stale may be left out (§5.2.1.2).
func (d directives) accept(h head, now time.Time) bool {
	age, fresh := h.age(now), h.freshness()
	if d.has("no-cache") || now.Before(h.Came) {
		return false // a clock that was set back tells no age
	}
	if most, ok := d.time("max-age"); ok {
		fresh = min(fresh, most)
	}
	least, _ := d.time("min-fresh")
	return fresh > age && fresh-age >= least
}
