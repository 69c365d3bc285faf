package resources

import (
	"context"
	"iter"
	"slices"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
)

// A Host is what a page loads from an origin, with the verdicts on it.
type Host struct {
	Origin string
	Loads  []report.Load
}

// Judge judges the page and what it loads, grouped by origin. The page's own origin is the
// first, and the page is its first load. own judges what is at that origin, and others the
// rest; they may be one. work notes who is asked. The error is why ctx ended.
func (p *Page) Judge(ctx context.Context, own, others *judge.Judge, work *report.Work) ([]Host, error) {
	home := judge.Origin(p.URL)
	hosts := []Host{{Origin: home}}
	byOrigin := map[string][]Resource{home: {{p.URL, "page", ""}}}
	for _, r := range p.Resources {
		o := judge.Origin(r.URL)
		if _, known := byOrigin[o]; !known {
			hosts = append(hosts, Host{Origin: o})
		}
		byOrigin[o] = append(byOrigin[o], r)
	}
	var elsewhere []Resource
	for _, h := range hosts[1:] {
		elsewhere = append(elsewhere, byOrigin[h.Origin]...)
	}
	loads := slices.Concat(judged(ctx, own, byOrigin[home], work), judged(ctx, others, elsewhere, work))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for i, h := range hosts {
		n := len(byOrigin[h.Origin])
		hosts[i].Loads, loads = loads[:n], loads[n:]
	}
	return hosts, nil
}

// judged returns the verdicts on all resources, in their order.
func judged(ctx context.Context, j *judge.Judge, all []Resource, work *report.Work) []report.Load {
	loads := make([]report.Load, len(all))
	for v := range j.All(ctx, questions(all, work)) {
		r := all[v.N]
		loads[v.N] = report.Load{Kind: string(r.Kind), From: r.From, Verdicts: v.Out}
		work.Next()
	}
	return loads
}

func questions(all []Resource, work *report.Work) iter.Seq[judge.Question] {
	return func(yield func(judge.Question) bool) {
		for _, r := range all {
			work.Ask(r.URL)
			if !yield(judge.Question{Name: r.URL.Redacted(), URL: r.URL}) {
				return
			}
		}
	}
}
