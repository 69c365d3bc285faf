package main

import (
	"context"
	"io"
	"iter"
	"net/http"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

const checkUsage = `usage: polite check [-A agent]... [-f file|--sites file] [-v|-q|--json|--csv]
                    [--timeout time] [--color when] [--no-cache] [URL...]
       polite check --expect file [-f file|--sites file] [-q|--json]
                    [--timeout time] [--color when] [--no-cache]

Tells whether robots.txt allows the URLs, and why: which group speaks, which
rules match, and which of them decides. It asks for robots.txt now, whatever is
in the cache, and keeps the answer there. Only while the site wants no requests
for long (Retry-After), it goes by the last answer, and says how old it is. It
does not ask for the pages.

For one URL it tells the whole story, for several URLs a line each, for several
agents a table. In the table, the number after a verdict is the line of
robots.txt that decides. If the table is wider than the terminal, each agent has
a row below the URL. Without URLs, or for "-", it reads them from standard
input, one a line; "#" begins a comment. The verdicts come in the order of the
URLs, but no site that is slow holds up those on others.

    -A agent        judge for this crawler: its name (GPTBot), all of its names,
                    the most specific first (ExampleBot-News,ExampleBot), or the
                    User-Agent that it sends. May be repeated. If left out, it
                    is polite itself. Google's crawlers do as Google says:
                    Googlebot-Image goes by Googlebot too, AdsBot-Google does
                    not go by "*", and so on
    -f file         go by this robots.txt, or by standard input for "-". Then no
                    site is asked, and a URL may be a path alone: /private/x
    --sites file    do what the file says for some sites: go by a gap of your
                    own, or by what the owner has agreed to. See "polite help
                    sites"
    --expect file   tell the verdicts that are not as the file says. Each of its
                    lines has a URL, a crawler and a verdict, with spaces or
                    commas between: https://example.com/ Googlebot allowed. "*"
                    is any crawler that robots.txt does not name. "#" begins a
                    comment
    -v              tell the whole story of each
    -q, --quiet     write no verdicts: the exit status tells
    --json          write a JSON object a line
    --csv           write CSV: verdict, crawler, url, line, rule, group,
                    robots_url, error
    --timeout time  wait no longer for a robots.txt: 10 for seconds, or 2m. If
                    left out, 30 seconds
    --color when    use colours: auto, always or never
    --no-cache      do not use the cache

Polite asks for robots.txt in its own name, not in the names of the agents. If a
site gives each crawler another robots.txt, the verdicts are by the one for
polite. If robots.txt could not be fetched, the default Policy of package polite
decides; to decide by another Policy, write a program that calls
Transport.Check.

Exit status, of the first URL that is not allowed:

    0   all are allowed
    1   failed: a line of standard input is no URL, an interrupt, ...
    2   usage: nothing was asked for
    3   disallowed by robots.txt
    4   robots.txt is unreachable, or the file of -f is not readable

With --expect, 3 is for a verdict that is not as expected. 1 is also for a line
that makes no sense, and for a file that expects nothing. What could not be
compared counts more than what is different: 1 comes before 4, and 4 before 3.
`

func check(ctx context.Context, args []string, std verb.Streams) error {
	o, err := parseCheck(args, std)
	if err != nil {
		return err
	}
	o.tellDoubts(std.Warning("check"))
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
	work := o.work(std)
	by := judge.Options{Crawlers: o.crawlers, Base: http.DefaultTransport, Sites: sites, Explain: (o.whole || o.json) && !o.csv && !o.quiet, Timeout: o.timeout}
	if o.file != "" {
		source, err := input.File(ctx, o.file, std)
		if err != nil {
			return err
		}
		by.File, by.Body = source.Name, source.Body
	} else {
		o.cache.Asks = report.Break(work.Line)
		cache, end := cachefile.Open(ctx, o.cache, std.Warning("check"))
		defer end()
		by.Cache = cache
	}
	if !terminal.Is(std.In) || len(o.questions) > 0 { // else it shows what the user types
		defer work.Run(ctx)()
	}
	return o.tell(ctx, by, work, std)
}

// tell tells the verdicts, or with --expect those that are not as expected.
func (o *checkOptions) tell(ctx context.Context, by judge.Options, work *report.Work, std verb.Streams) error {
	style, out := o.colour.StyleFor(std.Out), o.output(work.Line.Beside(std.Out))
	if o.expect != "" {
		e := examiner{checkOptions: o, by: by, style: style, out: out, work: work, std: std}
		return e.run(ctx)
	}
	t := teller{o.form(style, terminal.Width(std.Out)), out, work}
	return t.tell(ctx, judge.New(by).All(ctx, o.noted(work, input.Questions(ctx, o.questions, std, o.question))))
}

// A teller writes verdicts.
type teller struct {
	form report.Form
	out  io.Writer
	work *report.Work
}

// tell writes all verdicts. The error is the exit status of the first that does not
// allow.
func (t teller) tell(ctx context.Context, all iter.Seq[judge.Verdicts]) error {
	var first verb.First
	heading := true
	for verdicts := range all {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, err := io.WriteString(t.out, t.form.Tell(verdicts.Out, heading)); err != nil {
			return err
		}
		heading = false
		t.work.Over(verdicts.In.URL)
		for _, v := range verdicts.Out {
			first.Note(verdicts.N, report.OutcomeOf(v.Decision, v.Err).Status())
		}
	}
	return first.Status().OrNil()
}
