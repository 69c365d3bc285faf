package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"iter"

	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/redisfleet/cmd/politefleet/internal/glance"
	"github.com/go-polite/polite/store/redisfleet/cmd/politefleet/internal/verb"
)

const lookUsage = `usage: politefleet look URL --prefix p [--lane text] [-n number] [--json]

Tells what the server at URL keeps of the fleet that has the prefix p: the lanes that
wait longest, with their breaks and slots, and who fetches a robots.txt. It writes
nothing to the server, and goes through its keys in small steps.

    --prefix p    the Options.Prefix of the fleet
    --lane text   list only lanes and claims whose names contain the text
    -n number     list at most so many lanes and so many claims (20)
    --json        write a JSON object a line; the last one has the counts

The URL is the one of package redisfleet, such as redis://localhost:6379. The user
needs few rights: "go doc github.com/go-polite/polite/store/redisfleet" tells which.

    wait       how long until the next start that nobody has reserved
    break      how long the site still wants no requests
    reserved   how many starts are reserved and still to come
    slots      how many requests have a slot: below are their tokens, and how long
               their leases last if they are not renewed

Exit status:

    0   all was read; there may be nothing
    1   failed: a server could not be reached, lacks a right, ...
    2   usage: nothing was read
`

func look(ctx context.Context, args []string, std verb.Streams) error {
	flags := flag.NewFlagSet("look", flag.ContinueOnError)
	prefix := flags.String("prefix", "", "")
	g := glance.New()
	flags.StringVar(&g.Only, "lane", "", "")
	flags.IntVar(&g.Most, "n", 20, "")
	asJSON := flags.Bool("json", false, "")
	args, err := verb.Parse(flags, args)
	if err == nil {
		err = sense(args, *prefix, g.Most)
	}
	if err != nil {
		return err
	}
	viewer, err := redisfleet.OpenViewer(args[0], *prefix)
	if err != nil {
		return err
	}
	defer viewer.Close()

	warn := once(func(err error) { verb.Warn(std.Err, "look", err) })
	complete := each(viewer.Lanes(ctx), g.Lane, warn)
	complete = each(viewer.Entries(ctx), g.Entry, warn) && complete
	if ctx.Err() != nil {
		return verb.Failed
	}
	text := g.Text()
	if *asJSON {
		text = g.JSON()
	}
	if _, err := io.WriteString(std.Out, text); err != nil {
		return err
	}
	if !complete {
		return verb.Failed
	}
	return nil
}

// sense says why a command makes no sense. It does not repeat the URL, which may hold a
// password.
func sense(args []string, prefix string, most int) error {
	switch {
	case len(args) == 0:
		return verb.Misused("look", errors.New("which server? A URL is missing"))
	case len(args) > 1:
		return verb.Misused("look", errors.New("there is more than one URL"))
	case prefix == "":
		return verb.Misused("look", errors.New("which fleet? --prefix is missing"))
	case most < 0:
		return verb.Misused("look", errors.New("-n is negative"))
	}
	return nil
}

// each calls do with all that is found. It reports whether nothing failed.
func each[T any](found iter.Seq2[T, error], do func(T), warn func(error)) bool {
	complete := true
	for one, err := range found {
		if err != nil {
			warn(err)
			complete = false
		} else {
			do(one)
		}
	}
	return complete
}

// once returns a function that tells each error once.
func once(tell func(error)) func(error) {
	told := make(map[string]bool)
	return func(err error) {
		if !told[err.Error()] {
			told[err.Error()] = true
			tell(err)
		}
	}
}
