// Package check is the verb of this name.
package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/resources"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Verb returns "polite check".
func Verb(std verb.Streams) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "check [URL...]", Short: "tell whether pages are allowed, and why",
		SuggestFor: []string{"test", "tests", "allowed", "can-fetch", "ask"},
		Args:       func(c *cobra.Command, args []string) error { return o.take(c.Context(), args, std) },
		RunE:       func(c *cobra.Command, _ []string) error { return o.check(c.Context(), std) },
	}
	o.flags(c.Flags())
	for _, apart := range [][]string{
		{"resources", "expect", "urls"}, {"resources", "verbose"}, {"expect", "agent"}, {"file", "sites"},
		{"disallowed", "expect"}, {"disallowed", "resources"}, {"csv", "json"}, {"csv", "expect"}, {"csv", "resources"},
	} {
		c.MarkFlagsMutuallyExclusive(apart...)
	}
	return c
}

// check tells the verdicts that the options ask for.
func (o *options) check(ctx context.Context, std verb.Streams) error {
	o.TellDoubts(std.Warning("check"))
	transport := &polite.Transport{UserAgent: verb.UserAgent()}
	for _, q := range o.questions {
		if err := input.Vet(ctx, transport, q.URL); err != nil {
			return verb.Misused("check", err)
		}
	}
	sites, err := input.Sites(ctx, "check", o.sites)
	if err != nil {
		return err
	}
	work := &report.Work{Line: terminal.ProgressOn(verb.Spoken(o.quiet, std.Err)), Done: "checked", Total: len(o.questions)}
	by := judge.Options{Crawlers: o.Crawlers, Base: http.DefaultTransport, Sites: sites, Explain: (o.whole || o.json) && !o.csv && !o.quiet, Timeout: o.timeout}
	if o.file != "" {
		source, err := input.File(ctx, o.file, std)
		if err != nil {
			return err
		}
		by.File, by.Body = source.Name, source.Body
	}
	fetches := &polite.Transport{UserAgent: verb.UserAgent(), Sites: sites}
	if o.file == "" || o.resources || input.IsURL(o.urls) {
		o.cache.Asks = report.Break(work.Line)
		cache, end := cachefile.Open(ctx, o.cache, std.Warning("check"))
		defer end()
		fetches.Cache = cache
		if o.file == "" {
			by.Cache = cache
		}
	}
	if !terminal.Is(std.In) || o.urls != "-" && o.expect != "-" { // else it shows what the user types
		defer work.Run(ctx)()
	}
	if o.resources {
		return o.tellLoads(ctx, by, fetches.Cache, work, std)
	}
	return o.tell(ctx, by, input.NewLists(std, fetches), work, std)
}

// tell tells the verdicts, or with --expect those that are not as expected.
func (o *options) tell(ctx context.Context, by judge.Options, lists input.Lists, work *report.Work, std verb.Streams) error {
	style, out := terminal.StyleFor(std.Out), verb.Spoken(o.quiet, work.Line.Beside(std.Out))
	if o.expect != "" {
		e := examiner{options: o, by: by, lists: lists, style: style, out: out, work: work, std: std}
		return e.run(ctx)
	}
	t := teller{form: o.form(style, terminal.Width(std.Out)), out: out, work: work, only: o.disallowed}
	if o.urls != "" && !o.json && !o.csv {
		t.summary = work.Line
	}
	questions := lists.Questions(ctx, o.questions, o.urls, o.question)
	return t.tell(ctx, judge.New(by).All(ctx, work.Count(ctx, questions, o.file == "")))
}

// A teller writes verdicts.
type teller struct {
	form    report.Form
	out     io.Writer
	summary io.Writer // nil for none
	work    *report.Work
	only    bool // leave out the URLs that are allowed
}

