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
	"os"
	"strings"
	"unicode"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/robots"
)

const getUsage = `usage: polite get [-A user-agent] [-o file] [--json] URL...

Fetches the URLs one after another. Pages go to standard output as they are, but
to a terminal with their control characters escaped; a line for each request,
redirects included, goes to standard error and says what robots.txt makes of it.
Between two requests to a site it waits for as long as the site asks.

    -A user-agent   who you are, as in "ExampleBot/1.0 (+https://example.com/bot)"
    -o file         write the pages to file instead, if there are any
    --json          write the lines to standard error as JSON objects

Exit status, of the first URL that was not fetched:

    0   all were fetched, an error page like 404 included
    1   failed: no connection, too many redirects, disk full, ...
    2   usage: nothing was asked for
    3   disallowed by robots.txt
    4   robots.txt is unreachable, so nobody knows what the site wants
`

func get(ctx context.Context, args []string, std stdio) error {
	o, err := parseGet(args)
	if err != nil {
		return err
	}
	transport := &polite.Transport{UserAgent: o.userAgent}
	for _, u := range o.urls {
		if err := makesSense(ctx, transport, u); err != nil {
			return misused("get", err)
		}
	}
	g := getter{
		transport: transport,
		output:    &output{w: onScreen(std.out), name: o.output},
		report:    report{w: std.err, json: o.json},
	}
	return g.all(ctx, o.urls).orNil()
}

type getOptions struct {
	userAgent string
	output    string // "" is standard output
	json      bool
	urls      []*url.URL
}

func parseGet(args []string) (getOptions, error) {
	var o getOptions
	flags := flag.NewFlagSet("get", flag.ContinueOnError)
	o.userAgent = userAgent()
	flags.Func("A", "", func(agent string) error {
		o.userAgent = agent
		return usableUserAgent(agent)
	})
	flags.StringVar(&o.output, "o", "", "")
	flags.BoolVar(&o.json, "json", false, "")
	args, err := parse(flags, args)
	if err != nil {
		return o, err
	}
	if len(args) == 0 {
		return o, misused("get", errors.New("which URL? write it as in https://example.com/"))
	}
	if o.output == "-" {
		o.output = ""
	}
	for _, arg := range args {
		u, err := parseURL(arg)
		if err != nil {
			return o, misused("get", err)
		}
		o.urls = append(o.urls, u)
	}
	return o, nil
}

// usableUserAgent returns what there is against sending a user agent.
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

