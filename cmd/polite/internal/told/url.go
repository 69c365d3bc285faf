package told

import (
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/internal/printable"
)

// ShownURL returns the URL of a verdict in one word, or what was given instead of a
// URL.
func ShownURL(v judge.Verdict) string {
	if v.Err != nil {
		return printable.Text(v.URL)
	}
	return printable.URL(v.URL)
}
