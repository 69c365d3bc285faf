package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
)

func cache(ctx context.Context, args []string, std verb.Streams) error {
	flags := flag.NewFlagSet("cache", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	args, err := verb.Parse(flags, args)
	if err != nil {
		return err
	}
	if len(args) > 1 {
		return verb.Misused("cache", fmt.Errorf("unexpected argument %q", verb.Shown(args[1])))
	}
	switch what := strings.Join(args, ""); {
	case what == "clear" && *asJSON:
		return verb.Misused("cache", errors.New("clear writes no JSON"))
	case what == "clear":
		return clearCache(std.Out)
	case what == "list":
		return listCache(ctx, std, *asJSON)
	case what != "":
		return verb.Misused("cache", fmt.Errorf("unexpected argument %q: there is list, and clear", verb.Shown(what)))
	default:
		return tellCache(ctx, std.Out, *asJSON)
	}
}

func clearCache(w io.Writer) error {
	name, err := cachefile.Clear()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err = fmt.Fprintln(w, "there is no cache")
	case err == nil:
		_, err = fmt.Fprintln(w, "cleared", printable.Text(name))
	}
	return err
}

// listCache lists the sites in the cache.
func listCache(ctx context.Context, std verb.Streams, asJSON bool) error {
	var list report.CacheList
	n := 0
	if _, err := eachKept(ctx, func(s cachefile.Site) error { n++; list.Fit(s); return nil }); err != nil {
		return err
	}
	if n == 0 {
		fmt.Fprintln(std.Err, "polite cache: nothing is kept")
		return nil
	}
	tell, head := list.Line, list.Head()
	if asJSON {
		tell, head = report.CacheJSON, ""
	}
	_, err := eachKept(ctx, func(s cachefile.Site) error {
		_, err := io.WriteString(std.Out, head+tell(s))
		head = ""
		return err
	})
	return err
}

// tellCache tells where the cache is, and how much is in it.
func tellCache(ctx context.Context, w io.Writer, asJSON bool) error {
	var sum report.CacheSum
	file, err := eachKept(ctx, func(s cachefile.Site) error {
		sum.Add(s)
		return nil
	})
	if err != nil {
		return err
	}
	tell := sum.Text
	if asJSON {
		tell = sum.JSON
	}
	_, err = io.WriteString(w, tell(file))
	return err
}

// eachKept calls do for each site in the cache, and returns the file, closed.
func eachKept(ctx context.Context, do func(cachefile.Site) error) (*cachefile.File, error) {
	file, err := cachefile.Look()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for site, err := range file.Sites() {
		if err = cmp.Or(err, context.Cause(ctx)); err == nil {
			err = do(site)
		}
		if err != nil {
			return nil, err
		}
	}
	return file, nil
}
