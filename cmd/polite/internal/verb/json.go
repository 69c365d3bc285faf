package verb

import (
	"encoding/json"
	"strings"

	"github.com/go-polite/polite/internal/printable"
)

// JSONLine returns v as a line of JSON, made printable.
func JSONLine(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // "&" is common in URLs
	e.Encode(v)
	return printable.JSON(b.String())
}
