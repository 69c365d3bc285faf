// Package status says what the status of an answer means: for a file that a site keeps for
// crawlers, for the load of the server, and for a Retry-After.
//
//	status.go the table
//	walls.go  the challenges of walls before a site, as a header or a page says them
//	look.go   looks for the mark of a wall in a page, while somebody reads it
//	load.go   the same for an error in place of an answer
package status

import (
	"net/http"

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
// (RFC 9110 §15). A 4xx is about the request. A 5xx is about the server: 509, 525 and 530 are what
// hosters and CDNs say in place of 503 and 502. GitHub says with 403 that a quota is used up.
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
	case 5:
		return Meaning{Nothing, limit.Broken, false}
	default:
		return Meaning{Nothing, limit.Neutral, false}
	}
}
