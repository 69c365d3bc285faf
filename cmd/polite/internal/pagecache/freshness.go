package pagecache

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/quota"
)

// longestGuess is how long a page is fresh at most, if its site does not say how long it
// is (RFC 9111 §4.2.2).
const longestGuess = 24 * time.Hour

// freshness returns for how long the page is fresh (RFC 9111 §4.2.1).
func (h *head) freshness() time.Duration {
	says := directivesOf(h.Header)
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
	// A tenth of the time since the page has changed. An answer for now alone changes at once.
	changed, err := http.ParseTime(h.Header.Get("Last-Modified"))
	if err != nil || slices.Contains([]int{http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect}, h.Status) {
		return 0
	}
	return min(bounded(h.date().Sub(changed))/10, longestGuess)
}

// strictTime reads a time that is written as RFC 9110 §5.6.7 says. Any other is a time in the
// past, where it ends what is fresh (RFC 9111 §5.3).
func strictTime(text string) (time.Time, bool) {
	t, err := http.ParseTime(text)
	written := func(layout string) bool { return strings.EqualFold(t.Format(layout), text) }
	return t, err == nil && slices.ContainsFunc([]string{http.TimeFormat, time.RFC850, time.ANSIC}, written)
}

// date is when the page was sent, by the clock of its site.
func (h *head) date() time.Time {
	if date, err := http.ParseTime(h.Header.Get("Date")); err == nil {
		return date
	}
	return h.Came
}

// age returns how old the page is at a time (RFC 9111 §4.2.3). Other caches may have kept
// it before.
func (h *head) age(now time.Time) time.Duration {
	said, _, _ := strings.Cut(h.Header.Get("Age"), ",") // what cannot be read says nothing (§5.1)
	before, _ := quota.Seconds(said)
	came := max(bounded(h.Came.Sub(h.date())), before+bounded(h.Came.Sub(h.Sent)))
	return came + bounded(now.Sub(h.Came))
}

// bounded returns d, or the nearest time that a number of seconds can say (RFC 9111 §1.2.2). Sums
// of such times do not overflow.
func bounded(d time.Duration) time.Duration { return min(max(d, 0), (1<<31)*time.Second) }

// directives are those of Cache-Control (RFC 9111 §5.2), by their names in lower case.
type directives map[string]string

// directive matches one of a list. A comma in a quoted string ends none.
var directive = regexp.MustCompile(`(?:[^,"]|"(?:\\.|[^"\\])*"?)+`)

// directivesOf reads the directives of a header. Those of Pragma count if it has no
// Cache-Control (§5.4). Of several times, the shortest counts (§4.2.1).
func directivesOf(header http.Header) directives {
	lines := header.Values("Cache-Control")
	if len(lines) == 0 && strings.EqualFold(header.Get("Pragma"), "no-cache") {
		return directives{"no-cache": ""}
	}
	d := make(directives)
	for _, text := range directive.FindAllString(strings.Join(lines, ","), -1) {
		name, value, _ := strings.Cut(text, "=")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.Trim(value, `" `)
		last, again := d.time(name)
		if t, ok := quota.Seconds(value); !again || !ok || t < last {
			d[name] = value
		}
	}
	return d
}

func (d directives) has(name string) bool {
	_, ok := d[name]
	return ok
}

// time returns the time of a directive. If it cannot be read, it is none: what it is
// about is out of date (§4.2.1).
func (d directives) time(name string) (t time.Duration, ok bool) {
	value, ok := d[name]
	t, _ = quota.Seconds(value)
	return t, ok
}

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
