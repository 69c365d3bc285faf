package report

import (
	"fmt"
	"strings"

	"github.com/go-polite/polite/internal/printable"
)

// Annotation returns the line with which GitHub Actions shows a message at a line of a file.
// The file is "" if there is none.
func Annotation(file string, line int, text string) string {
	place := ""
	if file != "" {
		place = fmt.Sprintf(" file=%s,line=%d", property.Replace(printable.Text(file)), line)
	}
	return "::error" + place + "::" + strings.ReplaceAll(printable.Text(strings.TrimSpace(text)), "%", "%25") + "\n"
}

// property escapes what ends the property of a command of GitHub Actions.
var property = strings.NewReplacer("%", "%25", ":", "%3A", ",", "%2C")
