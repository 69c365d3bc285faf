// Package terminal has what a terminal makes of output: colours, a line that tells
// the progress, and pages that can do it no harm.
package terminal

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/go-polite/polite/internal/printable"
	"golang.org/x/term"
)

// Is reports whether a stream is a terminal.
func Is(stream any) (is bool) {
	ask(stream, func(fd int) { is = term.IsTerminal(fd) })
	return is
}

// usual is the width of a terminal that does not know its own.
const usual = 80

// Width returns the number of columns of a terminal, and 0 if w is none. It may be another
// one each time, because a user changes the size of a window.
func Width(w io.Writer) (columns int) {
	ask(w, func(fd int) {
		if !term.IsTerminal(fd) {
			return
		}
		columns = usual
		if known, _, err := term.GetSize(fd); err == nil && known > 0 {
			columns = known
		}
	})
	return columns
}

// ask calls question with the descriptor of a stream that is a file. Method Fd would make
// the file block.
func ask(stream any, question func(fd int)) {
	if file, ok := stream.(*os.File); ok {
		if conn, err := file.SyscallConn(); err == nil {
			conn.Control(func(fd uintptr) { question(int(fd)) }) // it fails if the file is closed
		}
	}
}

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

// A Screen is a terminal to which pages are written. It escapes all that would act
// on the terminal. If several pages go to it, close it after each.
type Screen struct {
	w    io.Writer
	rest []byte // the end of what was written: the beginning of a character or of a line end
	open bool   // the last line has not ended
}

// OnScreen returns a [Screen] if w is a terminal, and w if not.
func OnScreen(w io.Writer) io.Writer {
	if Is(w) {
		return &Screen{w: w}
	}
	return w
}

func (s *Screen) Write(p []byte) (int, error) {
	text := append(s.rest, p...)
	end := len(text) - unfinished(text)
	s.rest = text[end:]
	if err := s.show(text[:end]); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close ends a page: it shows the characters that waited to be continued, and ends the
// last line. The terminal stays open.
func (s *Screen) Close() error {
	err := s.show(s.rest)
	if s.rest = nil; s.open && err == nil {
		err = s.show([]byte("\n"))
	}
	return err
}

func (s *Screen) show(text []byte) error {
	if len(text) > 0 {
		s.open = text[len(text)-1] != '\n'
	}
	_, err := io.WriteString(s.w, printable.Lines(strings.ReplaceAll(string(text), "\r\n", "\n")))
	return err
}

// unfinished returns the number of octets at the end of text that the next octets
// may continue.
func unfinished(text []byte) int {
	for n := 1; n <= min(len(text), utf8.UTFMax); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if last[0] == '\r' || !utf8.FullRune(last) {
				return n
			}
			break
		}
	}
	return 0
}
