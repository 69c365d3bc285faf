package store

import (
	"context"
	"iter"
)

// A Journal keeps what a queue.Queue has to do for longer than a process lives. Package boltstore has one. One
// queue at a time uses a Journal.
type Journal interface {
	// Write gives keys their values, all or none. A nil value removes its key. When Write returns nil, the
	// changes outlive the process.
	Write(ctx context.Context, changes map[string][]byte) error

	// Lines yields all keys and their values, those of one first octet in the order of their keys. After an
	// error there are no more lines. Nobody writes meanwhile. If another queue of this process uses the Journal,
	// Lines yields an error: the two would write over each other's lines.
	Lines(ctx context.Context) iter.Seq2[Line, error]
}

// A Line is a key of a [Journal], and its value.
type Line struct {
	Key   string // up to some hundred octets
	Value []byte
}
