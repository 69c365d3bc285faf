// Package get is the verb of this name.
package get

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/pagecache"
	"github.com/go-polite/polite/cmd/polite/internal/parallel"
	"github.com/go-polite/polite/cmd/polite/internal/reach"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/net/http/httpguts"
)

// Verb returns "polite get".
func Verb(std verb.Streams) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "get URL...", Short: "fetch pages",
		SuggestFor: []string{"fetch", "curl", "wget", "download"},
		Args:       func(_ *cobra.Command, args []string) error { return o.take(args) },
		RunE:       func(c *cobra.Command, _ []string) error { return o.get(c.Context(), std) },
	}
	o.flags(c.Flags())
	c.MarkFlagsMutuallyExclusive("no-cache", "refresh")
	c.MarkFlagsMutuallyExclusive("quiet", "verbose")
	c.MarkFlagsMutuallyExclusive("output", "remote-name")
	return c
}

// get fetches the pages that the options name.
func (o *options) get(ctx context.Context, std verb.Streams) error {
	for _, p := range o.pages {
		if err := o.vet(ctx, p.URL); err != nil {
			return verb.Misused("get", err)
		}
	}
	sites, err := input.Sites(ctx, "get", o.sites)
	if err != nil {
		return err
	}
	work := &report.Work{Line: terminal.ProgressOn(verb.Spoken(o.quiet, std.Err)), Done: "done", Total: len(o.pages)}
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
	kept := o.cache.Pages(func(err error) {
		if tell.Keeps { // else it is told that there is no cache
			tell.Warning(err)
		}
	})
	transport := &polite.Transport{UserAgent: o.userAgent, Pace: polite.Gentle(), Sites: sites, Cache: cache, Trace: polite.Trace{Judged: pagecache.NoteJudged}}
	out := outputTo(std.Out, o.output)
	if o.apart {
		out = outputApart(o.skip)
	}
	g := getter{
		transport: transport,
		pages:     &pagecache.Transport{Polite: transport, Folder: kept, Anew: o.cache.Anew, Public: reach.Public, Kept: pagecache.NoteKept},
		output:    out,
		wishes:    o.wishes,
		report:    tell,
		waits:     waits,
		fails:     o.fails,
	}
	page := func(line string) judge.Question { return o.page(ctx, line) }
	lists := input.NewLists(std, &polite.Transport{UserAgent: o.userAgent, Sites: sites, Cache: cache})
	const ahead = 50_000 // URLs of a list that are read to know the total
	all := work.Count(ctx, lists.Questions(ctx, o.pages, "-", page), false)
	return g.all(ctx, parallel.Ahead(all, ahead)).OrNil()
}

// A getter fetches pages, and tells how it went.
type getter struct {
	transport *polite.Transport
	pages     *pagecache.Transport
	output    *output
	wishes    wishes
	report    report.Report
	waits     *report.Waits
	fails     bool // if a site answers with an error page
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
	hops := []pagecache.Hop{{Method: http.MethodGet, URL: p.Name, Err: p.Err}}
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
func (g *getter) one(ctx context.Context, u *url.URL) []pagecache.Hop {
	ctx, cancel := g.wishes.within(ctx)
	defer cancel()
	t := &pagecache.Trail{Transport: g.transport, Pages: g.pages, Provenance: g.report.JSON, Asks: g.report.Work.Follow, Waits: g.waits.Begin}
	err := g.fetch(ctx, &http.Client{Transport: t, CheckRedirect: g.wishes.redirected}, u)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		err = cmp.Or(context.Cause(ctx), err) // which names the signal, or --max-time
	}
	if err != nil {
		report.NameLimits(err, "--max-time, or max-wait of --sites")
		t.Fail(err)
	}
	hops := t.Take()
	if len(hops) == 0 {
		hops = []pagecache.Hop{{Method: http.MethodGet, URL: u.Redacted(), Err: err}}
	}
	hops[len(hops)-1].File = g.output.Name()
	return hops
}

func (g *getter) fetch(ctx context.Context, client *http.Client, u *url.URL) error {
	req := g.wishes.request(ctx, u)
	resp, err := client.Do(req)
	if err != nil {
		return fetch.Plain(err)
	}
	defer resp.Body.Close()
	if g.fails && resp.StatusCode >= http.StatusBadRequest {
		const most = 256 << 10 // is read, so that the connection stays open
		io.CopyN(io.Discard, resp.Body, most)
		return errors.New("the site answers with an error page")
	}
	if req.Method == http.MethodHead {
		head := report.Head(resp)
		return g.write(strings.NewReader(head), int64(len(head)))
	}
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
	return cmp.Or(err, g.output.End(err != nil))
}

type options struct {
	userAgent string
	output    string // "" is standard output
	apart     bool   // each page has a file of its own
	skip      bool   // what is there is not fetched
	fails     bool   // an error page is a failure
	sites     string // the file of --sites; "" for none
	json      bool
	quiet     bool     // tell failures only
	verbose   bool     // tell what a request waits for
	headers   []string // of -H
	wishes    wishes
	cache     cachefile.Options
	pages     []judge.Question // none if their URLs are on standard input
}

