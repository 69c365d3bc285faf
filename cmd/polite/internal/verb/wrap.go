package verb

import (
	"strings"
	"unicode/utf8"
)

// Wrap returns head and text in lines of up to 80 columns. All but the first begin with as
// many spaces as head is long.
func Wrap(head, text string) string {
	const columns = 80
	margin := strings.Repeat(" ", utf8.RuneCountInString(head))
	var b strings.Builder
	line := head
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > columns:
			b.WriteString(line + "\n")
			line = margin + word
		default:
			line += " " + word
		}
	}
	return b.String() + line + "\n"
}
