package conduct

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"sync"
)

// A Log is what a Transport has logged so far. It is safe for concurrent use: a Transport also logs
// from goroutines that outlive a request.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Logger returns a Logger that writes to l, from level on.
func (l *Log) Logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: level}))
}

// Write adds text.
func (l *Log) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

// String returns all that was written.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Take returns the lines that were written, and forgets them.
func (l *Log) Take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return slices.Collect(strings.Lines(l.text.String()))
}