// flags defines the flags of get.
func (o *options) flags(flags *pflag.FlagSet) {
	o.userAgent = verb.UserAgent()
	verb.UserAgentFlag(flags, &o.userAgent, "")
	// An error of the flag would show the value, which may be a secret.
	flags.StringArrayVarP(&o.headers, "header", "H", nil, "send this `header`, too, as in \"Accept-Language: de\". May be repeated. Only the site of the URL gets it, and not for robots.txt. The User-Agent is that of -A")
	flags.BoolVarP(&o.wishes.head, "head", "I", false, "ask for the header alone (HEAD), and write it. The values of cookies are hidden")
	flags.StringVarP(&o.output, "output", "o", "", "write the pages to this `file`; it is created for the first page")
	flags.BoolVarP(&o.apart, "remote-name", "O", false, "write each page to a file of its own in this folder, named by the last part of the URL. No file is overwritten: page becomes page.1, page.2, and so on")
	flags.BoolVar(&o.skip, "skip", false, "with -O: do not fetch a page whose file is there. Give the same list again to go on after an interrupt")
	flags.BoolVar(&o.fails, "fail", false, "write no error page (400 and above), and end with status 1 if there is one")
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "write no lines, except about URLs that were not fetched")
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "tell what a request waits for when it has waited for a second, and when this changes: a gap, a break, or other runs")
	verb.Time(flags, &o.wishes.longest, "max-time", "take no longer than this `time` for a URL, its waits included: 10 for seconds, or 2m")
	flags.StringVar(&o.sites, "sites", "", "do what this `file` says for some sites: a gap of your own, or that the owner has agreed. See \"polite help sites\"")
	flags.BoolVar(&o.json, "json", false, "write the lines to standard error as JSON objects")
	flags.BoolVar(&o.cache.Anew, "refresh", false, "ask for robots.txt again, and whether pages have changed, although they are in the cache")
	o.cache.Flag(flags)
}

// take takes the headers of -H, and the URLs among the arguments. The error is that of a use
// that makes no sense.
func (o *options) take(args []string) error {
	for _, header := range o.headers {
		if err := o.wishes.add(header); err != nil {
			return err
		}
	}
	if o.output == "-" {
		o.output = ""
	}
	if err := o.makesSense(args); err != nil || args[0] == "-" {
		return err
	}
	for _, arg := range args {
		u, err := input.URL(arg)
		if err != nil {
			return input.NotList(arg, err, "to read URLs from it, write: polite get - < %s")
		}
		o.pages = append(o.pages, judge.Question{URL: u})
	}
	return nil
}

// makesSense returns an error if flags contradict each other, or if there is no URL.
func (o *options) makesSense(args []string) error {
	switch {
	case len(args) == 0:
		return errors.New("which URL? write it as in https://example.com/, or \"-\" to read URLs from standard input")
	case o.skip && !o.apart:
		return errors.New("--skip is for -O, which gives each page a file of its own")
	case len(args) > 1 && slices.Contains(args, "-"):
		return errors.New(`"-" or URLs? "-" reads all URLs from standard input`)
	default:
		return nil
	}
}

// page returns the page that a line of standard input names.
func (o *options) page(ctx context.Context, line string) judge.Question {
	q := input.Question(line, false)
	if q.Err == nil {
		q.Err = o.vet(ctx, q.URL)
	}
	return q
}

// vet returns why polite cannot fetch from the site of a URL, or nil.
func (o *options) vet(ctx context.Context, u *url.URL) error {
	return input.Vet(ctx, &polite.Transport{UserAgent: o.userAgent}, u)
}

// wishes are how get asks for a page.
type wishes struct {
	head    bool          // for its header alone
	header  http.Header   // what is sent, too
	longest time.Duration // for a page, its waits included; 0 for any
}

// add adds a header as a user writes it. The error does not show its value, which may be a
// secret.
func (w *wishes) add(header string) error {
	name, value, ok := strings.Cut(header, ":")
	name, value = http.CanonicalHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value)
	switch {
	case !ok || !httpguts.ValidHeaderFieldName(name):
		return errors.New(`-H takes a name and a value, as in "Accept-Language: de"`)
	case !httpguts.ValidHeaderFieldValue(value):
		return fmt.Errorf("-H: the value of %s has a control character", name)
	case name == "User-Agent":
		return errors.New("-H: write the User-Agent with -A, since robots.txt is about the crawler that it names")
	case name == "Host":
		return errors.New("-H: write the host in the URL, since robots.txt is that of this host")
	case name == "Content-Length", slices.Contains(fetch.HopFields(), name):
		return fmt.Errorf("-H: polite sets %s itself", name)
	}
	if w.header == nil {
		w.header = make(http.Header)
	}
	w.header.Add(name, value)
	return nil
}

// request returns the request for a page.
func (w *wishes) request(ctx context.Context, u *url.URL) *http.Request {
	method := http.MethodGet
	if w.head {
		method = http.MethodHead
	}
	req := origin.NewRequest(ctx, method, u)
	if w.header != nil {
		req.Header = w.header.Clone()
	}
	return req
}

// redirected lets a redirect to another site go without our header, which may have a
// secret.
func (w *wishes) redirected(req *http.Request, via []*http.Request) error {
	const most = 10 // as net/http has it
	if len(via) >= most {
		return fmt.Errorf("stopped after %d redirects", most)
	}
	if origin := judge.Origin(req.URL); origin == "" || origin != judge.Origin(via[0].URL) {
		for name := range w.header {
			req.Header.Del(name)
		}
	}
	return nil
}

// within returns the context for a page. Its cause tells if the page took too long.
func (w *wishes) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if w.longest == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, w.longest, fmt.Errorf("it takes longer than the %v of --max-time", w.longest))
}
