package terminal

import (
	"cmp"
	"context"
	"io"
	"os"
	"sync"
	"time"
)

const (
	// EraseLine is what a terminal gets when the line of a [Progress] is removed.
	EraseLine = "\r\x1b[K"

	// eraseRest follows a line, in place of all that was longer.
	eraseRest = "\x1b[K"
)

// period is the time between two updates, so that they cost no time and can be read.
const period = 100 * time.Millisecond

// A Progress is the last line of a terminal, which tells how far a command is. Text for
// the same terminal is written through the Progress, in whole lines: the line makes room
// for it. On what is no terminal, there is no line. A Progress is safe for concurrent use.
type Progress struct {
	w     io.Writer
	shows bool

	mu     sync.Mutex
	line   string // what the terminal shows; "" for nothing
	hidden bool   // there is other text in its place
}

// ProgressOn returns a Progress on w, which shows nothing if w is no terminal.
func ProgressOn(w io.Writer) *Progress {
	return &Progress{w: w, shows: Is(w) && os.Getenv("TERM") != "dumb"}
}

// Shows reports whether the line can be seen.
func (p *Progress) Shows() bool { return p.shows }

// Run shows what text returns, anew ten times a second, until ctx ends or end is called.
// Then it removes the line. Text is printable, and "" for no line.
func (p *Progress) Run(ctx context.Context, text func() string) (end func()) {
	if !p.shows {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { p.run(ctx, text) })
	return func() {
		cancel()
		running.Wait()
	}
}

func (p *Progress) run(ctx context.Context, text func() string) {
	defer p.show("")
	ticks := time.NewTicker(period)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			p.show(fit(text(), cmp.Or(Width(p.w), usual)-1)) // a full line may break
		}
	}
}

// show puts line in place of the one before.
func (p *Progress) show(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.line
	switch p.line = line; {
	case line == last || p.hidden:
	case line == "":
		io.WriteString(p.w, EraseLine)
	default:
		io.WriteString(p.w, "\r"+line+eraseRest) // in one piece, so that it does not flicker
	}
}

// Write writes lines of text above the line.
func (p *Progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.line == "" || p.hidden {
		return p.w.Write(text)
	}
	if _, err := io.WriteString(p.w, EraseLine+string(text)+p.line); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Hide removes the line until show is called. In between, text may go to the terminal by
// another way. It ends with a line end.
func (p *Progress) Hide() (show func()) {
	p.set(true)
	return func() { p.set(false) }
}

func (p *Progress) set(hidden bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch p.hidden = hidden; {
	case p.line == "":
	case hidden:
		io.WriteString(p.w, EraseLine)
	default:
		io.WriteString(p.w, p.line)
	}
}

// Beside returns a writer of whole lines to another stream. If w is a terminal, it is
// taken for the same one, and the line makes room.
func (p *Progress) Beside(w io.Writer) io.Writer {
	if p.shows && Is(w) {
		return beside{p, w}
	}
	return w
}

type beside struct {
	progress *Progress
	w        io.Writer
}

func (b beside) Write(text []byte) (int, error) {
	defer b.progress.Hide()()
	return b.w.Write(text)
}
