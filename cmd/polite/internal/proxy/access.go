package proxy

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"os"
	"time"
)

// User is the name that goes with Options.Secret. The field Proxy-Authorization has both.
const User = "polite"

// Anyone admits every program that reaches the proxy: it is for where only one can.
func Anyone(net.Conn) bool { return true }

// SameUser admits the programs of this machine that run as the user of the proxy. It can tell
// on Linux alone: see TellsUsers.
func SameUser(conn net.Conn) bool {
	uid, ok := userOf(conn)
	return ok && uid == os.Geteuid()
}

// TellsUsers reports whether SameUser can tell who has opened a connection. Where it cannot,
// it admits nobody.
func TellsUsers() bool { return tellsUsers }

// A doorman says which programs may use the proxy.
type doorman struct {
	admit  func(net.Conn) bool // nil: nobody without the secret
	secret string              // "": nobody with one
}

// knows reports whether the program at the other end of conn needs no secret.
func (d doorman) knows(conn net.Conn) bool { return d.admit != nil && d.admit(conn) }

// admits reports whether a program may use the proxy that has sent these fields. Without the
// secret, it may if it is admitted.
func (d doorman) admits(h http.Header, admitted bool) bool {
	if admitted {
		return true
	}
	user, secret, ok := (&http.Request{Header: http.Header{"Authorization": h["Proxy-Authorization"]}}).BasicAuth() // RFC 7617
	return ok && d.secret != "" && user == User && same(secret, d.secret)
}

// same reports whether two texts are equal, in a time that tells nothing of either.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// turnAway answers a request of who may not use the proxy, and closes its connection: it would
// take the room of others. Its body, which may never end, is not read.
func turnAway(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	http.NewResponseController(w).SetReadDeadline(time.Now())
	w.Header().Set("Proxy-Authenticate", `Basic realm="polite"`)
	refusal{
		status: http.StatusProxyAuthRequired, kind: KindLocked, why: denied,
		text: "polite proxy: this proxy is for the programs of one user, and for who knows its secret",
	}.write(w)
}

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