// tell writes all verdicts. The error is the exit status of the first that does not
// allow.
func (t teller) tell(ctx context.Context, all iter.Seq[judge.Verdicts]) error {
	status := verb.OK
	counts := make(report.Outcomes)
	heading := true
	for verdicts := range all {
		if ctx.Err() != nil {
			break
		}
		allowed := true
		for _, v := range verdicts.Out {
			outcome := report.OutcomeOf(v.Decision, v.Err)
			status = cmp.Or(status, outcome.Status())
			counts[outcome]++
			allowed = allowed && outcome == report.Allowed
		}
		if !allowed || !t.only {
			if _, err := io.WriteString(t.out, t.form.Tell(verdicts.Out, heading)); err != nil {
				return err
			}
			heading = false
		}
		t.work.Next()
	}
	if len(counts) == 0 && ctx.Err() == nil {
		return verb.Misused("check", input.ErrEmpty)
	}
	if t.summary != nil && len(counts) > 0 {
		fmt.Fprintln(t.summary, counts)
	}
	return cmp.Or(t.work.Interrupted(ctx), status.OrNil())
}

type options struct {
	judge.Agents
	file      string // "" if sites are asked
	sites     string // the file of --sites; "" for none
	expect    string // the file of --expect; "" for none
	resources bool   // judge what a page loads, too
	page      string // the file that has the page, if it is not to be fetched
	base      string // the URL of that page
	urls      string // the list of URLs, if there are no questions; "-" for standard input
	json, csv bool
	quiet     bool // write nothing

	disallowed bool          // leave out the URLs that are allowed
	timeout    time.Duration // 0 for as long as polite waits
	cache      cachefile.Options
	whole      bool             // the whole story of each
	questions  []judge.Question // none if they are in a list
}

// flags defines the flags of check.
func (o *options) flags(flags *pflag.FlagSet) {
	flags.FuncP("agent", "A", "judge for this crawler: the name of an `agent` (GPTBot), all of its names, the most specific first (ExampleBot-News,ExampleBot), or the User-Agent that it sends. May be repeated. If left out, it is polite itself. Google's crawlers do as Google says", o.Add)
	flags.FuncP("file", "f", "go by the robots.txt in this `file`, or by standard input for \"-\". Then no site is asked, and a URL may be a path alone: /private/x", func(file string) error {
		if o.file != "" {
			return errors.New("there is one already: check the files one by one")
		}
		o.file = file
		return nil
	})
	flags.StringVar(&o.sites, "sites", "", "do what this `file` says for some sites: go by a gap of your own, or by what the owner has agreed to. See \"polite help sites\"")
	flags.StringVar(&o.urls, "urls", "", "judge the URLs of a list: a `file`, a URL, or \"-\" for standard input, with a URL a line, or a sitemap, which may be compressed, or an index of sitemaps")
	flags.StringVar(&o.expect, "expect", "", "tell the verdicts that are not as this `file` says. Each of its lines has a URL, a crawler and a verdict, with spaces or commas between: https://example.com/ Googlebot allowed. \"*\" is any crawler that robots.txt does not name. In place of a URL, \"sitemap:\" and a list are for all its URLs: sitemap:sitemap.xml.gz Googlebot allowed. \"#\" begins a comment")
	flags.BoolVar(&o.resources, "resources", false, "judge a page and what it loads, grouped by host: scripts, styles, images, frames and fonts, also those of its styles. With -f, the file is for the page's own host, and the others are asked")
	flags.StringVar(&o.base, "base", "", "with --resources: the page is in a file, or on standard input for \"-\", and this is its `URL`")
	flags.BoolVar(&o.disallowed, "disallowed", false, "leave out the URLs that are allowed")
	flags.BoolVarP(&o.whole, "verbose", "v", false, "tell the whole story of each")
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "write no verdicts: the exit status tells")
	flags.BoolVar(&o.json, "json", false, "write a JSON object a line")
	flags.BoolVar(&o.csv, "csv", false, "write CSV, whose first line names the columns")
	verb.Time(flags, &o.timeout, "max-time", "take no longer than this `time` for a robots.txt: 10 for seconds, or 2m. If left out, 30 seconds")
	o.cache.Anew, o.cache.InBreak = true, true
	o.cache.Flag(flags)
}

