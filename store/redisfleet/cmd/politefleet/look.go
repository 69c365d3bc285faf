package main

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/go-polite/polite/store/redisfleet"
)

// errTold is the error of a look whose errors were told already.
var errTold = errors.New("not all could be read, or not all is well")

func look(ctx context.Context, w wanted, std streams) error {
	viewer, err := redisfleet.OpenViewer(w.url, w.prefix)
	if err != nil {
		return err
	}
	defer viewer.Close()

	g, warn := w.glance, once(func(err error) { warn(std.err, err) })
	complete := each(viewer.Servers(ctx), g.Server, warn)
	complete = each(viewer.Lanes(ctx), g.Lane, warn) && complete
	complete = each(viewer.Entries(ctx), g.Entry, warn) && complete
	complete = each(viewer.Processes(ctx), g.Process, warn) && complete
	if ctx.Err() != nil {
		return errTold
	}
	text := g.Text()
	if w.json {
		text = g.JSON()
	}
	if _, err := io.WriteString(std.out, text); err != nil {
		return err
	}
	if !complete || !g.Well() {
		return errTold
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
