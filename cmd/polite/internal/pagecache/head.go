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

	"github.com/go-polite/polite/internal/origin"
)

// A key is what a page is kept under. A page that one crawler got is not for another.
type key struct{ Agent, URL string }

func keyOf(agent string, req *http.Request) (key, error) {
	o, target, err := origin.Of(req, nil)
	if err != nil {
		return key{}, err
	}
	return key{agent, o.Key() + " " + target}, nil
}

// A head is what is kept of a page beside its body.
type head struct {
	Agent, URL   string      // the key
	Asked        http.Header // the fields of the request that Vary names
	Status       int
	Header       http.Header
	Uncompressed bool      // on its way here, and the header says so no more
	Sent, Came   time.Time // the request was, the answer did
	Public       bool      // it came from an address of the public internet
}

func headOf(req *http.Request, key key, resp *http.Response, sent, came time.Time) head {
	h := head{
		Agent: key.Agent, URL: key.URL,
		Asked: make(http.Header), Status: resp.StatusCode,
		Header: endToEnd(resp.Header), Uncompressed: resp.Uncompressed,
		Sent: sent.Round(0), Came: came.Round(0),
	}
	for _, name := range h.varies() {
		h.Asked[name] = slices.Clone(req.Header[name])
	}
	return h
}

func (h head) key() key { return key{h.Agent, h.URL} }

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

func (h head) varies() []string { return names(h.Header, "Vary") }

// isFor reports whether the page answers a request, as its fields go (RFC 9111 §4.1).
func (h head) isFor(req *http.Request) bool {
	differs := func(name string) bool { return strings.Join(h.Asked[name], ",") != strings.Join(req.Header[name], ",") }
	return !slices.ContainsFunc(h.varies(), differs)
}

// mostHead is how long a head may be on disk, in octets.
const mostHead = 64 << 10

// confirmedBy reports whether a 304 with this header is about the page (RFC 9111 §4.3.4).
func (h head) confirmedBy(header http.Header) bool {
	now, kept := header.Get("ETag"), h.Header.Get("ETag")
	return now == "" || kept == "" || strings.TrimPrefix(now, "W/") == strings.TrimPrefix(kept, "W/")
}

// renewed returns the head after a 304 with the head by (RFC 9111 §3.2). What describes
// the body stays as it is.
func (h head) renewed(by head) head {
	header := maps.Clone(h.Header)
	header.Del("Age")
	for name, values := range by.Header {
		switch name {
		case "Content-Encoding", "Content-Length", "Content-Range", "Content-Type":
		default:
			header[name] = values
		}
	}
	h.Header, h.Sent, h.Came, h.Public = header, by.Sent, by.Came, h.Public && by.Public
	if len(by.varies()) > 0 {
		h.Asked = by.Asked
	}
	return h
}

// encode returns the head as text. A header that is not UTF-8 would not come back as it is.
func (h head) encode() (text []byte, ok bool) {
	for _, values := range h.Header {
		if slices.ContainsFunc(values, func(v string) bool { return !utf8.ValidString(v) }) {
			return nil, false
		}
	}
	text, err := json.Marshal(h)
	return text, err == nil && utf8.ValidString(h.URL+h.Agent)
}
