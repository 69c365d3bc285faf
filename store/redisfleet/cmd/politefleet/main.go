package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
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
