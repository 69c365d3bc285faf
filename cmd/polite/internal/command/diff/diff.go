// Package diff is the verb of this name.
package diff

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/reader"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Verb returns "polite diff".
func Verb(std verb.Streams) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "diff old new", Short: "tell what changes between two robots.txt",
		Args: func(c *cobra.Command, sources []string) error {
			if o.sources = sources; len(sources) != 2 {
				return errors.New("which two? write a file or a URL for the old robots.txt, and one for the new")
			}
			return input.VetAll(c.Context(), append([]string{o.urls}, sources...))
		},
		RunE: func(c *cobra.Command, _ []string) error { return o.diff(c.Context(), std) },
	}
	o.flags(c.Flags())
	c.MarkFlagsMutuallyExclusive("json", "markdown")
	return c
}

// diff tells what changes between the two files that the options name.
func (o *options) diff(ctx context.Context, std verb.Streams) error {
	o.TellDoubts(std.Warning("diff"))
	sources := o.sources
	if input.IsURL(o.urls) {
		sources = append(sources[:2:2], o.urls)
	}
	reader, end := reader.Open(ctx, "diff", sources, o.asks, std)
	defer end()
	old, new, err := o.read(ctx, reader, std)
	if err != nil {
		return err
	}
	crawlers, all := o.Crawlers, true
	if len(crawlers) == 0 {
		crawlers, all = compare.Crawlers(old, new)
	}
	status, err := o.tell(ctx, compare.New(old, new, crawlers), reader.Lists(), std)
	switch {
	case err != nil:
		return err
	case !all:
		fmt.Fprintf(std.Err, "polite diff: the files name too many crawlers to compare all: only the first %d were; use -A\n", len(crawlers))
		status = verb.Failed
	}
	return status.OrNil()
}

type options struct {
	judge.Agents
	urls           string // the file of --urls; "" for none
	json, markdown bool
	asks           reader.Options
	sources        []string
	size           int // octets of both files
}

// flags defines the flags of diff.
func (o *options) flags(flags *pflag.FlagSet) {
	flags.FuncP("agent", "A", "compare for this `agent`, as in \"polite check\". May be repeated. If left out, it is each crawler that one of the files names, and \"*\": any that neither names", func(agent string) error {
		if agent != "*" {
			return o.Add(agent)
		}
		o.Crawlers = append(o.Crawlers, []string{"*"})
		return nil
	})
	flags.StringVar(&o.urls, "urls", "", "compare on these URLs: a `file`, a URL, or \"-\" for standard input, with a URL or a path a line, or a sitemap, which may be compressed, or an index of sitemaps. If more than 20 verdicts change, those that the same rules change for the same crawlers are told together")
	flags.BoolVar(&o.json, "json", false, "write a JSON object a line")
	flags.BoolVar(&o.markdown, "markdown", false, "write a comment for a review")
	o.asks.Flag(flags)
}

// read returns both files. A site without a robots.txt has an empty one.
func (o *options) read(ctx context.Context, from *reader.Reader, std verb.Streams) (old, new *robots.File, err error) {
	var files []*robots.File
	for _, name := range o.sources {
		source, err := from.Robots(ctx, name)
		if _, none := errors.AsType[reader.NoFile](err); none {
			fmt.Fprintf(std.Err, "polite diff: %s, so it allows everything\n", verb.Message(err))
		} else if err != nil {
			return nil, nil, err
		}
		source.TellFormat(std.Warning("diff"))
		files, o.size = append(files, robots.Parse(source.Body)), o.size+len(source.Body)
	}
	return files[0], files[1], nil
}

func (o options) form(s terminal.Style, columns int) compare.Form {
	switch {
	case o.json:
		return compare.JSON()
	case o.markdown:
		return compare.Markdown()
	default:
		return compare.Text(s, columns)
	}
}

// tell tells all changes. The URLs are those of a list, or invented if it has no name.
func (o options) tell(ctx context.Context, c *compare.Comparison, lists input.Lists, std verb.Streams) (status verb.Status, err error) {
	form := o.form(terminal.StyleFor(std.Out), terminal.Width(std.Out))
	var list iter.Seq[judge.Question]
	if o.urls != "" {
		question := func(line string) judge.Question { return input.Question(line, true) }
		list = func(yield func(judge.Question) bool) {
			for q := range lists.Questions(ctx, nil, o.urls, question) {
				if q.Err != nil && ctx.Err() == nil {
					verb.Conclude("diff", q.Err, std.Err)
					status = verb.Failed
				}
				if !yield(q) {
					return
				}
			}
		}
	}
	totals, all, err := compare.Tell(ctx, std.Out, form, c, o.size, list)
	if err != nil {
		return verb.Failed, err
	}
	if totals.Untold > 0 {
		fmt.Fprintf(std.Err, "polite diff: there are too many changes to tell all: %s not told\n", verb.Count(totals.Untold, "change"))
	}
	if form.Summary {
		fmt.Fprintln(std.Err, totals)
	}
	if !all {
		fmt.Fprintln(std.Err, "polite diff: the files have too many rules to compare all: changes may be missing")
		return verb.Failed, nil
	}
	if status == verb.OK && totals.Verdicts+totals.Preferences > 0 {
		status = verb.Disallowed
	}
	return status, nil
}
