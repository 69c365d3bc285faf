package pagecache

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-polite/polite/internal/fetch"
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
	h := head{
		key: k, Asked: make(http.Header), Status: resp.StatusCode,
		Header: endToEnd(resp.Header), Uncompressed: resp.Uncompressed,
		Sent: sent.Round(0), Came: came.Round(0),
	}
	for _, name := range h.varies() {
		h.Asked[name] = slices.Clone(req.Header[name])
	}
	return h
}

// endToEnd returns a header without the fields that are about the connection
// (RFC 9111 §3.1).
func endToEnd(header http.Header) http.Header {
	kept := maps.Clone(header)
	if kept == nil {
		return make(http.Header)
	}
	for _, name := range names(header, "Connection") {
		kept.Del(name)
	}
	for _, name := range []string{"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"} {
		kept.Del(name)
	}
	return kept
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
