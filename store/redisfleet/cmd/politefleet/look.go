package main

import (
	"context"
	"flag"
	"io"
	"iter"

	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/redisfleet/cmd/politefleet/internal/glance"
)

func look(ctx context.Context, args []string, std streams) error {
	flags := flag.NewFlagSet("look", flag.ContinueOnError)
	prefix := flags.String("prefix", "", "")
	g := glance.New()
	flags.StringVar(&g.Only, "lane", "", "")
	flags.IntVar(&g.Most, "n", 20, "")
	asJSON := flags.Bool("json", false, "")
	args, err := parse(flags, args)
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

	warn := once(func(err error) { warn(std.err, "look", err) })
	complete := each(viewer.Servers(ctx), g.Server, warn)
	complete = each(viewer.Lanes(ctx), g.Lane, warn) && complete
	complete = each(viewer.Entries(ctx), g.Entry, warn) && complete
	complete = each(viewer.Processes(ctx), g.Process, warn) && complete
	if ctx.Err() != nil {
		return failed
	}
	text := g.Text()
	if *asJSON {
		text = g.JSON()
	}
	if _, err := io.WriteString(std.out, text); err != nil {
		return err
	}
	if !complete || !g.Well() {
		return failed
	}
	return nil
}

// sense says why a command makes no sense. It does not repeat the URL, which may hold a
// password.
func sense(args []string, prefix string, most int) error {
	switch {
	case len(args) == 0:
		return misusef("look", "which server? A URL is missing")
	case len(args) > 1:
		return misusef("look", "there is more than one URL")
	case prefix == "":
		return misusef("look", "which fleet? --prefix is missing")
	case most < 0:
		return misusef("look", "-n is negative")
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
