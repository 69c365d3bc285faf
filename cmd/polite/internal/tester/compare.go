package tester

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
)

// Of crawlers, these stand for all that one of the files names, and for any that neither
// names.
const (
	everyCrawler = "*all*"
	anyCrawler   = "*"
)

// The most that is told of a comparison. The totals count all.
const (
	mostChanges   = 1000
	mostOthers    = 1000
	mostHeadlines = 20
)

type compareAnswer struct {
	Totals    string   `json:"totals"`
	Headlines []string `json:"headlines"`
	Verdicts  []change `json:"verdicts"`
	More      int      `json:"more"` // verdicts
	Complete  bool     `json:"complete"`
	Others    []other  `json:"others"`
	Beyond    int      `json:"more_others"`
}

// A change is a verdict that changes.
type change struct {
	URL      string   `json:"url"`
	Crawlers []string `json:"crawlers"`
	Old      verdict  `json:"old"`
	New      verdict  `json:"new"`
	More     int      `json:"more"` // URLs for which the same changes
}

// An other is a change that is no verdict.
type other struct {
	Kind   string `json:"kind"`
	Change string `json:"change"`
	Text   string `json:"text"`
	Detail string `json:"detail"`
}

// tell tells in a form what changes between the file before and the text, and whether that is all. ctx ends it
// with an error.
func (f form) tell(ctx context.Context, out io.Writer, as compare.Form) (t compare.Totals, complete bool, err error) {
	before, after := robots.Parse(f.before), robots.Parse(f.text)
	crawlers, all, err := f.request.crawlers(before, after)
	if err != nil {
		return t, false, err
	}
	var list iter.Seq[judge.Question]
	if len(f.urls) > 0 {
		list = func(yield func(judge.Question) bool) {
			for _, u := range f.urls {
				if !yield(u.Question) {
					return
				}
			}
		}
	}
	t, complete, err = compare.Tell(ctx, out, as, compare.New(before, after, crawlers), len(f.before)+len(f.text), list)
	return t, complete && all, err
}

// compare tells what changes between the file before and the text.
func (f form) compare(ctx context.Context) (compareAnswer, error) {
	a := compareAnswer{Headlines: []string{}, Verdicts: []change{}, Others: []other{}}
	t, complete, err := f.tell(ctx, io.Discard, compare.Form{Whole: func(r compare.Result) string {
		for _, h := range r.Headlines[:min(len(r.Headlines), mostHeadlines)] {
			a.Headlines = append(a.Headlines, excerpt(h.String()))
		}
		for _, v := range r.Verdicts[:min(len(r.Verdicts), mostChanges)] {
			a.Verdicts = append(a.Verdicts, changeOf(v))
		}
		for _, o := range r.Others[:min(len(r.Others), mostOthers)] {
			a.Others = append(a.Others, other{o.Kind, o.Change, excerpt(o.Subject()), excerpt(o.Detail())})
		}
		a.More, a.Beyond = len(r.Verdicts)-len(a.Verdicts), len(r.Others)-len(a.Others)
		return ""
	}})
	a.Totals, a.More, a.Complete = t.String(), a.More+t.Untold, complete
	return a, err
}

// review returns what "polite diff" writes.
func (f form) review(ctx context.Context) (a answer, err error) {
	form := compare.JSON()
	switch f.request.Format {
	case "json":
	case "markdown":
		form = compare.Markdown()
	default:
		return a, bad("%q is no format: there is markdown, json.", f.request.Format)
	}
	var b bytes.Buffer
	if _, _, err := f.tell(ctx, &b, form); err != nil {
		return a, err
	}
	if b.Len() > mostExported {
		return a, failure{http.StatusRequestEntityTooLarge, "The export is longer than 64 MiB: compare fewer URLs at a time."}
	}
	return answer{kinds[f.request.Format], b.Bytes()}, nil
}

// kinds are the content types of exports.
var kinds = map[string]string{
	"csv": "text/csv; charset=utf-8", "json": "application/x-ndjson", "markdown": "text/markdown; charset=utf-8", "text": "text/plain; charset=utf-8",
}

// crawlers returns the crawlers to compare for, and whether they are all.
func (r request) crawlers(before, after *robots.File) (crawlers [][]string, all bool, err error) {
	switch r.Agent {
	case everyCrawler:
		crawlers, all = compare.Crawlers(before, after)
		return crawlers, all, nil
	case anyCrawler:
		return [][]string{{anyCrawler}}, true, nil
	}
	who, err := readAgent(r.Agent)
	return [][]string{who.Tokens}, true, err
}

// mostNames is how many crawlers of a change are told.
const mostNames = 50

func changeOf(v compare.Verdict) change {
	names := make([]string, 0, len(v.Crawlers))
	for i, name := range v.Crawlers {
		if i == mostNames {
			names = append(names, fmt.Sprintf("and %d more", len(v.Crawlers)-i))
			break
		}
		names = append(names, excerpt(name))
	}
	return change{excerpt(printable.URL(v.URL)), names, byRule(v.Old), byRule(v.New), v.More}
}

// export returns what "polite check" writes.
func (f form) export(ctx context.Context) (a answer, err error) {
	who, err := readAgent(f.request.Agent)
	if err != nil {
		return a, err
	}
	form, err := f.exportForm()
	if err != nil {
		return a, err
	}
	whole := f.request.Format == "json" || f.tellsStory()
	j := judge.New(judge.Options{Crawlers: [][]string{who.Tokens}, File: fileName, Body: f.text, Explain: whole})
	var b bytes.Buffer
	for i, u := range f.urls {
		if ctx.Err() != nil {
			return a, context.Cause(ctx)
		}
		b.WriteString(form.Tell(j.Judge(ctx, u.Question), i == 0))
		if b.Len() > mostExported {
			return a, failure{http.StatusRequestEntityTooLarge, "The export is longer than 64 MiB: export fewer URLs at a time, or as CSV."}
		}
	}
	return answer{kinds[f.request.Format], b.Bytes()}, nil
}

// exportForm returns the form of an export.
func (f form) exportForm() (report.Form, error) {
	format := f.request.Format
	switch {
	case format == "csv":
		return report.CSV(), nil
	case format == "json":
		return report.JSON(), nil
	case format != "text":
		return report.Form{}, bad("%q is no format: there is text, csv, json.", format)
	case f.tellsStory():
		return report.Whole(terminal.Style{}), nil
	default:
		return report.Lines(terminal.Style{}), nil
	}
}

// tellsStory reports whether the command tells the whole story: of one URL it does.
func (f form) tellsStory() bool { return f.request.Format == "text" && len(f.urls) == 1 }
