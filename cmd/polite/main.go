// Polite is the command of module github.com/go-polite/polite. It fetches pages
// as a well-behaved crawler does: robots.txt is asked first, and what the site
// disallows is not requested.
//
//	polite get [-A user-agent] [-o file] [--json] URL...
//	polite demo
//	polite version
//	polite help [command]
//
// # Get
//
// Get writes the pages to standard output, or to the file of -o, and a line for
// each request to standard error: what robots.txt says about it and why. Each hop
// of a redirect is a request of its own.
//
//	allowed     200  https://example.com/a  (line 4: allow: /a)
//	disallowed       https://example.com/private/x  by "disallow: /private", line 2 of https://example.com/robots.txt (group "*")
//	unreachable      https://example.org/  because https://example.org/robots.txt answered 500 Internal Server Error
//	failed           https://example.net/  dial tcp 192.0.2.1:443: connect: connection refused
//
// With --json the lines are JSON objects, one a line. All have url and allowed;
// the others are left out where they are empty:
//
//	url               what was asked for, without its password
//	hop               2 and more after redirects
//	redirected_from   the URL that led here
//	allowed           whether robots.txt allows it, as far as is known
//	reason            rule, no-rule, unavailable, unreachable, robots.txt or not-http
//	status            the HTTP status of the page
//	error             why there is no page
//	origin            the site: scheme, host and port
//	agent             our product token
//	group             the token of the group that speaks to us
//	rule, line        the rule that decided, and where it stands
//	robots_url        the robots.txt that was asked for
//	robots_status     its HTTP status
//	robots_hops       where it redirected to
//	robots_error      why there was no answer to rely on
//	robots_truncated  whether it is longer than what is read of it
//	next              when to ask for it again
//
// Every URL is tried, unless what came before it could not be written. The exit
// status is 0 if all were fetched, whatever their HTTP status, and otherwise that
// of the first that was not: 3 if robots.txt disallows it, 4 if robots.txt cannot
// be had, 1 for any other failure. It is 2 for a command that makes no sense;
// then nothing was asked for.
//
// # Demo
//
// Demo plays three small sites on this machine, lets a client of package polite
// loose on them, and shows what it does. It needs no network.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
)

// An exitStatus is how the command ends. As an error it is one that has been told
// already.
type exitStatus int

const (
	exitFetched     exitStatus = 0
	exitFailed      exitStatus = 1
	exitMisused     exitStatus = 2
	exitDisallowed  exitStatus = 3
	exitUnreachable exitStatus = 4
)

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

func main() {
	signal.Ignore(syscall.SIGPIPE) // a closed pipe is an error of Write, so that it can be told
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // the second Ctrl-C does not wait for anything
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes the command that args are and returns its exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	name := "help"
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	c, err := find(name)
	if err == nil {
		err = c.run(ctx, args, stdout, stderr)
	}
	return int(c.conclude(err, stdout, stderr))
}

// A command is what the first argument names.
type command struct {
	name  string
	usage string
	run   func(ctx context.Context, args []string, stdout, stderr io.Writer) error
}

func commands() []command {
	return []command{
		{"get", getUsage, get},
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

func unknown(name string) error {
	hint := `"polite help" lists the commands.`
	if strings.Contains(name, "://") {
		hint = "To fetch a page, write: polite get " + name
	}
	return misuse{fmt.Errorf("unknown command %q", name), hint}
}

// conclude returns the exit status for what the command returned.
func (c command) conclude(err error, stdout, stderr io.Writer) exitStatus {
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(stdout, c.usage)
	}
	if err == nil {
		return exitFetched
	}
	if status, ok := errors.AsType[exitStatus](err); ok {
		return status
	}
	fmt.Fprintf(stderr, "%s: %s\n", strings.TrimSpace("polite "+c.name), message(err))
	if m, ok := errors.AsType[misuse](err); ok {
		fmt.Fprintln(stderr, m.hint)
		return exitMisused
	}
	return exitFailed
}

// message returns the text of err without the name of the package, which is also
// that of the command.
func message(err error) string {
	if err == nil {
		return ""
	}
	return strings.TrimPrefix(err.Error(), "polite: ")
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
			return nil, misused(flags.Name(), err)
		}
		if flags.NArg() == 0 {
			return rest, nil
		}
		rest, args = append(rest, flags.Arg(0)), flags.Args()[1:]
	}
}

// parseNone is parse for a command that takes no arguments.
func parseNone(name string, args []string) error {
	rest, err := parse(flag.NewFlagSet(name, flag.ContinueOnError), args)
	if err == nil && len(rest) > 0 {
		err = misused(name, fmt.Errorf("unexpected argument %q", rest[0]))
	}
	return err
}

const usage = `polite fetches pages as a well-behaved crawler does: it asks robots.txt first,
and does not request what the site disallows.

    polite get URL...        fetch pages
    polite demo              see how it works; needs no network
    polite version           print the version
    polite help [command]    print how to use a command
`

func help(_ context.Context, args []string, stdout, _ io.Writer) error {
	args, err := parse(flag.NewFlagSet("help", flag.ContinueOnError), args)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return flag.ErrHelp
	}
	c, err := find(args[0])
	if err != nil {
		return err
	}
	_, err = io.WriteString(stdout, c.usage)
	return err
}

const versionUsage = `usage: polite version

Prints the version of the command, and that of Go which it was built with.
`

func version(_ context.Context, args []string, stdout, _ io.Writer) error {
	if err := parseNone("version", args); err != nil {
		return err
	}
	number := buildVersion()
	if number == "" {
		number = "(unreleased)"
	}
	_, err := fmt.Fprintf(stdout, "polite %s, %s %s/%s\n", number, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// buildVersion returns the version of the module, as in "1.2.3", or "" if it was
// built from a working copy.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "(devel)" {
		return ""
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}

// userAgent is who the command says it is.
func userAgent() string {
	product := "polite"
	if number := buildVersion(); number != "" {
		product += "/" + number
	}
	return product + " (+https://github.com/go-polite/polite)"
}
