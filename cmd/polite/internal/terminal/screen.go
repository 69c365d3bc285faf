package terminal

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-polite/polite/internal/printable"
)

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
