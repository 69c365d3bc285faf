package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/output"
	"github.com/go-polite/polite/cmd/polite/internal/pagecache"
	"github.com/go-polite/polite/cmd/polite/internal/parallel"
	"github.com/go-polite/polite/cmd/polite/internal/reach"
	"github.com/go-polite/polite/cmd/polite/internal/redirects"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/spf13/cobra"
)

func getVerb(std verb.Streams) *cobra.Command {
	var o getOptions
	c := &cobra.Command{
		Use: "get URL...", Short: "fetch pages", GroupID: forPages,
		SuggestFor: []string{"fetch", "curl", "wget", "download"},
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.take(args); err != nil {
				return verb.Misused("get", err)
			}
			return o.get(c.Context(), std)
		},
	}
	o.flags(c.Flags())
	return c
}

// get fetches the pages that the options name.
func (o *getOptions) get(ctx context.Context, std verb.Streams) error {
	for _, p := range o.pages {
		if err := o.vet(ctx, p.URL); err != nil {
			return verb.Misused("get", err)
		}
	}
	sites, err := input.Sites(ctx, "get", o.sites)
	if err != nil {
		return err
	}
	work := &report.Work{Line: terminal.ProgressOn(o.progress(std.Err)), Done: "done", Total: len(o.pages)}
	tell := report.Report{W: work.Line, JSON: o.json, Quiet: o.quiet, Sites: sites != nil, Work: work}
	if o.quiet {
		tell.W = std.Err
	}
	waits := &report.Waits{Report: tell}
	o.cache.Waits, o.cache.Asks = waits.Longer, waits.Asks
	cache, end := cachefile.Open(ctx, o.cache, tell.Warning)
	defer end()
	tell.Keeps = cache.Store != nil
	if !o.json {
		defer work.Run(ctx)()
	}
	if o.verbose {
		defer tell.Lanes(cache)()
	}
	kept, endPages := o.keep(tell)
	defer endPages()
	transport := &polite.Transport{UserAgent: o.userAgent, Pace: polite.Gentle(), Sites: sites, Cache: cache, Trace: polite.Trace{Judged: redirects.Judged}}
	g := getter{
		transport: transport,
		pages:     &pagecache.Transport{Polite: transport, Folder: kept, Anew: o.cache.Anew, Public: reach.Public, Kept: redirects.Kept},
		output:    o.target(std.Out),
		wishes:    o.wishes,
		report:    tell,
		waits:     waits,
	}
	page := func(line string) judge.Question { return o.page(ctx, line) }
	lists := input.NewLists(std, &polite.Transport{UserAgent: o.userAgent, Sites: sites, Cache: cache})
	const ahead = 50_000 // URLs of a list that are read to know the total
	all := work.Count(lists.Questions(ctx, o.pages, "-", page))
	return g.all(ctx, parallel.Ahead(all, ahead)).OrNil()
}

// keep returns where pages are kept, or nil. When the run is over, call end, which tells what
// could not be kept. If there is no cache at all, this is told already.
func (o *getOptions) keep(tell report.Report) (folder *pagecache.Folder, end func()) {
	folder, err := cachefile.Pages()
	if o.cache.None || err != nil {
		return nil, func() {}
	}
	var failed error
	folder.Failed = func(err error) { failed = cmp.Or(failed, err) }
	return folder, func() {
		if failed != nil && tell.Keeps {
			tell.Warning(fmt.Errorf("not all pages are in the cache: %w", failed))
		}
	}
}

// A getter fetches pages, and tells how it went.
type getter struct {
	transport *polite.Transport
	pages     *pagecache.Transport
	output    *output.Output
	wishes    wishes
	report    report.Report
	waits     *report.Waits
}

// all fetches pages, and returns the exit status of the first that was not fetched.
func (g *getter) all(ctx context.Context, pages iter.Seq[judge.Question]) verb.Status {
	status := verb.OK
	var tally report.Tally
	for p := range pages {
		if err := cmp.Or(context.Cause(ctx), g.output.Err()); err != nil {
			tally.Leave(p, err) // do not ask a site for a page that cannot be written
			continue
		}
		became := g.page(ctx, p)
		tally.Add(became == verb.OK)
		status = cmp.Or(status, became)
	}
	if tally.IsEmpty() && ctx.Err() == nil {
		g.report.Failure(input.ErrEmpty)
		return verb.Misuse
	}
	g.report.Tally(tally)
	status = cmp.Or(status, tally.Status())
	if err := g.output.Close(); err != nil {
		g.report.Failure(err)
		status = max(status, verb.Failed)
	}
	return status
}

// page fetches a page, unless it is there and to be skipped, and tells how it went.
func (g *getter) page(ctx context.Context, p judge.Question) verb.Status {
	defer g.report.Work.Next()
	hops := []redirects.Hop{{Method: http.MethodGet, URL: p.Name, Err: p.Err}}
	if p.Err == nil {
		if file, has := g.output.Has(p.URL); has {
			g.report.Skipped(p.URL, file)
			return verb.OK
		}
		hops = g.one(ctx, p.URL)
	}
	for _, h := range hops {
		g.report.Hop(h)
	}
	last := hops[len(hops)-1]
	return report.OutcomeOf(last.Decision, last.Err).Status()
}

// one fetches the page of u, and returns the requests that it took. If there is no
// page, the last of them says why.
func (g *getter) one(ctx context.Context, u *url.URL) []redirects.Hop {
	ctx, cancel := g.wishes.within(ctx)
	defer cancel()
	t := &redirects.Trail{Transport: g.transport, Pages: g.pages, Provenance: g.report.JSON, Asks: g.report.Work.Follow, Waits: g.waits.Begin}
	err := g.fetch(ctx, &http.Client{Transport: t, CheckRedirect: g.wishes.redirected}, u)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		err = cmp.Or(context.Cause(ctx), err) // which names the signal, or --max-time
	}
	if err != nil {
		t.Fail(err)
	}
	hops := t.Take()
	if len(hops) == 0 {
		hops = []redirects.Hop{{Method: http.MethodGet, URL: u.Redacted(), Err: err}}
	}
	hops[len(hops)-1].File = g.output.Name()
	return hops
}

func (g *getter) fetch(ctx context.Context, client *http.Client, u *url.URL) error {
	req := g.wishes.request(ctx, u)
	resp, err := client.Do(req)
	if err != nil {
		return verb.Cause(err)
	}
	defer resp.Body.Close()
	if req.Method == http.MethodHead {
		head := report.Head(resp)
		return g.write(u, strings.NewReader(head), int64(len(head)))
	}
	return g.write(u, resp.Body, resp.ContentLength)
}

// write writes the page of u. If its size is not known, that is -1.
func (g *getter) write(u *url.URL, page io.Reader, size int64) error {
	if err := g.output.Begin(u); err != nil {
		return err
	}
	err := g.copy(page, size)
	switch {
	case err == nil || g.output.Err() != nil:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the page was cut short")
	default:
		return fmt.Errorf("the page was cut short: %w", err)
	}
}

// copy copies a page to the output, and tells how far it is. On a terminal, the page
// itself shows this.
func (g *getter) copy(page io.Reader, size int64) error {
	if g.output.IsTerminal() {
		defer g.report.Work.Line.Hide()()
	}
	page, over := g.report.Work.Download(page, size)
	defer over()
	_, err := io.Copy(g.output, page)
	return cmp.Or(err, g.output.End(err != nil))
}
