package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/go-polite/polite/internal/printable"
)

// streams are what a verb reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// A status is the exit status of the command. As an error it says that the error was
// told already.
type status int

const (
	succeeded status = iota
	failed           // any failure that is not a misuse
	misused          // the command makes no sense
)

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// conclude writes err to w, and returns the exit status for it. It does not write an
// error that is a [status], nor the error of a closed pipe: its reader has enough.
func conclude(name string, err error, w io.Writer) status {
	if err == nil {
		return succeeded
	}
	if s, ok := errors.AsType[status](err); ok {
		return s
	}
	if errors.Is(err, syscall.EPIPE) {
		return failed
	}
	warn(w, name, err)
	if m, ok := errors.AsType[misuse](err); ok {
		fmt.Fprintf(w, "%q tells how to use it.\n", strings.TrimSpace("politefleet help "+m.verb))
		return misused
	}
	return failed
}

// warn writes an error of a verb to w, made printable. It leaves out the name of package
// redisfleet.
func warn(w io.Writer, name string, err error) {
	text := printable.Text(strings.TrimPrefix(err.Error(), "redisfleet: "))
	fmt.Fprintf(w, "%s: %s\n", strings.TrimSpace("politefleet "+name), text)
}

// A misuse is the error of a command that makes no sense.
type misuse struct {
	verb string // whose help to read; empty: the help of all
	error
}

// misusef returns a misuse of a verb.
func misusef(verb, format string, args ...any) error {
	return misuse{verb, fmt.Errorf(format, args...)}
}

// parse reads the flags among args, wherever they stand, and returns the other
// arguments. After "--" there are no flags. The flags have the name of the verb.
func parse(flags *flag.FlagSet, args []string) (rest []string, err error) {
	flags.SetOutput(io.Discard) // run tells
	for {
		err := flags.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		if err != nil {
			return nil, misuse{flags.Name(), flagError(flags, err)}
		}
		read := len(args) - flags.NArg()
		if flags.NArg() == 0 || read > 0 && args[read-1] == "--" {
			return append(rest, flags.Args()...), nil
		}
		rest, args = append(rest, flags.Arg(0)), flags.Args()[1:]
	}
}

// flagError returns err with the flags written as the help writes them. If a flag does not
// exist, it lists those that do.
func flagError(flags *flag.FlagSet, err error) error {
	text := err.Error()
	if name, unknown := strings.CutPrefix(text, "flag provided but not defined: -"); unknown {
		var known []string
		flags.VisitAll(func(f *flag.Flag) { known = append(known, dashed(f.Name)) })
		return fmt.Errorf("unknown flag %s: there is %s", dashed(name), strings.Join(known, ", "))
	}
	flags.VisitAll(func(f *flag.Flag) {
		text = strings.Replace(text+":", " -"+f.Name+":", " "+dashed(f.Name)+":", 1)
		text = strings.TrimSuffix(text, ":")
	})
	return errors.New(text)
}

// dashed returns a flag as the help writes it.
func dashed(flag string) string {
	if len(flag) == 1 {
		return "-" + flag
	}
	return "--" + flag
}
