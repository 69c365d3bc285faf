// Package reader reads the robots.txt files that the arguments of a verb name, those of sites too.
package reader

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/parallel"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/serving"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/spf13/pflag"
)

// A Reader reads the robots.txt that an argument names. It asks a site once.
type Reader struct {
	std   verb.Streams
	cache *polite.Cache
	asker *serving.Asker
	work  *report.Work
}

// Options say how a Reader asks sites.
type Options struct {
	Cache   cachefile.Options
	Timeout time.Duration // how long a site may take; 0 for as long as polite waits
}

// Flag defines --no-cache and --max-time.
func (o *Options) Flag(flags *pflag.FlagSet) {
	o.Cache.Flag(flags)
	verb.Time(flags, &o.Timeout, "max-time", "take no longer than this `time` for a robots.txt: 10 for seconds, or 2m")
}

// Open returns a Reader for a verb and its arguments. What the sites among them answer is
// kept. When all is read, call end.
func Open(ctx context.Context, name string, args []string, o Options, std verb.Streams) (r *Reader, end func()) {
	work := &report.Work{Line: terminal.ProgressOn(std.Err), Done: "done", Total: len(args)}
	if !slices.ContainsFunc(args, input.IsURL) {
		return newReader(http.DefaultTransport, new(polite.Cache), o.Timeout, work, std), func() {}
	}
	o.Cache.Anew, o.Cache.Asks = true, report.Break(work.Line)
	cache, keep := cachefile.Open(ctx, o.Cache, std.Warning(name))
	over := work.Run(ctx)
	return newReader(http.DefaultTransport, cache, o.Timeout, work, std), func() {
		over()
		keep()
	}
}

func newReader(base http.RoundTripper, cache *polite.Cache, timeout time.Duration, work *report.Work, std verb.Streams) *Reader {
	return &Reader{std, cache, serving.NewAsker(base, cache, timeout), work}
}

// Lists returns Lists that take turns with the Reader.
func (r *Reader) Lists() input.Lists {
	return input.NewLists(r.std, &polite.Transport{UserAgent: verb.UserAgent(), Cache: r.cache})
}

// Interrupted returns why ctx has ended, with how many arguments were read until then, or nil.
func (r *Reader) Interrupted(ctx context.Context) error { return r.work.Interrupted(ctx) }

// A Read is what became of an argument.
type Read = parallel.Result[string, Served]

// A Served is a robots.txt, or why it could not be read, and how its site serves it.
type Served struct {
	input.Source
	Err  error
	Site serving.Site // zero for what is no URL, and if nobody could be asked
}

// All reads what all arguments name. It keeps their order, while
// all sites are asked at once: see [parallel.Each]. It ends with ctx.
func (r *Reader) All(ctx context.Context, args []string) iter.Seq[Read] {
	return r.each(ctx, args, func(ctx context.Context, u *url.URL) (serving.Site, error) {
		answer, err := r.asker.Ask(ctx, u)
		return serving.Site{Answer: answer}, err
	})
}

// AllServed is [Reader.All] for who wants to know how sites serve their robots.txt. It asks
// more of them: see [serving.Asker.Look].
func (r *Reader) AllServed(ctx context.Context, args []string, userAgents ...string) iter.Seq[Read] {
	return r.each(ctx, args, func(ctx context.Context, u *url.URL) (serving.Site, error) {
		return r.asker.Look(ctx, u, userAgents...)
	})
}

// An asking asks the site of a URL for its robots.txt, as polite does before it fetches a page.
type asking func(context.Context, *url.URL) (serving.Site, error)

func (r *Reader) each(ctx context.Context, args []string, ask asking) iter.Seq[Read] {
	site := func(arg string) string {
		if input.IsURL(arg) {
			return arg
		}
		return ""
	}
	return func(yield func(Read) bool) {
		for read := range parallel.Each(r.noted(args), site, func(arg string) Served { return r.read(ctx, arg, ask) }) {
			if ctx.Err() != nil || !yield(read) {
				return
			}
			r.work.Next()
		}
	}
}

// noted yields arguments, and notes which sites they ask.
func (r *Reader) noted(args []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, arg := range args {
			u, _ := input.URL(arg) // nil for a file
			if r.work.Ask(u); !yield(arg) {
				return
			}
		}
	}
}

func (r *Reader) read(ctx context.Context, arg string, ask asking) (s Served) {
	if !input.IsURL(arg) {
		s.Source, s.Err = input.File(ctx, arg, r.std)
		return s
	}
	u, err := input.URL(arg)
	if err != nil {
		return Served{Err: err}
	}
	if s.Site, s.Err = ask(ctx, u); s.Err == nil {
		s.Source, s.Err = sourceOf(s.Site.Answer)
	}
	return s
}

// Out returns where text for standard output goes, while the Reader tells how far it is.
func (r *Reader) Out() io.Writer { return r.work.Line.Beside(r.std.Out) }

// Robots reads the robots.txt that an argument names: for a URL the one of its site, for
// "-" standard input, or else a file.
func (r *Reader) Robots(ctx context.Context, arg string) (input.Source, error) {
	var s Served
	for read := range r.All(ctx, []string{arg}) {
		s = read.Out
	}
	return s.Source, cmp.Or(s.Err, context.Cause(ctx))
}

// NoFile is the error of a site that has no robots.txt, and so allows everything.
type NoFile struct{ error }

// sourceOf returns the text that a site answered with, or why there is none.
func sourceOf(a serving.Answer) (input.Source, error) {
	if !robotstxt.IsRead(a.Decision) {
		err := fmt.Errorf("%s %s", a.RobotsURL, report.Answer(a.Decision))
		if a.Reason == polite.ReasonUnavailable {
			err = NoFile{err}
		}
		return input.Source{}, verb.Unread(err)
	}
	if a.Text == nil {
		return input.Source{}, verb.Unread(fmt.Errorf("%s was read, but its text was not kept", a.RobotsURL))
	}
	at, err := url.Parse(a.RobotsURL)
	return input.Source{Name: a.RobotsURL, Body: a.Text.Body, URL: at}, err
}
