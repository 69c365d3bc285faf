package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-polite/polite/internal/printable"
)

// isTerminal reports whether a stream is one of a terminal, as far as can be
// told without asking the terminal itself.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// A style is how text looks on a terminal that can show colours. The zero style
// leaves it as it is.
type style struct{ colours bool }

// styleFor returns the style for w. Whoever sets NO_COLOR wants none.
func styleFor(w io.Writer) style {
	return style{isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func (s style) red(text string) string    { return s.paint("31", text) }
func (s style) green(text string) string  { return s.paint("32", text) }
func (s style) yellow(text string) string { return s.paint("33", text) }
func (s style) bold(text string) string   { return s.paint("1", text) }
func (s style) dim(text string) string    { return s.paint("2", text) }

func (s style) paint(code, text string) string {
	if !s.colours || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// outcome paints text as what became of a request.
func (s style) outcome(o exitStatus, text string) string {
	switch o {
	case exitOK:
		return s.green(text)
	case exitDisallowed:
		return s.red(text)
	default:
		return s.yellow(text)
	}
}

// excerpt returns what of a site's text fits on a line, printable. The rest would
// only hide what else there is to say.
func excerpt(text string) string {
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

// A screen is a terminal that pages are written to. What would act on it is escaped.
type screen struct {
	w    io.Writer
	rest []byte // of what was written: the beginning of a character, or half of a line end
}

// onScreen returns w, or a screen if it is a terminal.
func onScreen(w io.Writer) io.Writer {
	if isTerminal(w) {
		return &screen{w: w}
	}
	return w
}

func (s *screen) Write(p []byte) (int, error) {
	text := append(s.rest, p...)
	end := len(text) - unfinished(text)
	s.rest = text[end:]
	if err := s.show(text[:end]); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close shows what was still to be continued. It leaves the terminal open.
func (s *screen) Close() error {
	defer func() { s.rest = nil }()
	return s.show(s.rest)
}

func (s *screen) show(text []byte) error {
	_, err := io.WriteString(s.w, printable.Lines(strings.ReplaceAll(string(text), "\r\n", "\n")))
	return err
}

// unfinished returns how many octets at the end of text what follows may continue.
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

// A progress is a line on a terminal that tells how far a command is. On anything
// else it is nothing.
type progress struct {
	w       io.Writer // nil if it is not a terminal
	told    time.Time // the last time
	visible bool
}

const (
	eraseLine     = "\r\x1b[K"
	progressPause = 100 * time.Millisecond // at least, so that telling takes no time
)

func progressOn(w io.Writer) *progress {
	if !isTerminal(w) || os.Getenv("TERM") == "dumb" {
		return &progress{}
	}
	return &progress{w: w}
}

func (p *progress) show(format string, args ...any) {
	if p.w != nil && time.Since(p.told) >= progressPause {
		p.told, p.visible = time.Now(), true
		fmt.Fprintf(p.w, eraseLine+format, args...)
	}
}

// clear makes room for other text.
func (p *progress) clear() {
	if p.visible {
		p.visible = false
		io.WriteString(p.w, eraseLine)
	}
}
