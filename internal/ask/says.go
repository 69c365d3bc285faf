package ask

import (
	"errors"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/status"
)

// says reports whether an answer says what the site wants: its rules, or that it has
// none.
func says(answer fetch.Answer, err error) bool {
	switch {
	case errors.Is(err, fetch.ErrTooManyRedirects):
		return true
	case err != nil:
		return false
	default:
		return answer.Unchanged || status.Of(answer.Status).File.Exists()
	}
}
