package command

import (
	"context"
	"fmt"
	"net/http"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/resources"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// tellLoads tells the verdicts on a page and on what it loads. Those at the page's own origin
// are by the file, if there is one.
func (o *checkOptions) tellLoads(ctx context.Context, by judge.Options, cache *polite.Cache, work *report.Work, std verb.Streams) error {
	fetcher := resources.NewFetcher(http.DefaultTransport.(*http.Transport), cache)
	page, unread := o.readPage(ctx, fetcher, std)
	if ctx.Err() != nil {
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
	first, err := o.writeLoads(hosts, work, std)
	if err != nil {
		return err
	}
	if unread != nil {
		o.say(std, fmt.Errorf("what the page loads is not known: %w", unread))
		first.Note(-1, report.OutcomeOf(polite.Decision{}, unread).Status())
	} else {
		o.tellGaps(page, std)
	}
	return first.Status().OrNil()
}

// readPage reads the page, and looks into its styles. With an error, the page is empty.
func (o *checkOptions) readPage(ctx context.Context, f *resources.Fetcher, std verb.Streams) (*resources.Page, error) {
	at := o.questions[0].URL
	page, err := o.openPage(ctx, f, std)
	if err != nil {
		return &resources.Page{URL: at}, err
	}
	f.Follow(ctx, page)
	return page, nil
}

func (o *checkOptions) openPage(ctx context.Context, f *resources.Fetcher, std verb.Streams) (*resources.Page, error) {
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
func (o *checkOptions) writeLoads(hosts []resources.Host, work *report.Work, std verb.Streams) (first verb.First, err error) {
	form := o.loadForm(o.colour.StyleFor(std.Out), terminal.Width(std.Out))
	out := o.output(work.Line.Beside(std.Out))
	n := 0
	for i, h := range hosts {
		if err := form.Tell(out, h.Origin, h.Loads, i == 0); err != nil {
			return first, err
		}
		for _, l := range h.Loads {
			for _, v := range l.Verdicts {
				first.Note(n, report.OutcomeOf(v.Decision, v.Err).Status())
				n++
			}
		}
	}
	return first, nil
}

func (o *checkOptions) loadForm(s terminal.Style, columns int) report.LoadForm {
	switch {
	case o.json:
		return report.JSONLoads()
	case o.csv:
		return report.CSVLoads()
	default:
		return report.TextLoads(s, o.crawlers, columns)
	}
}

// tellGaps tells what is not known of what a page loads.
func (o *checkOptions) tellGaps(page *resources.Page, std verb.Streams) {
	if page.Cut {
		o.say(std, fmt.Errorf("the page is longer than %d MiB: what follows was not read", resources.MaxPage>>20))
	}
	if page.Left > 0 {
		o.say(std, fmt.Errorf("the page has %d more references: the first %d resources of %d hosts are judged", page.Left, resources.Most, resources.MostOrigins))
	}
	if page.Broken > 0 {
		o.say(std, fmt.Errorf("%s in the page cannot be asked for: no URL, or too long", verb.Count(page.Broken, "reference")))
	}
	for _, u := range page.Unread {
		o.say(std, fmt.Errorf("what %s loads is not known: %w", u.URL, u.Err))
	}
}

// say tells an error in spite of which the verdicts hold.
func (o *checkOptions) say(std verb.Streams, err error) {
	if !o.quiet {
		std.Warning("check")(err)
	}
}
