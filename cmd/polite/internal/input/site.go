package input

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/go-polite/polite"
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
	line      *terminal.Progress
}

// Open returns a Reader for a verb and its arguments. What the sites among them answer is
// kept. When all is read, call end.
func Open(ctx context.Context, name string, args []string, o kept.Options, std verb.Streams) (r *Reader, end func()) {
	if !slices.ContainsFunc(args, IsURL) {
		return &Reader{std: std}, func() {}
	}
	r = newReader(http.DefaultTransport, std)
	o.Anew, o.Asks = true, told.Break(r.line)
	r.transport.Cache, end = kept.Open(ctx, o, std.Warning(name))
	return r, end
}

func newReader(base http.RoundTripper, std verb.Streams) *Reader {
	tap := &robotstxt.Tap{Base: base}
	return &Reader{std, &polite.Transport{UserAgent: self.UserAgent(), Base: tap}, tap, terminal.ProgressOn(std.Err)}
}

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
	work := &told.Work{Line: r.line, Total: 1}
	work.Ask(u)
	defer work.Run(ctx)()
	d, err := r.transport.Check(ctx, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"})
	if err != nil {
		return Source{}, cmp.Or(context.Cause(ctx), err)
	}
	if d.Reason != polite.ByRule && d.Reason != polite.NoRule {
		err := fmt.Errorf("%s %s", d.RobotsURL, told.Answer(d))
		if d.Reason == polite.Unavailable {
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
