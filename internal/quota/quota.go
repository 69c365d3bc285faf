// Package quota reads what the fields of an answer say of the limit of a site: how many
// requests remain, until when, and when to ask again. It has no state and no clock.
//
// A site may send anything. Whatever it sends, it can ask for no more than a gap of
// LongestGap and a break of LongestBreak, or of MaxRetryAfter where it refuses a request.
// What makes no sense does not count. More quotas never ask for less.
package quota

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"github.com/dunglas/httpsfv"
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
			return Ask{Break: wait, Why: Asked}
		}
		longestBreak = MaxRetryAfter
	}
	if !mentioned(header) || cached(header) {
		return Ask{}
	}
	return all(header, now, longestBreak)
}

// Asks reports whether an answer may ask for something. Most answers do not, and this is all that they cost.
func Asks(code int, header http.Header) bool { return status.Of(code).Refuses || mentioned(header) }

// mentioned reports whether an answer says anything of a quota.
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
	age, _ := Seconds(header.Get("Age"))
	return age > 0
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

// An Ask is what an answer asks for. The zero Ask asks for nothing.
type Ask struct {
	Break time.Duration // send nothing for this long
	Gap   time.Duration // leave at least this much between two requests
	Left  time.Duration // how long the gap holds; the quota is new after that
	Why   string        // the field that asks, such as "X-RateLimit-Remaining"
}

const (
	// Asked is the Why of a break that the site asks for in so many words.
	Asked = "Retry-After"

	// LongestGap is the longest gap. The smallest quota that is usual is 60 requests an
	// hour. A site that allows fewer refuses a request that comes too early, and that
	// refusal is kept to.
	LongestGap = time.Minute

	// LongestBreak is the longest break if the site did answer the request, and the
	// longest time that a gap holds. Some sites send a wrong time, or count a quota that
	// does not hold for these requests. After this time, one request finds out. If the
	// site refused the request, it means what it says: see MaxRetryAfter.
	LongestBreak = time.Hour

	// few is how many requests remain of a quota of unknown size when a gap begins.
	// Whoever waits for 0 goes beyond the quota by as many requests as are under way. A
	// gap costs little: there is no more in the time left than what remains.
	few = 10
)

// A remainder is what remains of a quota.
type remainder struct {
	remaining int64
	limit     int64         // the whole quota; unknown if it is not
	left      time.Duration // until the quota is new
	other     bool          // it counts something else than requests
	field     string
}

const unknown = -1

// ask spreads what remains over the time left. It asks for nothing above half of a quota,
// since a site that is far from its limit needs no care. If something else than requests
// is counted, it is not known how much a request takes, and only 0 counts.
func (r remainder) ask(longestBreak time.Duration) Ask {
	switch {
	case r.left <= 0 || r.remaining < 0:
		return Ask{}
	case r.remaining == 0:
		return Ask{Break: min(r.left, longestBreak), Why: r.field}
	case r.other || !r.low():
		return Ask{}
	}
	count := time.Duration(r.remaining)
	gap := (r.left + count - 1) / count
	return Ask{Gap: min(gap, LongestGap), Left: min(r.left, LongestBreak), Why: r.field}
}

func (r remainder) low() bool {
	if r.limit == unknown {
		return r.remaining < few
	}
	return r.remaining < r.limit-r.remaining
}

// and returns an Ask that does what a and b ask for. It says why the break is, or if there
// is none, why the gap is.
func (a Ask) and(b Ask) Ask {
	both := a
	if b.Gap > a.Gap || b.Gap == a.Gap && b.Left > a.Left {
		both.Gap, both.Left = b.Gap, b.Left
		if a.Break == 0 {
			both.Why = b.Why
		}
	}
	if b.Break > a.Break {
		both.Break, both.Why = b.Break, b.Why
	}
	return both
}

// Names in the form of the keys of an http.Header.
const (
	rateLimit       = "Ratelimit"
	rateLimitPolicy = "Ratelimit-Policy"
)

