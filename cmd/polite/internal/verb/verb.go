// Package verb has what all verbs of the command share: what they read and write, how they
// read a time, and how they end.
package verb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-polite/polite/internal/printable"
	"github.com/spf13/pflag"
)

// Conclude writes the err of a verb to w, and returns the exit status for it. It does not
// write an error that is a [Status], because it was told before, nor the error of a closed
// pipe, because the reader has enough.
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
	if m, ok := errors.AsType[MisuseError](err); ok {
		fmt.Fprintln(w, m.hint)
		return Misuse
	}
	if _, ok := errors.AsType[unreadable](err); ok {
		return Unreachable
	}
	return Failed
}

// Streams are what a verb reads and writes: pages, verdicts and findings go to Out,
// all else to Err.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Warning returns a function that tells an error in spite of which a verb goes on.
func (s Streams) Warning(verb string) func(error) {
	return func(err error) { fmt.Fprintf(s.Err, "polite %s: %s\n", verb, Message(err)) }
}

// Spoken returns w, or what swallows all if a command is quiet.
func Spoken(quiet bool, w io.Writer) io.Writer {
	if quiet {
		return io.Discard
	}
	return w
}

// Input returns a reader of In that fails as soon as ctx ends. In itself may be a
// terminal, whose Read does not return then.
func (s Streams) Input(ctx context.Context) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, s.In)
		w.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { w.CloseWithError(context.Cause(ctx)) })
	return r
}

// A Status is the exit status of the command. As an error it says that the error was
// told already.
type Status int

const (
	OK          Status = iota
	Failed             // any failure that is none of these
	Misuse             // the command makes no sense
	Disallowed         // by robots.txt
	Unreachable        // robots.txt could not be fetched or read
)

func (s Status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// OrNil returns s as an error, or nil if s is OK.
func (s Status) OrNil() error {
	if s == OK {
		return nil
	}
	return s
}

// A First is the status of the first that did not go well, in whatever order they are
// noted. The zero First is that all went well.
type First struct {
	status Status
	n      int // its place
}

// Note notes the status of what is in the place n.
func (f *First) Note(n int, status Status) {
	if status != OK && (f.status == OK || n < f.n) {
		f.status, f.n = status, n
	}
}

// Status returns the status.
func (f *First) Status() Status { return f.status }

// A MisuseError is the error of a command that makes no sense.
type MisuseError struct {
	error
	hint string // what to do instead
}

// Misused returns the error for a use of a verb that makes no sense. It is told with
// a hint at the verb's help.
func Misused(verb string, err error) error {
	return Hinted(err, fmt.Sprintf("%q tells how to use it.", strings.TrimSpace("polite help "+verb)))
}

// Hinted is Misused with a hint of its own.
func Hinted(err error, hint string) error { return MisuseError{err, printable.Text(hint)} }

type unreadable struct{ error }

func (u unreadable) Unwrap() error { return u.error }

// Unread returns err as the error for a robots.txt that could not be fetched or read.
func Unread(err error) error { return unreadable{err} }

// Message returns the text of err, made printable. It leaves out the name of package
// polite, which is also the command's.
func Message(err error) string {
	if err == nil {
		return ""
	}
	return printable.Text(strings.TrimPrefix(err.Error(), "polite: "))
}

// Time defines a flag whose value is a time: seconds, as in 10 or 0.5, or a duration with
// its unit, as in 2m.
func Time(flags *pflag.FlagSet, t *time.Duration, name, usage string) {
	flags.Func(name, usage, func(value string) error {
		d, err := time.ParseDuration(value)
		if _, number := strconv.ParseFloat(value, 64); number == nil {
			d, err = time.ParseDuration(value + "s")
		}
		if err != nil || d <= 0 {
			return errors.New("write seconds, as in 10, or a time with its unit, as in 2m")
		}
		*t = d
		return nil
	})
}
