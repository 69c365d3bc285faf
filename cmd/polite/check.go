package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/kept"
	"github.com/go-polite/polite/cmd/polite/internal/self"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/told"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

const checkUsage = `usage: polite check [-A agent]... [-f file|--sites file] [-v] [--json] [--no-cache]
                    [URL...]
       polite check --expect file [-f file|--sites file] [--json] [--no-cache]

Tells whether robots.txt allows the URLs, and why: which group speaks, which rules
match, and which of them decides. It asks for robots.txt now, whatever is in the
cache, and keeps the answer there. Only while the site wants no requests for long
(Retry-After), it goes by the last answer, and says how old it is. It does not ask
for the pages.

For one URL it tells the whole story, for several URLs a line each, for several
agents a table. In the table, the number after a verdict is the line of robots.txt
that decides. Without URLs, or for "-", it reads them from standard input, one a
line.

    -A agent    judge for this crawler: its name (GPTBot), all of its names, the most
                specific first (ExampleBot-News,ExampleBot), or the User-Agent that
                it sends. May be repeated. If left out, it is polite itself.
                Google's crawlers do as Google says: Googlebot-Image goes by
                Googlebot too, AdsBot-Google does not go by "*", and so on
    -f file     go by this robots.txt, or by standard input for "-". Then no site is
                asked, and a URL may be a path alone: /private/x
    --sites file
                do what the file says for some sites: go by a delay of your own, or
                by what the owner has agreed to. See "polite help sites"
    --expect file
                tell the verdicts that are not as the file says. Each of its lines
                has a URL, a crawler and a verdict, with spaces or commas between:
                https://example.com/ Googlebot allowed. "*" is any crawler that
                robots.txt does not name. "#" begins a comment
    -v          tell the whole story of each
    --json      write a JSON object a line
    --no-cache  do not use the cache

Polite asks for robots.txt in its own name, not in the names of the agents. If a
site gives each crawler another robots.txt, the verdicts are by the one for polite.
If robots.txt could not be fetched, the default Policy of package polite decides; to
decide by another Policy, write a program that calls Transport.Check.

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
	tellDoubts("check", o.doubts, std)
	transport := &polite.Transport{UserAgent: self.UserAgent()}
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
	by := judge.Options{Crawlers: o.crawlers, Base: http.DefaultTransport, Sites: sites, Explain: o.whole || o.json}
	if o.file != "" {
		source, err := input.File(ctx, o.file, std)
		if err != nil {
			return err
		}
		by.File, by.Body = source.Name, source.Body
	} else {
		o.kept.Asks = told.Break(work.Line)
		cache, end := kept.Open(ctx, o.kept, std.Warning("check"))
		defer end()
		by.Cache = cache
	}
	if !terminal.Is(std.In) || len(o.questions) > 0 { // else it shows what the user types
		defer work.Run(ctx)()
	}
	if o.expect != "" {
		e := examiner{file: o.expect, question: o.question, by: by, json: o.json, work: work, std: std}
		return e.run(ctx)
	}
	t := teller{o.form(terminal.StyleFor(std.Out)), work.Line.Beside(std.Out), work}
	return t.tell(ctx, judge.New(by).All(ctx, o.noted(work, o.all(ctx, std))))
}

// tellDoubts tells what is doubtful about the crawlers.
func tellDoubts(name string, doubts []string, std verb.Streams) {
	for _, doubt := range doubts {
		if doubt != "" {
			std.Warning(name)(errors.New(doubt))
		}
	}
}

// A teller writes verdicts.
type teller struct {
	form told.Form
	out  io.Writer
	work *told.Work
}

// tell writes all verdicts. The error is the exit status of the first that does not
// allow.
func (t teller) tell(ctx context.Context, all iter.Seq[[]judge.Verdict]) error {
	status, n := verb.OK, 0
	for verdicts := range all {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, err := io.WriteString(t.out, t.form.Tell(verdicts, n == 0)); err != nil {
			return err
		}
		n++
		t.work.Next()
		for _, v := range verdicts {
			status = cmp.Or(status, told.OutcomeOf(v.Decision, v.Err).Status())
		}
	}
	return status.OrNil()
}

type checkOptions struct {
	crawlers  [][]string // the product tokens of each
	doubts    []string   // about them; some are ""
	file      string     // "" if sites are asked
	sites     string     // the file of --sites; "" for none
	expect    string     // the file of --expect; "" for none
	json      bool
	kept      kept.Options
	whole     bool             // the whole story of each
	questions []judge.Question // none if they are on standard input
}

func parseCheck(args []string, std verb.Streams) (checkOptions, error) {
	var o checkOptions
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	flags.Func("A", "", o.addCrawler)
	flags.Func("f", "", func(file string) error {
		if o.file != "" {
			return errors.New("there is one already: check the files one by one")
		}
		o.file = file
		return nil
	})
	flags.StringVar(&o.sites, "sites", "", "")
	flags.StringVar(&o.expect, "expect", "", "")
	flags.BoolVar(&o.whole, "v", false, "")
	flags.BoolVar(&o.json, "json", false, "")
	o.kept.Anew, o.kept.Rest = true, true
	o.kept.Flag(flags)
	args, err := verb.Parse(flags, args)
	if err != nil {
		return o, err
	}
	if input.IsURL(o.file) {
		return o, verb.Misused("check", errors.New("-f takes a file: leave it out to ask the site"))
	}
	if o.file != "" && o.sites != "" {
		return o, verb.Misused("check", errors.New("-f or --sites? with -f, no site is asked, and none has agreed"))
	}
	if o.expect != "" {
		return o, o.vetExpect(args)
	}
	if len(o.crawlers) == 0 {
		tokens, _ := judge.ParseAgent(self.UserAgent())
		o.crawlers = [][]string{tokens}
	}
	return o, o.ask(args, std)
}

// addCrawler adds the crawler of an argument of -A.
func (o *checkOptions) addCrawler(agent string) error {
	tokens, err := judge.ParseAgent(agent)
	if err == nil {
		o.crawlers, o.doubts = append(o.crawlers, tokens), append(o.doubts, judge.Doubt(agent, tokens))
	}
	return err
}

// vetExpect returns the error of a use of --expect that makes no sense.
func (o *checkOptions) vetExpect(args []string) error {
	switch {
	case len(args) > 0:
		return verb.Misused("check", errors.New("--expect or URLs? the file of --expect has the URLs"))
	case len(o.crawlers) > 0:
		return verb.Misused("check", errors.New("--expect or -A? the file of --expect has the crawlers"))
	case o.expect == "-" && o.file == "-":
		return verb.Misused("check", errors.New("standard input twice: it can be read once"))
	}
	return nil
}

// ask makes questions of the arguments that are not flags.
func (o *checkOptions) ask(args []string, std verb.Streams) error {
	fromStdin := len(args) == 0 || len(args) == 1 && args[0] == "-"
	switch {
	case fromStdin && o.file == "-":
		return verb.Misused("check", errors.New("which URL? standard input is the file of -f"))
	case len(args) == 0 && terminal.Is(std.In):
		return verb.Misused("check", errors.New("which URL? write it as in https://example.com/"))
	case fromStdin:
		return nil
	}
	for _, arg := range args {
		q := o.question(arg)
		if q.Err != nil {
			return verb.Misused("check", q.Err)
		}
		o.questions = append(o.questions, q)
	}
	if len(o.questions)*len(o.crawlers) == 1 {
		o.whole = true
	}
	return nil
}

func (o *checkOptions) question(arg string) judge.Question {
	if o.file == "" || !strings.HasPrefix(arg, "/") && strings.Contains(arg, "://") {
		u, err := input.URL(arg)
		return judge.Question{Name: verb.Shown(arg), URL: u, Err: err}
	}
	u, err := input.Path(arg)
	if err != nil || strings.HasPrefix(arg, "//") { // it may be a URL without its scheme
		return judge.Question{Name: verb.Shown(arg), URL: u, Err: err}
	}
	return judge.Question{Name: arg, URL: u}
}

// all yields the questions. If there are none, it reads them from standard input.
func (o *checkOptions) all(ctx context.Context, std verb.Streams) iter.Seq[judge.Question] {
	if len(o.questions) > 0 {
		return slices.Values(o.questions)
	}
	return func(yield func(judge.Question) bool) {
		stdin := std.Input(ctx)
		defer stdin.Close()
		for line, err := range input.Lines(stdin) {
			q := judge.Question{Name: "standard input", Err: err}
			if err == nil {
				q = o.question(line)
			}
			if !yield(q) {
				return
			}
		}
	}
}

// form returns the form that the options ask for.
func (o *checkOptions) form(s terminal.Style) told.Form {
	switch {
	case o.json:
		return told.JSON()
	case o.whole:
		return told.Stories(s)
	case len(o.crawlers) > 1:
		return told.Table(s, o.crawlers)
	default:
		return told.Lines(s)
	}
}

// work tells how far the command is.
func (o *checkOptions) work(std verb.Streams) *told.Work {
	return &told.Work{Line: terminal.ProgressOn(std.Err), Done: "checked", Total: len(o.questions)}
}

// noted yields the questions, and notes for work which sites they ask.
func (o *checkOptions) noted(work *told.Work, all iter.Seq[judge.Question]) iter.Seq[judge.Question] {
	return func(yield func(judge.Question) bool) {
		for q := range all {
			u := q.URL
			if o.file != "" {
				u = nil // nobody is asked
			}
			work.Ask(u)
			if !yield(q) {
				return
			}
		}
	}
}
