package tester

import (
	"context"
	"fmt"

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
}

// An other is a change that is no verdict.
type other struct {
	Kind   string `json:"kind"`
	Change string `json:"change"`
	Text   string `json:"text"`
	Detail string `json:"detail"`
}

// compare tells what changes between the file before and the text.
func (f form) compare(ctx context.Context) (compareAnswer, error) {
	before, after := robots.Parse(f.before), robots.Parse(f.text)
	crawlers, all, err := f.request.crawlers(before, after)
	if err != nil {
		return compareAnswer{}, err
	}
	c := compare.New(before, after, crawlers)
	invented, complete := c.Invented(ctx)
	changed := invented
	if len(f.request.URLs) > 0 {
		changed, complete = f.request.on(ctx, c), true
	}
	if ctx.Err() != nil {
		return compareAnswer{}, context.Cause(ctx)
	}
	others := review.Others(c, invented)
	a := compareAnswer{Complete: complete && all, Verdicts: []change{}, Others: []other{}, More: max(0, len(changed)-mostChanges)}
	a.Totals = totalsOfChanges(c, changed, len(others)).String()
	for _, v := range changed[:len(changed)-a.More] {
		a.Verdicts = append(a.Verdicts, changeOf(v))
	}
	a.Beyond = max(0, len(others)-mostOthers)
	for _, o := range others[:len(others)-a.Beyond] {
		a.Others = append(a.Others, other{o.Kind, o.Change, excerpt(o.Subject()), excerpt(o.Detail())})
	}
	return a, nil
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
func (r request) on(ctx context.Context, c *compare.Comparison) (changed []compare.Verdict) {
	for _, q := range r.questions() {
		if ctx.Err() != nil {
			return nil
		}
		if q.Err == nil {
			changed = append(changed, c.On(q.Name, q.URL.RequestURI())...)
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
	return change{excerpt(printable.URL(v.URL)), names, byRule(v.Old), byRule(v.New)}
}
