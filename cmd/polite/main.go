package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-polite/polite/cmd/polite/internal/child"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

func main() { os.Exit(command()) }

// command executes the command that the arguments of the process are, and returns its exit
// status.
func command() int {
	child.Enter()
	signal.Ignore(syscall.SIGPIPE) // so that Write returns an error for a closed pipe
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // the second Ctrl-C ends the command at once
	return int(run(ctx, os.Args[1:], verb.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

// run executes the command that args are, and returns its exit status.
func run(ctx context.Context, args []string, std verb.Streams) verb.Status {
	name := "help"
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	v, err := verb.Find(verbs(), name)
	if err != nil {
		return verb.Conclude("", err, std.Err)
	}
	return v.Do(ctx, args, std)
}

// verbs returns all verbs, in the order of the help. Each has a file of its own.
func verbs() []verb.Verb {
	return []verb.Verb{
		{Name: "get", Usage: getUsage, Run: get},
		{Name: "check", Usage: checkUsage, Run: check},
		{Name: "lint", Usage: lintUsage(), Run: lintFiles},
		{Name: "diff", Usage: diffUsage, Run: diffFiles},
		{Name: "tester", Usage: testerUsage, Run: serveTester},
		{Name: "run", Usage: runUsage, Run: runProgram},
		{Name: "proxy", Usage: proxyUsage, Run: serveProxy},
		{Name: "crawlers", Usage: crawlersUsage, Run: listCrawlers},
		{Name: "sitemaps", Usage: sitemapsUsage, Run: sitemaps},
		{Name: "records", Usage: recordsUsage, Run: records},
		{Name: "cache", Usage: cacheUsage, Run: cache},
		{Name: "demo", Usage: demoUsage, Run: demo},
		{Name: "completion", Usage: completionUsage, Run: func(_ context.Context, args []string, std verb.Streams) error {
			return completion(verbs(), args, std)
		}},
		{Name: "man", Usage: manUsage, Run: func(_ context.Context, args []string, std verb.Streams) error {
			return man(verbs(), args, std)
		}},
		{Name: "version", Usage: versionUsage, Run: version},
		{Name: "help", Usage: usage, Run: func(_ context.Context, args []string, std verb.Streams) error {
			return help(verbs(), args, std)
		}},
	}
}
