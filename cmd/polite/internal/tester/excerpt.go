package tester

import (
	"unicode/utf8"

	"github.com/go-polite/polite/internal/printable"
)

// longest is how many octets of a text of the file are told. One rule may be as long as the
// file, and decide on each of 10,000 URLs.
const longest = 1000

// excerpt returns the beginning of a text that others wrote, made printable.
func excerpt(text string) string {
	if len(text) <= longest {
		return printable.Text(text)
	}
	end := longest
	for end > longest-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return printable.Text(text[:end]) + "..."
}
