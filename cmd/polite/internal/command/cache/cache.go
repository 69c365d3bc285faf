// Package cache is the verb of this name.
package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/spf13/cobra"
)

// Verb returns "polite cache".
func Verb(std verb.Streams) *cobra.Command {
	var asJSON bool
	all := &cobra.Command{
		Use: "cache", Short: "tell what polite remembers of sites", SuggestionsMinimumDistance: 2,
		RunE: func(c *cobra.Command, _ []string) error { return tellCache(c.Context(), std.Out, asJSON) },
	}
	list := &cobra.Command{
		Use: "list", Short: "list the answers of sites",
		Long: "Lists how long ago each site answered, the HTTP status, the bytes of its\nrobots.txt, and the crawler that asked.",
		RunE: func(c *cobra.Command, _ []string) error { return listCache(c.Context(), std, asJSON) },
	}
	forget := &cobra.Command{
		Use: "clear", Short: "delete all that is kept",
		RunE: func(*cobra.Command, []string) error { return clearCache(std.Out) },
	}
	all.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	list.Flags().BoolVar(&asJSON, "json", false, "write a JSON object a line")
	all.AddCommand(list, forget)
	return all
}

func clearCache(w io.Writer) error {
	name, err := cachefile.Clear()
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = cmp.Or(clearPages(), err)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err = fmt.Fprintln(w, "there is no cache")
	case err == nil:
		_, err = fmt.Fprintln(w, "cleared", printable.Text(name))
	}
	return err
}

func clearPages() error {
	folder, err := cachefile.Pages()
	if err != nil {
		return err
	}
	return folder.Clear()
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
	folder, err := cachefile.Pages()
	if err != nil {
		return err
	}
	if sum.Pages, sum.PageBytes, err = folder.Size(); err != nil {
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
