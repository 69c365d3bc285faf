package terminal

import (
	"fmt"
	"io"
	"os"
	"time"
)

// EraseLine is what a terminal gets before and after a line of a [Progress].
const EraseLine = "\r\x1b[K"

const progressPause = 100 * time.Millisecond // between two updates, so that they cost no time

// A Progress is a line on a terminal that says how far a command is. The zero
// Progress shows nothing.
type Progress struct {
	w       io.Writer // nil if it is no terminal
	told    time.Time // when it was updated last
	visible bool
}

// ProgressOn returns a Progress on w, which shows nothing if w is no terminal.
func ProgressOn(w io.Writer) *Progress {
	if !Is(w) || os.Getenv("TERM") == "dumb" {
		return new(Progress)
	}
	return &Progress{w: w}
}

// Shows reports whether the Progress can be seen.
func (p *Progress) Shows() bool { return p.w != nil }

// Show writes the line anew, unless it did so a moment ago.
func (p *Progress) Show(format string, args ...any) {
	if p.w != nil && time.Since(p.told) >= progressPause {
		p.told, p.visible = time.Now(), true
		fmt.Fprintf(p.w, EraseLine+format, args...)
	}
}

// Clear removes the line, to make room for other text.
func (p *Progress) Clear() {
	if p.visible {
		p.visible = false
		io.WriteString(p.w, EraseLine)
	}
}
