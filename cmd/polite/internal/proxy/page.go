package proxy

import "net/http"

// IsPartOfPage reports whether a browser asks for an image, a font or a style of a page. A
// script cannot ask in this way for what it could read: what it fetches has another
// destination (Fetch Metadata, §2.1), which no page can change.
func IsPartOfPage(r *http.Request) bool {
	if r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") == "navigate" {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Dest") {
	case "image", "font", "style":
		return true
	default:
		return false
	}
}
