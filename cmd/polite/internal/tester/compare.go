package tester

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/review"
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
	mostChanges = 1000
	mostOthers  = 1000
)

type compareAnswer struct {
	Totals   string   `json:"totals"`
	Verdicts []change `json:"verdicts"`
	More     int      `json:"more"` // verdicts
	Complete bool     `json:"complete"`
	Others   []other  `json:"others"`
	Beyond   int      `json:"more_others"`
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

// A compared is what changes between two files.
type compared struct {
	*compare.Comparison
	verdicts []compare.Verdict // on the URLs, or on those that are invented
	others   []review.Change
	complete bool
	listed   bool // the verdicts are on the URLs of a list
}

// compared compares the file before and the text. ctx ends it with an error.
func (f form) compared(ctx context.Context) (compared, error) {
	before, after := robots.Parse(f.before), robots.Parse(f.text)
	crawlers, all, err := f.request.crawlers(before, after)
	if err != nil {
		return compared{}, err
	}
	c := compare.New(before, after, crawlers)
	invented, complete := c.Invented(ctx)
	changed := invented
	if len(f.urls) > 0 {
		changed, complete = f.on(ctx, c), true
	}
	if ctx.Err() != nil {
		return compared{}, context.Cause(ctx)
	}
	return compared{c, changed, review.Others(c, invented), complete && all, len(f.urls) > 0}, nil
}

// totals returns how much changes.
func (c compared) totals() review.Totals {
	return totalsOfChanges(c.Comparison, c.verdicts, len(c.others))
}

// bundled returns the verdicts that change. Many on the URLs of a list are told together.
func (c compared) bundled() (verdicts []compare.Verdict, rest int) {
	if !c.listed {
		return c.verdicts, 0
	}
	var b compare.Bundles
	for _, v := range c.verdicts {
		b.Add(v)
	}
	return b.Verdicts(), b.Rest()
}

// compare tells what changes between the file before and the text.
func (f form) compare(ctx context.Context) (compareAnswer, error) {
	c, err := f.compared(ctx)
	if err != nil {
		return compareAnswer{}, err
	}
	told, rest := c.bundled()
	a := compareAnswer{Complete: c.complete, Verdicts: []change{}, Others: []other{}, Totals: c.totals().String()}
	for _, v := range told[:min(len(told), mostChanges)] {
		a.Verdicts = append(a.Verdicts, changeOf(v))
	}
	a.More = max(0, len(told)-mostChanges) + rest
	a.Beyond = max(0, len(c.others)-mostOthers)
	for _, o := range c.others[:len(c.others)-a.Beyond] {
		a.Others = append(a.Others, other{o.Kind, o.Change, excerpt(o.Subject()), excerpt(o.Detail())})
	}
	return a, nil
}

// review returns what "polite diff" writes, and its content type.
func (f form) review(ctx context.Context) (kind string, body []byte, err error) {
	kind, form, err := f.request.reviewForm()
	if err != nil {
		return "", nil, err
	}
	c, err := f.compared(ctx)
	if err != nil {
		return "", nil, err
	}
	told := c.verdicts
	if form.Bundles {
		told, _ = c.bundled()
	}
	var b bytes.Buffer
	b.WriteString(form.Head)
	for _, v := range told {
		b.WriteString(form.Verdict(v))
	}
	if form.Between != nil {
		b.WriteString(form.Between(c.totals()))
	}
	for _, o := range c.others {
		b.WriteString(form.Other(o))
	}
	if b.Len() > mostExported {
		return "", nil, failure{http.StatusRequestEntityTooLarge, "The export is longer than 64 MiB: compare fewer URLs at a time."}
	}
	return kind, b.Bytes(), nil
}

// reviewForm returns the form of an exported comparison, and its content type.
func (r request) reviewForm() (kind string, form review.Form, err error) {
	switch r.Format {
	case "csv":
		return "text/csv; charset=utf-8", review.CSV(), nil
	case "json":
		return "application/x-ndjson", review.JSON(), nil
	case "markdown":
		return "text/markdown; charset=utf-8", review.Markdown(), nil
	}
	return "", review.Form{}, bad("%q is no format: there is markdown, csv, json.", r.Format)
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

// on returns the verdicts that change on the URLs. It ends with ctx.
func (f form) on(ctx context.Context, c *compare.Comparison) (changed []compare.Verdict) {
	for _, u := range f.urls {
		if ctx.Err() != nil {
			return nil
		}
		if u.Err == nil {
			changed = append(changed, c.On(u.Name, u.URL.RequestURI())...)
		}
	}
	return changed
}

func totalsOfChanges(c *compare.Comparison, changed []compare.Verdict, others int) review.Totals {
	affected := make(map[string]bool)
	for _, v := range changed {
		for _, name := range v.Crawlers {
			affected[name] = true
		}
	}
	return review.Totals{Verdicts: len(changed), Affected: len(affected), Crawlers: c.Count(), Others: others}
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
