package ask

import (
	"errors"
	"net/http"

	"github.com/go-polite/polite/internal/fetch"
)

// says reports whether an answer says what the site wants: its rules, or that it has
// none.
func says(answer fetch.Answer, err error) bool {
	switch {
	case errors.Is(err, fetch.ErrTooManyRedirects):
		return true
	case err != nil:
		return false
	case answer.Unchanged, answer.Status/100 == 2:
		return true
	default:
		return answer.Status/100 == 4 && !saysNothing(answer.Status)
	}
}

// saysNothing reports whether a 4xx is not about the site's robots.txt. If so, it does
// not make robots.txt unavailable (RFC 9309 §2.3.1.3).
func saysNothing(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusRequestTimeout, http.StatusTooEarly: // to be asked again
		return true
	case http.StatusProxyAuthRequired, http.StatusMisdirectedRequest: // about another server
		return true
	case http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable, http.StatusExpectationFailed: // about conditions that polite did not set
		return true
	}
	return false
}
