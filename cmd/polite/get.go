package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/kept"
	"github.com/go-polite/polite/cmd/polite/internal/output"
	"github.com/go-polite/polite/cmd/polite/internal/self"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/told"
	"github.com/go-polite/polite/cmd/polite/internal/trail"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots"
)

const getUsage = `usage: polite get [-A user-agent] [-o file] [--sites file] [--json]
                  [--refresh|--no-cache] URL...

Fetches the URLs one after another. Pages go to standard output as they are; on a
terminal their control characters are escaped. For each request, redirects included,
a line goes to standard error and tells what robots.txt says about it. Between two
requests to a site, polite waits for as long as the site asks. What it learns of a
site is kept for the next run: see "polite help cache".

    -A user-agent   who you are, as in "ExampleBot/1.0 (+https://example.com/bot)"
    -o file         write the pages to file; it is created for the first page
    --sites file    do what the file says for some sites: a delay of your own, or that
                    the owner has agreed. See "polite help sites"
    --json          write the lines to standard error as JSON objects
    --refresh       ask for robots.txt again, although it is in the cache
    --no-cache      do not use the cache

Exit status, of the first URL that was not fetched:

    0   all were fetched; an error page like 404 is a page
    1   failed: no connection, too many redirects, disk full, ...
    2   usage: nothing was asked for
    3   disallowed by robots.txt
    4   robots.txt is unreachable, so nobody knows what the site wants
`

func get(ctx context.Context, args []string, std verb.Streams) error {
	o, err := parseGet(args)
	if err != nil {
		return err
	}
	for _, u := range o.urls {
		if err := input.Vet(ctx, &polite.Transport{UserAgent: o.userAgent}, u); err != nil {
			return verb.Misused("get", err)
		}
	}
	sites, err := input.Sites(ctx, "get", o.sites)
	if err != nil {
		return err
	}
	work := &told.Work{Line: terminal.ProgressOn(std.Err), Done: "done", Total: len(o.urls)}
	report := told.Report{W: work.Line, JSON: o.json, Sites: sites != nil, Work: work}
	waits := &told.Waits{Report: report}
	o.kept.Waits, o.kept.Asks = waits.Longer, waits.Asks
	cache, end := kept.Open(ctx, o.kept, report.Warning)
	defer end()
	report.Keeps = cache.Store != nil
	if !o.json {
		defer work.Run(ctx)()
	}
	g := getter{
		transport: &polite.Transport{UserAgent: o.userAgent, Sites: sites, Cache: cache, Trace: polite.Trace{Judged: trail.Judged}},
		output:    output.To(std.Out, o.output),
		report:    report,
		waits:     waits,
	}
	return g.all(ctx, o.urls).OrNil()
}

type getOptions struct {
	userAgent string
	output    string // "" is standard output
	sites     string // the file of --sites; "" for none
	json      bool
	kept      kept.Options
	urls      []*url.URL
}

func parseGet(args []string) (getOptions, error) {
	var o getOptions
	flags := flag.NewFlagSet("get", flag.ContinueOnError)
	o.userAgent = self.UserAgent()
	flags.Func("A", "", func(agent string) error {
		o.userAgent = agent
		return usableUserAgent(agent)
	})
	flags.StringVar(&o.output, "o", "", "")
	flags.StringVar(&o.sites, "sites", "", "")
	flags.BoolVar(&o.json, "json", false, "")
	flags.BoolVar(&o.kept.Anew, "refresh", false, "")
	o.kept.Flag(flags)
	args, err := verb.Parse(flags, args)
	if err != nil {
		return o, err
	}
	switch {
	case len(args) == 0:
		return o, verb.Misused("get", errors.New("which URL? write it as in https://example.com/"))
	case o.kept.None && o.kept.Anew:
		return o, verb.Misused("get", errors.New("--no-cache or --refresh? without the cache, each site is asked anyway"))
	}
	if o.output == "-" {
		o.output = ""
	}
	for _, arg := range args {
		u, err := input.URL(arg)
		if err != nil {
			return o, verb.Misused("get", err)
		}
		o.urls = append(o.urls, u)
	}
	return o, nil
}

// usableUserAgent returns why a user agent cannot be sent, or nil.
func usableUserAgent(agent string) error {
	const example = `as in "ExampleBot/1.0 (+https://example.com/bot)"`
	switch {
	case agent == "":
		return errors.New("it is empty: write who you are, " + example)
	case strings.ContainsFunc(agent, unicode.IsControl):
		return errors.New("it has a control character: write it " + example)
	case robots.ProductToken(agent) == "":
		return errors.New("it names no crawler: write it " + example)
	default:
		return nil
	}
}

// A getter fetches pages, and tells how it went.
type getter struct {
	transport *polite.Transport
	output    *output.Output
	report    told.Report
	waits     *told.Waits
}

// all fetches urls, and returns the exit status of the first that was not fetched.
func (g *getter) all(ctx context.Context, urls []*url.URL) verb.Status {
	status := verb.OK
	for _, u := range urls {
		hops := g.one(ctx, u)
		for _, h := range hops {
			g.report.Hop(h)
		}
		g.report.Work.Next()
		last := hops[len(hops)-1]
		status = cmp.Or(status, told.OutcomeOf(last.Decision, last.Err).Status())
	}
	if err := g.output.Close(); err != nil {
		g.report.Failure(err)
		status = max(status, verb.Failed)
	}
	return status
}

// one fetches the page of u, and returns the requests that it took. If there is no
// page, the last of them says why.
func (g *getter) one(ctx context.Context, u *url.URL) []trail.Hop {
	t := &trail.Trail{Transport: g.transport, Provenance: g.report.JSON, Asks: g.report.Work.Follow, Waits: g.waits.Begin}
	err := g.fetch(ctx, &http.Client{Transport: t}, u)
	if errors.Is(err, context.Canceled) {
		err = context.Cause(ctx) // which names the signal
	}
	if err != nil {
		t.Fail(err)
	}
	hops := t.Take()
	if len(hops) == 0 {
		hops = []trail.Hop{{Method: http.MethodGet, URL: u.Redacted(), Err: err}}
	}
	return hops
}

func (g *getter) fetch(ctx context.Context, client *http.Client, u *url.URL) error {
	if err := g.output.Err(); err != nil {
		return err // do not ask the site for a page that cannot be written
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return verb.Cause(err)
	}
	defer resp.Body.Close()
	return g.write(resp.Body, resp.ContentLength)
}

// write writes a page. If its size is not known, that is -1.
func (g *getter) write(page io.Reader, size int64) error {
	if err := g.output.Begin(); err != nil {
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
	return cmp.Or(err, g.output.End())
}