// listed visits what the fields RateLimit and RateLimit-Policy say of each quota
// (draft-ietf-httpapi-ratelimit-headers-11 §3 and §4). A malformed field does not count,
// nor does a malformed item (§7).
func listed(limits, policies []string, visit func(remainder)) {
	list, err := httpsfv.UnmarshalList(limits)
	if err != nil {
		dictionary(limits, visit)
		return
	}
	known := items(httpsfv.UnmarshalList(policies))
	for _, item := range items(list, nil) {
		r := remainder{remaining: number(item, "r"), limit: unknown, field: "RateLimit"}
		t := number(item, "t")
		if policy, ok := policyOf(item, known); ok {
			r.limit, r.other = number(policy, "q"), !countsRequests(policy)
			if t == unknown { // the time left is no more than the whole window
				t = number(policy, "w")
			}
		}
		r.left = seconds(t)
		visit(r)
	}
}

// dictionary reads RateLimit as the draft had it up to version 07: "limit=100,
// remaining=50, reset=30".
func dictionary(limits []string, visit func(remainder)) {
	members, err := httpsfv.UnmarshalDictionary(limits)
	if err != nil {
		return
	}
	value := func(key string) int64 {
		member, _ := members.Get(key)
		if item, ok := member.(httpsfv.Item); ok {
			return count(item.Value)
		}
		return unknown
	}
	visit(remainder{remaining: value("remaining"), limit: value("limit"), left: seconds(value("reset")), field: "RateLimit"})
}

// items returns the first items of a list that have names.
func items(list httpsfv.List, err error) (named []httpsfv.Item) {
	if err != nil {
		return nil
	}
	for _, member := range list[:min(len(list), mostQuotas)] {
		if item, ok := member.(httpsfv.Item); ok && name(item) != "" {
			named = append(named, item)
		}
	}
	return named
}

// name returns the name of a quota. It should be a string; some servers send a token.
func name(item httpsfv.Item) string {
	switch value := item.Value.(type) {
	case string:
		return value
	case httpsfv.Token:
		return string(value)
	}
	return ""
}

// policyOf returns the policy of a quota. Both have the same name, and the same partition
// key if both have one.
func policyOf(item httpsfv.Item, policies []httpsfv.Item) (httpsfv.Item, bool) {
	for _, policy := range policies {
		if name(policy) == name(item) {
			a, b := partition(item), partition(policy)
			if a == nil || b == nil || bytes.Equal(a, b) {
				return policy, true
			}
		}
	}
	return httpsfv.Item{}, false
}

func partition(item httpsfv.Item) []byte {
	value, _ := item.Params.Get("pk")
	key, _ := value.([]byte)
	return key
}

// countsRequests reports whether a policy counts requests (§3.1.2, §10.3).
func countsRequests(policy httpsfv.Item) bool {
	unit, ok := policy.Params.Get("qu")
	return !ok || unit == "requests" || unit == "request"
}

// number returns a parameter that is a count; unknown if it is none.
func number(item httpsfv.Item, key string) int64 {
	value, _ := item.Params.Get(key)
	return count(value)
}

func count(value any) int64 {
	if n, ok := value.(int64); ok && n >= 0 {
		return n
	}
	return unknown
}

// seconds returns a time left. An unknown one is 0.
func seconds(n int64) time.Duration {
	return bounded(time.Duration(min(n, int64(MaxRetryAfter/time.Second))) * time.Second)
}

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
	limits, resets := parts(readable(header[f.limit])), readable(header[f.reset])
	if len(resets) > 0 && !strings.ContainsRune(resets[0], ':') { // a date has a comma of its own
		resets = parts(resets)
	}
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

const (
	longestValue = 2048 // octets of a field; a longer one does not count
	longestPart  = 64   // octets of a number or a date
	mostQuotas   = 16   // of a field; more do not count
)

// readable returns the values of a field, or nil if they are too long to be read. They may
// be many, and empty.
func readable(values []string) []string {
	size := 0
	for _, value := range values {
		if size += len(value) + 1; size > longestValue {
			return nil
		}
	}
	return values
}
