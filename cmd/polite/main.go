package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/go-polite/polite/internal/printable"
)

// An exitStatus is how the command ends. As an error it is one that has been told
// already.
type exitStatus int

const (
	exitOK          exitStatus = 0
	exitFailed      exitStatus = 1
	exitMisused     exitStatus = 2
	exitDisallowed  exitStatus = 3
	exitUnreachable exitStatus = 4
)

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// orNil returns s as an error if it is one.
func (s exitStatus) orNil() error {
	if s == exitOK {
		return nil
	}
	return s
}

func main() {
	signal.Ignore(syscall.SIGPIPE) // a closed pipe is an error of Write, so that it can be told
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // the second Ctrl-C does not wait for anything
	os.Exit(run(ctx, os.Args[1:], stdio{os.Stdin, os.Stdout, os.Stderr}))
}

// A stdio is what a command reads and writes: its pages and verdicts go to out,
// what else there is to say to err.
type stdio struct {
	in       io.Reader
	out, err io.Writer
}

// input returns what can be read of in until ctx ends, which a terminal does not
// wait for.
func (s stdio) input(ctx context.Context) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, s.in)
		w.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { w.CloseWithError(context.Cause(ctx)) })
	return r
}

// run executes the command that args are and returns its exit status.
func run(ctx context.Context, args []string, std stdio) int {
	name := "help"
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	c, err := find(name)
	if err == nil {
		err = c.run(ctx, args, std)
	}
	return int(c.conclude(err, std))
}

// A command is what the first argument names.
type command struct {
	name  string
	usage string
	run   func(ctx context.Context, args []string, std stdio) error
}

func commands() []command {
	return []command{
		{"get", getUsage, get},
		{"check", checkUsage, check},
		{"lint", lintUsage(), lintFiles},
		{"sitemaps", sitemapsUsage, sitemaps},
		{"records", recordsUsage, records},
		{"demo", demoUsage, demo},
		{"version", versionUsage, version},
		{"help", usage, help},
	}
}

func find(name string) (command, error) {
	switch name {
	case "-h", "-help", "--help":
		name = "help"
	case "-version", "--version":
		name = "version"
	}
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
	}
	return command{}, unknown(name)
}

// A misuse is the error of a command that makes no sense.
type misuse struct {
	error
	hint string // what to do instead
}

func misused(command string, err error) error {
	return misuse{err, fmt.Sprintf("\"polite help %s\" tells how to use it.", command)}
}

// unknown is the misuse of a name that no command has.
func unknown(name string) error {
	name = shown(name)
	hint := `"polite help" lists the commands.`
	if strings.Contains(name, "://") {
		hint = fmt.Sprintf("To fetch a page, write: polite get %s", name)
	} else if strings.HasSuffix(name, guideName) {
		hint = fmt.Sprintf(`"polite help robots.txt" is a guide to the language, "polite lint %s" looks at a file.`, name)
	} else if meant := closest(name, names()); meant != "" {
		hint = fmt.Sprintf("Did you mean %q? %s", meant, hint)
	}
	return misuse{fmt.Errorf("unknown command %q", name), hint}
}

func names() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// An unreadable is the error of a robots.txt that cannot be had.
type unreadable struct{ error }

// conclude returns the exit status for what the command returned.
func (c command) conclude(err error, std stdio) exitStatus {
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(std.out, c.usage)
	}
	if err == nil {
		return exitOK
	}
	if status, ok := errors.AsType[exitStatus](err); ok {
		return status
	}
	if errors.Is(err, syscall.EPIPE) {
		return exitFailed // whoever reads has enough, as head has: nothing to tell
	}
	fmt.Fprintf(std.err, "%s: %s\n", strings.TrimSpace("polite "+c.name), message(err))
	if m, ok := errors.AsType[misuse](err); ok {
		fmt.Fprintln(std.err, printable.Text(m.hint))
		return exitMisused
	}
	if _, ok := errors.AsType[unreadable](err); ok {
		return exitUnreachable
	}
	return exitFailed
}

// message returns the text of err, printable, without the name of the package, which
// is also that of the command.
func message(err error) string {
	if err == nil {
		return ""
	}
	return printable.Text(strings.TrimPrefix(err.Error(), "polite: "))
}

// parse reads the flags among args, wherever they stand, and returns the rest.
func parse(flags *flag.FlagSet, args []string) (rest []string, err error) {
	flags.SetOutput(io.Discard) // conclude tells
	for {
		err := flags.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		if err != nil {
			return nil, misused(flags.Name(), flagError(flags, err))
		}
		read := len(args) - flags.NArg()
		if flags.NArg() == 0 || read > 0 && args[read-1] == "--" {
			return append(rest, flags.Args()...), nil
		}
		rest, args = append(rest, flags.Arg(0)), flags.Args()[1:]
	}
}

// flagError returns err with the flags as the help writes them; if it is that
// there is no such flag, it tells which there are.
func flagError(flags *flag.FlagSet, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		text := err.Error()
		flags.VisitAll(func(f *flag.Flag) {
			text = strings.Replace(text, " flag -"+f.Name+":", " flag "+dashed(f.Name)+":", 1)
		})
		return errors.New(text)
	}
	var known []string
	flags.VisitAll(func(f *flag.Flag) { known = append(known, dashed(f.Name)) })
	if len(known) == 0 {
		known = []string{"none"}
	}
	return fmt.Errorf("unknown flag %s: there is %s", dashed(name), strings.Join(known, ", "))
}

// dashed returns a flag as the help writes it.
func dashed(flag string) string {
	if len(flag) == 1 {
		return "-" + flag
	}
	return "--" + flag
}

// parseNone is parse for a command that takes no arguments.
func parseNone(name string, args []string) error {
	rest, err := parse(flag.NewFlagSet(name, flag.ContinueOnError), args)
	if err == nil && len(rest) > 0 {
		err = misused(name, fmt.Errorf("unexpected argument %q", shown(rest[0])))
	}
	return err
}
