package terminal

import (
	"io"
	"os"
	"strings"

	"github.com/go-polite/polite/internal/printable"
)

// A Style is how text looks: with colours on a terminal that has them. The zero
// Style leaves text as it is.
type Style struct{ colours bool }

// StyleFor returns the Style for w. It has no colours if NO_COLOR is set.
func StyleFor(w io.Writer) Style {
	return Style{Is(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func (s Style) Red(text string) string    { return s.paint("31", text) }
func (s Style) Green(text string) string  { return s.paint("32", text) }
func (s Style) Yellow(text string) string { return s.paint("33", text) }
func (s Style) Bold(text string) string   { return s.paint("1", text) }
func (s Style) Dim(text string) string    { return s.paint("2", text) }

func (s Style) paint(code, text string) string {
	if !s.colours || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Excerpt returns the beginning of a text that others wrote, made printable and
// short enough for a line.
func Excerpt(text string) string {
	const most = 100
	text = printable.Text(strings.TrimRight(strings.ReplaceAll(text, "\t", " "), " "))
	n := 0
	for i := range text {
		if n == most {
			return text[:i] + "..."
		}
		n++
	}
	return text
}
