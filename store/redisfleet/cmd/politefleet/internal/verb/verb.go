// Package verb has what the verbs of the command share: what they read and write, how
// they read their flags, and how they end.
package verb

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/go-polite/polite/internal/printable"
)

// A Verb is what the first argument names, as look is.
type Verb struct {
	Name  string
	Usage string // its help; empty if nobody needs to know it
	Run   func(ctx context.Context, args []string, std Streams) error
}

// Streams are what a verb reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// A Status is the exit status of the command. As an error it says that the error was
// told already.
type Status int

const (
	OK     Status = iota
	Failed        // any failure that is not a misuse
	Misuse        // the command makes no sense
)

func (s Status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Do runs the verb. It tells the error, if there is one, and returns the exit status.
func (v Verb) Do(ctx context.Context, args []string, std Streams) Status {
	err := v.Run(ctx, args, std)
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(std.Out, v.Usage)
	}
	return Conclude(v.Name, err, std.Err)
}

// Conclude writes err to w, and returns the exit status for it. It does not write an
// error that is a [Status], nor the error of a closed pipe: its reader has enough.
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
	Warn(w, name, err)
	if m, ok := errors.AsType[misuse](err); ok {
		fmt.Fprintln(w, m.hint)
		return Misuse
	}
	return Failed
}

// Warn writes an error of a verb to w, made printable. It leaves out the name of package
// redisfleet.
func Warn(w io.Writer, name string, err error) {
	text := printable.Text(strings.TrimPrefix(err.Error(), "redisfleet: "))
	fmt.Fprintf(w, "%s: %s\n", strings.TrimSpace("politefleet "+name), text)
}
