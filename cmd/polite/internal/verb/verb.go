// Package verb has what all verbs of the command share: what they read and write,
// how they read their flags, and how they end.
package verb

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"syscall"
)

// A Verb is what the first argument names, as get is.
type Verb struct {
	Name  string
	Usage string // its help
	Run   func(ctx context.Context, args []string, std Streams) error
}

// Do runs the verb. It tells the error, if there is one, and returns the exit status.
func (v Verb) Do(ctx context.Context, args []string, std Streams) Status {
	err := v.Run(ctx, args, std)
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(std.Out, v.Usage)
	}
	return Conclude(v.Name, err, std.Err)
}

// Conclude writes err to w, and returns the exit status for it. An error that is a
// [Status] was written before; that of a closed pipe is not written, since the reader
// has enough.
func Conclude(name string, err error, w io.Writer) Status {
	if err == nil {
		return OK
	}
	if status, ok := errors.AsType[Status](err); ok {
		return status
	}
	if errors.Is(err, syscall.EPIPE) {
		return Failed
	}
	fmt.Fprintf(w, "%s: %s\n", strings.TrimSpace("polite "+name), Message(err))
	if m, ok := errors.AsType[misuse](err); ok {
		fmt.Fprintln(w, m.hint)
		return Misuse
	}
	if _, ok := errors.AsType[unreadable](err); ok {
		return Unreachable
	}
	return Failed
}