// take takes the arguments that are not flags. The error is that of a use that makes no
// sense.
func (o *options) take(ctx context.Context, args []string, std verb.Streams) error {
	if err := o.makesSense(args); err != nil || o.expect != "" {
		return err
	}
	if len(o.Crawlers) == 0 {
		tokens, _ := judge.ParseAgent(verb.UserAgent())
		o.Crawlers = [][]string{tokens}
	}
	if o.resources {
		return o.askPage(args)
	}
	return o.ask(ctx, args, std)
}

// makesSense returns an error if flags contradict each other, or the arguments.
func (o *options) makesSense(args []string) error {
	switch {
	case input.IsURL(o.file):
		return errors.New("-f takes a file: leave it out to ask the site")
	case o.resources:
		return o.makesSenseForPage(args)
	case o.base != "":
		return errors.New("--base is for --resources with a file")
	case o.expect == "":
		return nil
	case len(args) > 0:
		return errors.New("--expect or URLs? the file of --expect has the URLs")
	case o.expect == "-" && o.file == "-":
		return errors.New("standard input twice: it can be read once")
	default:
		return nil
	}
}

// ask makes questions of the arguments that are not flags, or names the list that has them.
func (o *options) ask(ctx context.Context, args []string, std verb.Streams) error {
	fromStdin := o.urls == "-" || o.urls == "" && (len(args) == 0 || len(args) == 1 && args[0] == "-")
	switch {
	case fromStdin && o.file == "-":
		return errors.New("which URL? standard input is the file of -f")
	case o.urls != "" && len(args) > 0:
		return errors.New("--urls or URLs? --urls names a list of all URLs")
	case o.urls == "" && len(args) == 0 && terminal.Is(std.In):
		return errors.New("which URL? write it as in https://example.com/")
	case fromStdin:
		o.urls = "-"
		return nil
	case o.urls != "":
		return input.VetRobots(ctx, o.urls)
	}
	for _, arg := range args {
		q := o.question(arg)
		if q.Err != nil {
			return input.NotList(arg, q.Err, o.instead())
		}
		o.questions = append(o.questions, q)
	}
	if len(o.questions)*len(o.Crawlers) == 1 {
		o.whole = true
	}
	return nil
}

// instead says what to write for a file that is taken for a URL.
func (o *options) instead() string {
	if o.file == "" {
		return "write -f before it to go by this robots.txt, or --urls to read URLs from it, as in --urls %s"
	}
	return "write --urls before it to read URLs from it, as in --urls %s"
}

func (o *options) question(arg string) judge.Question {
	return input.Question(arg, o.file != "")
}

// form returns the form that the options ask for, for a terminal with so many columns; 0
// is for what is no terminal.
func (o *options) form(s terminal.Style, columns int) report.Form {
	switch {
	case o.json:
		return report.JSON()
	case o.csv:
		return report.CSV()
	case o.whole:
		return report.Whole(s)
	case len(o.Crawlers) > 1:
		return report.Table(s, o.Crawlers, columns, o.longest(), "URL")
	default:
		return report.Lines(s)
	}
}

// longest returns the length of the longest URL, or a usual one if none is known.
func (o *options) longest() int {
	if len(o.questions) == 0 {
		return len("https://example.com/some-page")
	}
	longest := 0
	for _, q := range o.questions {
		longest = max(longest, len(q.Name))
	}
	return longest
}