// parseURL returns the URL that arg is, or an error that says what to write.
func parseURL(arg string) (*url.URL, error) {
	if !strings.Contains(arg, "://") {
		return nil, fmt.Errorf("%q is no URL: write it with its scheme, as in %s", shown(arg), urlLike(shown(arg)))
	}
	u, err := url.Parse(arg)
	if err != nil {
		return nil, noURL(arg, "URL", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q cannot be fetched: write a URL that begins with https:// or http://", shown(arg))
	}
	return u, nil
}

// noURL returns the error for what cannot be parsed, which may quote any part of it.
func noURL(arg, what string, err error) error {
	if shown(arg) != arg {
		return fmt.Errorf("%q is no %s", shown(arg), what)
	}
	return fmt.Errorf("%q is no %s: %w", arg, what, cause(err))
}

// urlLike returns the URL that arg was meant to be, if it has a host, or else some.
func urlLike(arg string) string {
	for _, scheme := range []string{"https:/", "http:/"} {
		if rest, ok := strings.CutPrefix(arg, scheme); ok {
			return scheme + "/" + rest
		}
	}
	u, err := url.Parse("https://" + arg)
	if err != nil || !strings.ContainsAny(u.Host, ".:") {
		return "https://example.com/"
	}
	return "https://" + arg
}

// makesSense returns what the transport has against a URL. It asks for nothing: a
// robots.txt itself is always allowed.
func makesSense(ctx context.Context, transport *polite.Transport, u *url.URL) error {
	_, err := transport.Check(ctx, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"})
	return err
}

// A getter fetches pages and tells how that went.
type getter struct {
	transport *polite.Transport
	output    *output
	report    report
}

// all fetches urls, and returns the exit status of the first that was not.
func (g *getter) all(ctx context.Context, urls []*url.URL) exitStatus {
	status := exitOK
	for _, u := range urls {
		hops := g.one(ctx, u)
		for _, h := range hops {
			g.report.hop(h)
		}
		if status == exitOK {
			status = hops[len(hops)-1].exitStatus()
		}
	}
	if err := g.output.close(); err != nil {
		g.report.failure(err)
		status = max(status, exitFailed)
	}
	return status
}

// one fetches the page of u and returns the requests that it took. If there is
// no page, the last of them says why.
func (g *getter) one(ctx context.Context, u *url.URL) []hop {
	trail := &trail{transport: g.transport, report: g.report}
	err := g.fetch(ctx, &http.Client{Transport: trail}, u)
	if errors.Is(err, context.Canceled) {
		err = context.Cause(ctx) // which names the signal
	}
	switch {
	case len(trail.hops) == 0:
		trail.hops = []hop{{method: http.MethodGet, url: u.Redacted(), err: err}}
	case err != nil:
		trail.fail(err)
	}
	return trail.hops
}

func (g *getter) fetch(ctx context.Context, client *http.Client, u *url.URL) error {
	if g.output.err != nil {
		return g.output.err // no need to bother the site for what cannot be written
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return cause(err)
	}
	defer resp.Body.Close()
	if err := g.output.open(); err != nil {
		return err
	}
	_, err = io.Copy(g.output, resp.Body)
	err = cmp.Or(err, g.output.endPage())
	switch {
	case err == nil || g.output.err != nil:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the page was cut short")
	default:
		return fmt.Errorf("the page was cut short: %w", err)
	}
}

// cause returns err without the URL that net/url and net/http put before it.
func cause(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}

// A trail is a RoundTripper that remembers what the transport decided on each
// request, so that the hops of a redirect can be told.
type trail struct {
	transport *polite.Transport
	report    report // is told of requests that wait
	hops      []hop
}

func (t *trail) RoundTrip(req *http.Request) (*http.Response, error) {
	h := hop{number: len(t.hops) + 1, method: req.Method, url: req.URL.Redacted()}
	if len(t.hops) > 0 {
		h.from = t.hops[len(t.hops)-1].url
	}
	waiting := t.report.wait(decision(t.transport, req, nil))
	resp, err := t.transport.RoundTrip(req)
	waiting.clear()
	if resp != nil {
		h.status = resp.StatusCode
	}
	h.decision = decision(t.transport, req, err)
	t.hops = append(t.hops, h)
	return resp, err
}

// fail says that the last hop led to no page.
func (t *trail) fail(err error) { t.hops[len(t.hops)-1].err = err }

// decision returns what transport has decided on req, for which it returned err.
func decision(transport *polite.Transport, req *http.Request, err error) polite.Decision {
	if refused, ok := errors.AsType[*polite.DisallowedError](err); ok {
		return refused.Decision
	}
	if refused, ok := errors.AsType[*polite.NoRulesError](err); ok {
		return refused.Decision
	}
	d, err := transport.Check(req.Context(), req.URL) // which is in its cache
	if err != nil {
		return polite.Decision{}
	}
	return d
}

// An output takes the pages.
type output struct {
	w    io.Writer // standard output, unless there is a file
	name string    // of the file; "" if there is none to be made
	file *os.File  // nil before the first page
	err  error     // why no more can be written
}

// open makes the file, which must not exist if there is no page.
func (o *output) open() error {
	if o.name == "" || o.file != nil {
		return nil
	}
	if o.file, o.err = os.Create(o.name); o.err == nil {
		o.w = onScreen(o.file)
	}
	return o.err
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

// endPage writes what it could not while the page might have gone on.
func (o *output) endPage() error {
	if screen, ok := o.w.(*screen); ok && o.err == nil {
		o.err = screen.Close()
	}
	return o.err
}

func (o *output) close() error {
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}
