package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/go-polite/polite/internal/printable"
)

// The texts of "politefleet help".
var (
	//go:embed help/overview.txt
	usage string
	//go:embed help/look.txt
	lookUsage string
	//go:embed help/demo.txt
	demoUsage string
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // so that Write returns an error for a closed pipe
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second Ctrl-C ends the command at once
	os.Exit(int(run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})))
}

// run executes the command that args are, and returns its exit status.
func run(ctx context.Context, args []string, std streams) status {
	name := "help"
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	if slices.Contains([]string{"-h", "-help", "--help"}, name) {
		name = "help"
	}
	v, err := find(name)
	if err != nil {
		return conclude("", err, std.err)
	}
	if err = v.run(ctx, args, std); errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(std.out, v.usage)
	}
	return conclude(name, err, std.err)
}

// A verb is what the first argument names, as look is.
type verb struct {
	usage string // its help; empty if nobody needs to know it
	run   func(ctx context.Context, args []string, std streams) error
}

func find(name string) (verb, error) {
	switch name {
	case "look":
		return verb{lookUsage, look}, nil
	case "demo":
		return verb{demoUsage, demo}, nil
	case "crawl":
		return verb{"", crawl}, nil
	case "help":
		return verb{usage, help}, nil
	}
	return verb{}, misusef("", "unknown command %q", name)
}

// help prints how to use one of the verbs, or all.
func help(_ context.Context, args []string, std streams) error {
	args, err := parse(flag.NewFlagSet("help", flag.ContinueOnError), args)
	if err != nil {
		return err
	}
	text := usage
	switch {
	case len(args) > 1:
		return misusef("", "help takes the name of one command")
	case len(args) == 1:
		v, err := find(args[0])
		if err != nil {
			return err
		}
		text = v.usage
	}
	_, err = io.WriteString(std.out, text)
	return err
}

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
