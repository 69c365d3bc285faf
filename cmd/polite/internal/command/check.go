package command

import (
	"context"
	"fmt"
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
	"github.com/spf13/cobra"
)

func checkVerb(std verb.Streams) *cobra.Command {
	var o checkOptions
	c := &cobra.Command{
		Use: "check [URL...]", Short: "tell whether pages are allowed, and why", GroupID: forFiles,
		SuggestFor: []string{"test", "tests", "allowed", "can-fetch", "ask"},
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.take(c.Context(), args, std); err != nil {
				return verb.Misused("check", err)
			}
			return o.check(c.Context(), std)
		},
	}
	o.flags(c.Flags())
	return c
}

// check tells the verdicts that the options ask for.
func (o *checkOptions) check(ctx context.Context, std verb.Streams) error {
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
func (o *checkOptions) tell(ctx context.Context, by judge.Options, lists input.Lists, work *report.Work, std verb.Streams) error {
	style, out := o.colour.StyleFor(std.Out), o.output(work.Line.Beside(std.Out))
	if o.expect != "" {
		e := examiner{checkOptions: o, by: by, lists: lists, style: style, out: out, work: work, std: std}
		return e.run(ctx)
	}
	t := teller{form: o.form(style, terminal.Width(std.Out)), out: out, work: work, only: o.disallowed}
	if o.urls != "" && !o.json && !o.csv {
		t.summary = work.Line
	}
	questions := lists.Questions(ctx, o.questions, o.urls, o.question)
	return t.tell(ctx, judge.New(by).All(ctx, o.noted(work, work.Count(questions))))
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
	var first verb.First
	counts := make(report.Outcomes)
	heading := true
	for verdicts := range all {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t.work.Over(verdicts.In.URL)
		allowed := true
		for _, v := range verdicts.Out {
			outcome := report.OutcomeOf(v.Decision, v.Err)
			first.Note(verdicts.N, outcome.Status())
			counts[outcome]++
			allowed = allowed && outcome == report.Allowed
		}
		if allowed && t.only {
			continue
		}
		if _, err := io.WriteString(t.out, t.form.Tell(verdicts.Out, heading)); err != nil {
			return err
		}
		heading = false
	}
	if len(counts) == 0 && ctx.Err() == nil {
		return verb.Misused("check", input.ErrEmpty)
	}
	if t.summary != nil {
		fmt.Fprintln(t.summary, counts)
	}
	return first.Status().OrNil()
}
