package proxy

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-polite/polite/internal/fetch"
	"golang.org/x/net/http/httpguts"
)

// The fields that tell a program why it was refused.
const (
	fieldRefused = "Polite-Refused" // the kind
	fieldRule    = "Polite-Rule"    // the line that decided
)

// isWebSocket reports whether r begins a WebSocket (RFC 6455 §4.1).
func isWebSocket(r *http.Request) bool {
	return r.Method == http.MethodGet &&
		httpguts.HeaderValuesContainsToken(r.Header["Connection"], "upgrade") &&
		httpguts.HeaderValuesContainsToken(r.Header["Upgrade"], "websocket")
}

// answerFields drops what a program must not get of a site's answer: what is about the
// connection, and what only the proxy says. It drops Alt-Svc, too, since another way to the
// site would lead round the proxy.
func answerFields(h http.Header) {
	fetch.DropHop(h)
	for _, name := range []string{"Alt-Svc", fieldRefused, fieldRule} {
		delete(h, name)
	}
}

// trailerFields drops what trailers must not say: how long a message is, where it goes and who
// sends it (RFC 9110 §6.5.1). Who reads it might take that for fields of the message, or of the
// next one.
func trailerFields(h http.Header) {
	answerFields(h)
	for _, name := range []string{"Content-Length", "Host", "User-Agent"} {
		delete(h, name)
	}
}

// forwardOnce counts a hop in Max-Forwards (RFC 9110 §7.6.2), and reports whether r may go on.
func forwardOnce(r *http.Request) bool {
	if r.Method != http.MethodTrace && r.Method != http.MethodOptions {
		return true
	}
	left, err := strconv.ParseUint(r.Header.Get("Max-Forwards"), 10, 32)
	switch {
	case err != nil:
		return true
	case left == 0:
		return false
	}
	r.Header.Set("Max-Forwards", strconv.FormatUint(left-1, 10))
	return true
}

// hasPassed reports whether a request has passed the proxy with this name in Via before.
func hasPassed(h http.Header, name string) bool {
	if name == "" {
		return false
	}
	for _, line := range h["Via"] {
		for step := range strings.SplitSeq(line, ",") {
			if slices.Contains(strings.Fields(step), name) {
				return true
			}
		}
	}
	return false
}
