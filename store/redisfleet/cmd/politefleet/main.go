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
	"strings"
	"syscall"

	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/store/redisfleet/cmd/politefleet/internal/glance"
)

//go:embed usage.txt
var usage string

func main() {
	signal.Ignore(syscall.SIGPIPE) // so that Write returns an error for a closed pipe
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second Ctrl-C ends the command at once
	os.Exit(int(run(ctx, os.Args[1:], streams{os.Stdout, os.Stderr})))
}

// streams are what the command writes to.
type streams struct{ out, err io.Writer }

// A status is the exit status of the command.
type status int

const (
	succeeded status = iota
	failed           // any failure that is not a misuse
	misused          // the command makes no sense
)

// run executes the command that args are, and returns its exit status.
func run(ctx context.Context, args []string, std streams) status {
	w, err := read(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, err = io.WriteString(std.out, usage)
	case err != nil:
		warn(std.err, err)
		fmt.Fprintln(std.err, `"politefleet --help" tells how to use it.`)
		return misused
	default:
		err = look(ctx, w, std)
	}
	if err == nil {
		return succeeded
	}
	if !errors.Is(err, errTold) && !errors.Is(err, syscall.EPIPE) { // the reader of a closed pipe has enough
		warn(std.err, err)
	}
	return failed
}

// warn writes an error to w, made printable. It leaves out the name of package redisfleet.
func warn(w io.Writer, err error) {
	fmt.Fprintf(w, "politefleet: %s\n", printable.Text(strings.TrimPrefix(err.Error(), "redisfleet: ")))
}

// wanted is what to look at, and how to tell it.
type wanted struct {
	url, prefix string
	glance      *glance.Glance
	json        bool
}

// read reads the arguments: flags may stand on both sides of the URL. It does not repeat the URL, which may hold
// a password.
func read(args []string) (wanted, error) {
	w := wanted{glance: glance.New()}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // run tells
	flags.StringVar(&w.prefix, "prefix", "", "")
	flags.StringVar(&w.glance.Only, "lane", "", "")
	flags.IntVar(&w.glance.Most, "n", 20, "")
	flags.BoolVar(&w.json, "json", false, "")
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		w.url = flags.Arg(0)
		err = flags.Parse(flags.Args()[1:])
	}
	switch {
	case err != nil:
		return w, err
	case w.url == "":
		return w, errors.New("which server? A URL is missing")
	case flags.NArg() > 0:
		return w, errors.New("there is more than one URL")
	case w.prefix == "":
		return w, errors.New("which fleet? --prefix is missing")
	case w.glance.Most < 0:
		return w, errors.New("-n is negative")
	}
	return w, nil
}
