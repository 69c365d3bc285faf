package origin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Parse is url.Parse for a URL as it is written on the web: a "%" that begins no octet stands for
// itself, and is sent so. Such a URL is without its fragment, and has its path in Opaque, too.
func Parse(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if _, malformed := errors.AsType[url.EscapeError](err); !malformed {
		return u, err
	}
	text, _, _ = strings.Cut(text, "#")
	text, query, asks := strings.Cut(text, "?")
	_, rest, _ := strings.Cut(text, "://")
	authority, path, _ := strings.Cut(rest, "/")
	fixed, failed := url.Parse(strings.TrimSuffix(text, path) + escaped(path, true))
	if failed != nil || fixed.Host == "" || fixed.User != nil || strings.Contains(authority, "%") {
		return u, err
	}
	fixed.RawQuery, fixed.ForceQuery = query, asks
	if o, err := OfURL(fixed); err == nil {
		fixed.Host = o.RobotsURL().Host
	}
	if as := escaped(path, false); as != escaped(path, true) {
		fixed.Opaque = "//" + fixed.Host + "/" + as
	}
	return fixed, nil
}

// NewRequest returns a request for a URL without a body. Unlike that of net/http, it asks for the URL
// as it is.
func NewRequest(ctx context.Context, method string, u *url.URL) *http.Request {
	req := &http.Request{Method: method, URL: u, Host: u.Host, Header: make(http.Header), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	return req.WithContext(ctx)
}

// escaped returns a path with all that cannot be sent as percent-encoded octets, and, if percent is
// true, also each "%" that begins none.
func escaped(path string, percent bool) string {
	var b strings.Builder
	for i, c := range []byte(path) {
		if c <= ' ' || c >= 0x7F || percent && c == '%' && !isOctet(path[i:]) {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// isOctet reports whether s begins with a percent-encoded octet.
func isOctet(s string) bool {
	_, err := url.PathUnescape(s[:min(len(s), 3)])
	return err == nil
}
