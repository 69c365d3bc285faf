package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
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

// printable makes s fit for one line of a terminal: sites have a say in it.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// excerpt returns what of a site's text fits on a line, printable. The rest would
// only hide what else there is to say.
func excerpt(text string) string {
	const most = 100
	text = strings.TrimRight(strings.ReplaceAll(text, "\t", " "), " ")
	for i, n := 0, 0; i < len(text); n++ {
		if n == most {
			return printable(text[:i]) + "..."
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return printable(text)
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
