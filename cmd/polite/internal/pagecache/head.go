package pagecache

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/quota"
)

// A key is what a page is kept under. A page that one crawler got is not for another.
type key struct{ Agent, URL string }

// A head is what is kept of a page beside its body.
type head struct {
	key
	Asked        http.Header // the fields of the request that Vary names
	Status       int
	Header       http.Header
	Uncompressed bool      // on its way here, and the header says so no more
	Sent, Came   time.Time // the request was, the answer did
	Public       bool      // it came from an address of the public internet
}

func headOf(req *http.Request, k key, resp *http.Response, sent, came time.Time) head {
	header := make(http.Header)
	maps.Copy(header, resp.Header)
	fetch.DropHop(header) // RFC 9111 §3.1
	h := head{
		key: k, Asked: make(http.Header), Status: resp.StatusCode,
		Header: header, Uncompressed: resp.Uncompressed,
		Sent: sent.Round(0), Came: came.Round(0),
	}
	for _, name := range h.varies() {
		h.Asked[name] = slices.Clone(req.Header[name])
	}
	return h
}

// names returns the names that a field lists, in their canonical form.
func names(header http.Header, field string) (all []string) {
	for name := range strings.SplitSeq(strings.Join(header.Values(field), ","), ",") {
		if name = textproto.TrimString(name); name != "" {
			all = append(all, http.CanonicalHeaderKey(name))
		}
	}
	return all
}

func (h *head) varies() []string { return names(h.Header, "Vary") }

// isFor reports whether the page answers a request, as its fields go (RFC 9111 §4.1).
func (h *head) isFor(req *http.Request) bool {
	differs := func(name string) bool { return strings.Join(h.Asked[name], ",") != strings.Join(req.Header[name], ",") }
	return !slices.ContainsFunc(h.varies(), differs)
}

// validators tell the page from a later one.
func (h *head) validators() fetch.Validators {
	return fetch.Validators{ETag: h.Header.Get("ETag"), LastModified: h.Header.Get("Last-Modified")}
}

// renew takes over what a 304 says (RFC 9111 §3.2). What describes the body stays as it is.
func (h *head) renew(by head) {
	h.Header.Del("Age")
	for _, name := range []string{"Content-Encoding", "Content-Length", "Content-Range", "Content-Type"} {
		by.Header.Del(name)
	}
	maps.Copy(h.Header, by.Header)
	h.Sent, h.Came, h.Public = by.Sent, by.Came, h.Public && by.Public
	if len(by.varies()) > 0 {
		h.Asked = by.Asked
	}
}

// mayBeKept reports whether the page may be kept (RFC 9111 §3), and is of use.
func (h *head) mayBeKept() bool {
	says := directivesOf(h.Header)
	switch {
	case says.has("no-store"), len(h.Header.Values("Set-Cookie")) > 0, slices.Contains(h.varies(), "*"), !h.isUnderstood():
		return false
	case h.validators() == fetch.Validators{} && h.freshness() <= h.age(h.Came):
		return false
	default:
		return h.encode() != nil
	}
}

// isUnderstood reports whether the status is one that is kept. A part of a page is not, and neither
// is an answer of a site in trouble.
func (h *head) isUnderstood() bool {
	switch h.Status {
	case http.StatusOK, http.StatusNonAuthoritativeInfo, http.StatusMultipleChoices,
		http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
		http.StatusNotFound, http.StatusGone:
		return true
	}
	return false
}

// mostHead is how long a head may be on disk, in octets.
const mostHead = 64 << 10

// encode returns the head as text, or nil if it is too long, or not UTF-8: then it would not come
// back as it is.
func (h *head) encode() []byte {
	valid := utf8.ValidString(h.URL + h.Agent)
	for _, values := range h.Header {
		valid = valid && utf8.ValidString(strings.Join(values, ""))
	}
	text, err := json.Marshal(h)
	if !valid || err != nil || len(text) > mostHead {
		return nil
	}
	return text
}

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
	t, _ := http.ParseTime(text)
	written := func(layout string) bool { return strings.EqualFold(t.Format(layout), text) }
	return t, slices.ContainsFunc([]string{http.TimeFormat, time.RFC850, time.ANSIC}, written)
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
