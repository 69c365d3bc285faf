// Package status says what the status of an answer means: for a file that a site keeps for
// crawlers, for the load of the server, and for a Retry-After.
//
//	status.go the table, and the challenges of walls before a site
//	load.go   the same for an error in place of an answer
package status

import (
	"errors"
	"net/http"
	"strings"

	"github.com/go-polite/polite/internal/limit"
)

// A File is what a status says of a file that a site keeps for crawlers, such as robots.txt
// (RFC 9309 §2.3.1) or tdmrep.json.
type File int

const (
	Nothing File = iota // nothing: the site is unreachable, and is to be asked again (§2.3.1.4)
	Content             // the file comes with the answer (§2.3.1.1)
	Moved               // the file is elsewhere (§2.3.1.2)
	Missing             // there is no such file (§2.3.1.3)
	Closed              // there is none for us; a policy may take it for a refusal
)

// Exists reports whether the site has said what there is: the file, or that there is none.
func (f File) Exists() bool { return f == Content || f == Missing || f == Closed }

// A Meaning is what a status says.
type Meaning struct {
	File File
	Load limit.Kind // of the server

	// Refuses says that the request was refused for a while, so that a Retry-After asks for a break.
	Refuses bool
}

// Of returns what a status means. It goes by the class of a status that it does not know
// (RFC 9110 §15). A 4xx is about the request. A 5xx says what the server cannot do at all, such as
// 501, unless it is listed. 520 to 524 are what a large CDN says in place of 502 and 504. GitHub says
// with 403 that a quota is used up.
func Of(code int) Meaning {
	switch code {
	case http.StatusTooManyRequests:
		return Meaning{Nothing, limit.Busy, true}
	case http.StatusServiceUnavailable:
		return Meaning{Nothing, limit.Down, true}
	case http.StatusForbidden:
		return Meaning{Closed, limit.Barred, true}
	case http.StatusUnauthorized:
		return Meaning{Closed, limit.Neutral, false}
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout,
		520, 521, 522, 523, 524:
		return Meaning{Nothing, limit.Broken, false}
	case http.StatusRequestTimeout, http.StatusTooEarly, // to be asked again
		http.StatusProxyAuthRequired, http.StatusMisdirectedRequest, // about another server
		http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable, http.StatusExpectationFailed: // about conditions that polite did not set
		return Meaning{Nothing, limit.Neutral, false}
	}
	switch code / 100 {
	case 1:
		return Meaning{Nothing, limit.Good, false}
	case 2:
		return Meaning{Content, limit.Good, false}
	case 3:
		return Meaning{Moved, limit.Good, false}
	case 4:
		return Meaning{Missing, limit.Neutral, false}
	default:
		return Meaning{Nothing, limit.Neutral, false}
	}
}

// ErrChallenge says that a wall before a site has answered, and not the site: with a test that only a
// browser, or a person, can pass.
var ErrChallenge = errors.New("a challenge for browsers, from a wall before the site")

// walls are the headers by which the operators of walls say that an answer is a challenge, as they
// document them (November 2026). The names have the form of the keys of an http.Header.
var walls = [...]struct {
	name   string
	values []string
}{
	{"Cf-Mitigated", []string{"challenge"}},                 // Cloudflare, "Detect a Challenge Page response"
	{"X-Amzn-Waf-Action", []string{"challenge", "captcha"}}, // AWS WAF, "CAPTCHA and Challenge action behavior"
	{"X-Vercel-Mitigated", []string{"challenge"}},           // Vercel, "Response headers"
}

// IsChallenge reports whether the header of an answer says that it is a challenge, whatever its status.
func IsChallenge(header http.Header) bool {
	for i := range walls {
		for _, value := range header[walls[i].name] {
			for _, is := range walls[i].values {
				if strings.EqualFold(strings.TrimSpace(value), is) {
					return true
				}
			}
		}
	}
	return false
}
