package terminal

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/go-polite/polite/internal/printable"
	"github.com/spf13/pflag"
)

// A Style is how text looks: with colours on a terminal that has them. The zero
// Style leaves text as it is.
type Style struct{ colours bool }

// StyleFor returns the Style for w, as the environment and w have it: NO_COLOR is for no
// colours, FORCE_COLOR and CLICOLOR_FORCE are for colours also where w is no terminal.
func StyleFor(w io.Writer) Style {
	switch {
	case os.Getenv("NO_COLOR") != "":
		return Style{}
	case forces("FORCE_COLOR") || forces("CLICOLOR_FORCE"):
		return Style{true}
	default:
		return Style{Is(w) && os.Getenv("TERM") != "dumb"}
	}
}

// forces reports whether a variable asks for colours.
func forces(variable string) bool {
	value := os.Getenv(variable)
	return value != "" && value != "0" && value != "false"
}

// A Colour is when there are colours: the value of --color. The zero Colour leaves it to
// the environment.
type Colour string

// Flag defines --color.
func (c *Colour) Flag(flags *pflag.FlagSet) {
	flags.Func("color", "`when` to use colours: auto, always or never", func(when string) error {
		if when != "auto" && when != "always" && when != "never" {
			return errors.New("write auto, always or never")
		}
		*c = Colour(when)
		return nil
	})
}

// StyleFor returns the Style for w.
func (c Colour) StyleFor(w io.Writer) Style {
	switch c {
	case "always":
		return Style{true}
	case "never":
		return Style{}
	default:
		return StyleFor(w)
	}
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
