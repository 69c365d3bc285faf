package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-polite/polite/store/redisfleet/cmd/politefleet/internal/verb"
)

const usage = `politefleet looks at a fleet: the processes of a crawler that take turns through a
Redis or Valkey server, by package redisfleet.

    politefleet look URL --prefix p   tell what the server keeps of turns and claims
    politefleet demo                  show a fleet at work; needs no network
    politefleet help [command]        print how to use a command
`

func main() {
	signal.Ignore(syscall.SIGPIPE) // so that Write returns an error for a closed pipe
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second Ctrl-C ends the command at once
	os.Exit(int(run(ctx, os.Args[1:], verb.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})))
}

// run executes the command that args are, and returns its exit status.
func run(ctx context.Context, args []string, std verb.Streams) verb.Status {
	name := "help"
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	v, err := find(name)
	if err != nil {
		return verb.Conclude("", err, std.Err)
	}
	return v.Do(ctx, args, std)
}

// verbs returns all verbs. Each has a file of its own.
func verbs() []verb.Verb {
	return []verb.Verb{
		{Name: "look", Usage: lookUsage, Run: look},
		{Name: "demo", Usage: demoUsage, Run: demo},
		{Name: "crawl", Run: crawl},
	}
}

func find(name string) (verb.Verb, error) {
	switch name {
	case "help", "-h", "-help", "--help":
		return verb.Verb{Name: "help", Usage: usage, Run: help}, nil
	}
	for _, v := range verbs() {
		if v.Name == name {
			return v, nil
		}
	}
	return verb.Verb{}, verb.Misused("", fmt.Errorf("unknown command %q", name))
}

// help prints how to use one of the verbs, or all.
func help(_ context.Context, args []string, std verb.Streams) error {
	args, err := verb.Parse(flag.NewFlagSet("help", flag.ContinueOnError), args)
	if err != nil {
		return err
	}
	text := usage
	switch {
	case len(args) > 1:
		return verb.Misused("", errors.New("help takes the name of one command"))
	case len(args) == 1:
		v, err := find(args[0])
		if err != nil {
			return err
		}
		text = v.Usage
	}
	_, err = io.WriteString(std.Out, text)
	return err
}
