package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-polite/polite/internal/printable"
	"golang.org/x/text/width"
)

// fit returns text in at most width columns. It cuts what is longer.
func fit(text string, width int) string {
	const cut = "..."
	column, end := 0, 0 // end is where the cut would be
	for i, r := range text {
		if column <= width-len(cut) {
			end = i
		}
		if column += cell(r); column > width {
			return text[:end] + cut[:max(0, min(len(cut), width))]
		}
	}
	return text
}

// Pointed returns the part of a line around an octet, made printable, and the spaces that
// precede a mark below that octet. Both fit in so many columns.
func Pointed(line string, octet, columns int) (text, spaces string) {
	const around = 1000 // octets that are looked at, as a line may be as long as a file
	octet = min(max(octet, 0), len(line))
	start := runeStart(line, max(0, octet-around))
	end := runeStart(line, min(len(line), octet+around))
	octet = runeStart(line, octet)
	all := printable.Text(strings.ReplaceAll(line[start:end], "\t", " "))
	before := printable.Text(strings.ReplaceAll(line[start:octet], "\t", " "))
	before = all[:min(len(before), len(all))]
	after := all[len(before):]
	if start > 0 || Cells(before) > columns*2/3 {
		before = "..." + lastOf(before, columns/2)
	}
	if end < len(line) {
		after += "..."
	}
	return before + fit(after, columns-Cells(before)), strings.Repeat(" ", Cells(before))
}

// Fold breaks a printable line at its spaces, so that it fits in so many columns. All lines
// but the first are indented. For 0 columns, it leaves the line as it is.
func Fold(line string, columns, indent int) string {
	if columns == 0 || Cells(line) <= columns {
		return line
	}
	var b strings.Builder
	at, fresh := 0, true // fresh says that the line has no word yet
	for i, word := range strings.Split(line, " ") {
		size := Cells(word)
		switch {
		case i == 0:
		case at+1+size > columns && !fresh:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at, fresh = at+size, false
	}
	return b.String()
}

// runeStart returns where the character begins that the octet i belongs to.
func runeStart(s string, i int) int {
	for j := i; j >= 0 && i-j < utf8.UTFMax && j < len(s); j-- {
		if utf8.RuneStart(s[j]) {
			if _, size := utf8.DecodeRuneInString(s[j:]); j+size > i {
				return j
			}
			break
		}
	}
	return i
}

// lastOf returns as much of the end of text as takes so many columns.
func lastOf(text string, columns int) string {
	start := len(text)
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		if columns -= cell(r); columns < 0 {
			break
		}
		start -= size
	}
	return text[start:]
}

// Cells returns how many columns a printable text takes on most terminals.
func Cells(text string) int {
	n := 0
	for _, r := range text {
		n += cell(r)
	}
	return n
}

// cell returns how many columns a printable character takes on most terminals.
func cell(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	switch kind := width.LookupRune(r).Kind(); {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}