// makesSenseForPage returns an error if flags contradict --resources, or the arguments do.
func (o *options) makesSenseForPage(args []string) error {
	switch {
	case len(args) != 1:
		return errors.New("which page? write one URL, or a file with HTML and --base")
	case input.IsURL(args[0]) && o.base != "":
		return errors.New("--base is for a page in a file: a URL is its own base")
	case !input.IsURL(args[0]) && o.base == "":
		return fmt.Errorf("where is the page %q? write its URL: --base https://example.com/page", verb.Shown(args[0]))
	case args[0] == "-" && o.file == "-":
		return errors.New("standard input twice: it can be read once")
	default:
		return nil
	}
}

// askPage makes a question of the page.
func (o *options) askPage(args []string) error {
	at := args[0]
	if o.base != "" {
		o.page, at = args[0], o.base
	}
	q := input.Question(at, false)
	o.questions = []judge.Question{q}
	return q.Err
}

// tellLoads tells the verdicts on a page and on what it loads. Those at the page's own origin
// are by the file, if there is one.
func (o *options) tellLoads(ctx context.Context, by judge.Options, cache *polite.Cache, work *report.Work, std verb.Streams) error {
	fetcher := resources.NewFetcher(http.DefaultTransport.(*http.Transport), cache)
	page, unread := o.readPage(ctx, fetcher, std)
	if unread != nil {
		page = &resources.Page{URL: o.questions[0].URL}
	}
	if fetcher.Follow(ctx, page); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	work.Total = len(page.Resources) + 1
	by.Base = fetcher.Base()
	own := judge.New(by)
	by.File, by.Cache = "", cache
	hosts, err := page.Judge(ctx, own, judge.New(by), work)
	if err != nil {
		return err
	}
	status, err := o.writeLoads(hosts, work, std)
	if err != nil {
		return err
	}
	if unread != nil {
		o.say(std, fmt.Errorf("what the page loads is not known: %w", unread))
		status = report.OutcomeOf(polite.Decision{}, unread).Status()
	} else {
		o.tellGaps(page, std)
	}
	return status.OrNil()
}

// readPage reads the page that is given, or fetches it.
func (o *options) readPage(ctx context.Context, f *resources.Fetcher, std verb.Streams) (*resources.Page, error) {
	at := o.questions[0].URL
	if o.page == "" {
		return f.Fetch(ctx, at)
	}
	file, err := input.OpenFile(ctx, o.page, std)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return f.Read(file, at)
}

// writeLoads writes the verdicts, and returns the status of the first that does not allow.
func (o *options) writeLoads(hosts []resources.Host, work *report.Work, std verb.Streams) (status verb.Status, err error) {
	form := report.Loads(o.json, terminal.StyleFor(std.Out), o.Crawlers, terminal.Width(std.Out))
	out := verb.Spoken(o.quiet, work.Line.Beside(std.Out))
	for i, h := range hosts {
		if _, err := io.WriteString(out, form.TellLoads(h.Origin, h.Loads, i == 0)); err != nil {
			return status, err
		}
		for _, l := range h.Loads {
			for _, v := range l.Verdicts {
				status = cmp.Or(status, report.OutcomeOf(v.Decision, v.Err).Status())
			}
		}
	}
	return status, nil
}

// tellGaps tells what is not known of what a page loads.
func (o *options) tellGaps(page *resources.Page, std verb.Streams) {
	if page.Cut {
		o.say(std, fmt.Errorf("the page is longer than %d MiB: what follows was not read", resources.MaxPage>>20))
	}
	if page.Left > 0 {
		o.say(std, fmt.Errorf("the page has %d more references: the first %d resources of %d hosts are judged", page.Left, resources.Most, resources.MostOrigins))
	}
	if page.Broken > 0 {
		o.say(std, fmt.Errorf("%s in the page cannot be asked for: no URL, or too long", verb.Count(page.Broken, "reference")))
	}
	for _, err := range page.Unread {
		o.say(std, err)
	}
}

// say tells an error in spite of which the verdicts hold.
func (o *options) say(std verb.Streams, err error) {
	if !o.quiet {
		std.Warning("check")(err)
	}
}
