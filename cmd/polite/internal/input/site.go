package input

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/atonce"
	"github.com/go-polite/polite/cmd/polite/internal/kept"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/self"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/told"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// A Reader reads the robots.txt that an argument names. It asks a site once.
type Reader struct {
	std       verb.Streams
	transport *polite.Transport
	tap       *robotstxt.Tap
	work      *told.Work
}

// Options say how a Reader asks sites.
type Options struct {
	Kept    kept.Options
	Timeout time.Duration // how long a site may take; 0 for as long as polite waits
}

// Flag defines --no-cache and --timeout.
func (o *Options) Flag(flags *flag.FlagSet) {
	o.Kept.Flag(flags)
	verb.Time(flags, "timeout", &o.Timeout)
}

// Open returns a Reader for a verb and its arguments. What the sites among them answer is
// kept. When all is read, call end.
func Open(ctx context.Context, name string, args []string, o Options, std verb.Streams) (r *Reader, end func()) {
	r = newReader(http.DefaultTransport, std)
	r.work.Total = len(args)
	if !slices.ContainsFunc(args, IsURL) {
		return r, func() {}
	}
	r.transport.Policy.Timeout = o.Timeout
	o.Kept.Anew, o.Kept.Asks = true, told.Break(r.work.Line)
	cache, keep := kept.Open(ctx, o.Kept, std.Warning(name))
	r.transport.Cache = cache
	over := r.work.Run(ctx)
	return r, func() {
		over()
		keep()
	}
}

func newReader(base http.RoundTripper, std verb.Streams) *Reader {
	tap := &robotstxt.Tap{Base: base}
	work := &told.Work{Line: terminal.ProgressOn(std.Err), Done: "read", Total: 1}
	return &Reader{std, &polite.Transport{UserAgent: self.UserAgent(), Base: tap}, tap, work}
}

// A Read is what became of an argument.
type Read = atonce.Result[string, Text]

// A Text is a robots.txt, or why it could not be read.
type Text struct {
	Source
	Err error
}

// All reads what all arguments name. It keeps their order, but no site that is slow holds
// up the others: see [atonce.Each]. It ends with ctx.
func (r *Reader) All(ctx context.Context, args []string) iter.Seq[Read] {
	site := func(arg string) string {
		if IsURL(arg) {
			return arg
		}
		return ""
	}
	return func(yield func(Read) bool) {
		for read := range atonce.Each(slices.Values(args), site, func(arg string) Text {
			source, err := r.Robots(ctx, arg)
			return Text{source, err}
		}) {
			if ctx.Err() != nil || !yield(read) {
				return
			}
		}
	}
}

// Out returns where text for standard output goes, while the Reader tells how far it is.
func (r *Reader) Out() io.Writer { return r.work.Line.Beside(r.std.Out) }

// Robots reads the robots.txt that an argument names: for a URL the one of its site, for
// "-" standard input, or else a file.
func (r *Reader) Robots(ctx context.Context, arg string) (Source, error) {
	if IsURL(arg) {
		return r.site(ctx, arg)
	}
	return File(ctx, arg, r.std)
}

// NoFile is the error of a site that has no robots.txt, and so allows everything.
type NoFile struct{ error }

// site asks the site of a URL for its robots.txt, as polite does before it fetches a
// page.
func (r *Reader) site(ctx context.Context, arg string) (Source, error) {
	u, err := URL(arg)
	if err != nil {
		return Source{}, err
	}
	r.work.Ask(u)
	defer r.work.Over(u)
	d, err := r.transport.Check(ctx, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"})
	if err != nil {
		return Source{}, cmp.Or(context.Cause(ctx), err)
	}
	if d.Reason != polite.ReasonRule && d.Reason != polite.ReasonNoRule {
		err := fmt.Errorf("%s %s", d.RobotsURL, told.Answer(d))
		if d.Reason == polite.ReasonUnavailable {
			err = NoFile{err}
		}
		return Source{}, verb.Unread(err)
	}
	text := r.tap.Text(d)
	if text == nil {
		return Source{}, verb.Unread(fmt.Errorf("%s was read, but its text was not kept", d.RobotsURL))
	}
	at, err := url.Parse(d.RobotsURL)
	return Source{d.RobotsURL, text.Body, at}, err
}

// VetRobots returns the error of an argument for [Reader.Robots] that makes no sense. It
// reads nothing.
func VetRobots(ctx context.Context, arg string) error {
	if !IsURL(arg) {
		return nil
	}
	u, err := URL(arg)
	if err != nil {
		return err
	}
	return Vet(ctx, &polite.Transport{UserAgent: self.UserAgent()}, u)
}
