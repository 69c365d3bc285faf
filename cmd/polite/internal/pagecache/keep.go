package pagecache

import (
	"net/http"
	"slices"
)

// mayBeKept reports whether the page may be kept (RFC 9111 §3), and is of use.
func (h head) mayBeKept() bool {
	says := directivesOf(h.Header, "Cache-Control")
	switch {
	case says.has("no-store"), len(h.Header.Values("Set-Cookie")) > 0, slices.Contains(h.varies(), "*"):
		return false
	case !slices.Contains(understood(), h.Status):
		return false
	case h.Header.Get("ETag") == "" && h.Header.Get("Last-Modified") == "" && h.freshness() <= h.age(h.Came):
		return false
	default:
		text, ok := h.encode()
		return ok && len(text) <= mostHead
	}
}

// understood are the statuses that are kept. A part of a page is not, and neither is an
// answer of a site in trouble.
func understood() []int {
	return []int{
		http.StatusOK, http.StatusNonAuthoritativeInfo, http.StatusMultipleChoices,
		http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
		http.StatusNotFound, http.StatusGone,
	}
}
