package tester

import (
	"context"
	"sync"

	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
)

type judgeAnswer struct {
	Agent     agent         `json:"agent"`
	Verdicts  []verdict     `json:"verdicts"` // in the order of the URLs
	Totals    totals        `json:"totals"`
	Group     group         `json:"group"`
	Delay     string        `json:"delay"`
	Uses      []report.Use  `json:"uses"`
	Sitemaps  []string      `json:"sitemaps"`
	Findings  []finding     `json:"findings"`
	Story     *report.Story `json:"story"`
	Truncated bool          `json:"truncated"`
	Lack      string        `json:"lack"`
	Table     *tableAnswer  `json:"table"` // of several crawlers; null if none were asked for
}

// A group is the one that speaks to the crawler: the lines that name it, and its rules.
type group struct {
	Agent  string            `json:"agent"`
	Reason judge.GroupReason `json:"reason"`
	Named  []int             `json:"named"`
	Rules  []int             `json:"rules"`
}

// judge tells all about the robots.txt and the URLs.
func (f form) judge(ctx context.Context) (judgeAnswer, error) {
	who, err := readAgent(f.request.Agent)
	if err != nil {
		return judgeAnswer{}, err
	}
	j := judge.New(judge.Options{Crawlers: [][]string{who.Tokens}, File: fileName, Body: f.text})
	a := judgeAnswer{Agent: who, Sitemaps: sitemaps(j.File())}
	var besides sync.WaitGroup
	besides.Go(func() { a.Findings = findingsOf(f.text) })
	besides.Go(func() { a.explain(ctx, j, f) })
	a.Verdicts = verdicts(ctx, j, f.urls)
	a.Totals = totalsOf(a.Verdicts)
	if f.request.Several != nil {
		a.Table = f.request.Several.table(ctx, j.File(), f)
	}
	besides.Wait()
	return a, context.Cause(ctx)
}

// verdicts returns the verdicts on URLs, for the one crawler of a judge.
func verdicts(ctx context.Context, j *judge.Judge, urls []judge.Target) []verdict {
	all := make([]verdict, len(urls))
	each(len(urls), func(from, to int) {
		for i := from; i < to && ctx.Err() == nil; i++ {
			all[i] = verdictOf(j.Rule(ctx, urls[i], 0))
		}
	})
	return all
}

// explain fills in what the file says to the crawler, and why it says so of one URL.
func (a *judgeAnswer) explain(ctx context.Context, j *judge.Judge, f form) {
	first := j.Explain(ctx, input.Question("/", true))[0]
	if first.Err != nil {
		return // ctx has ended
	}
	a.describe(j.File(), first)
	if n := f.request.Explain; n >= 0 && n < len(f.urls) {
		v := j.Explain(ctx, f.urls[n].Question)[0]
		a.Story, a.Uses = new(report.StoryOf(v)), uses(v)
	}
}

// describe fills in what a file says to the crawler, whatever the URL. v is the verdict on the
// first page of a site.
func (a *judgeAnswer) describe(f *robots.File, v judge.Verdict) {
	a.Group = group{v.Decision.Group, v.GroupReason(), append([]int{}, v.Named...), []int{}}
	if v.Decision.Group != "" {
		for r := range f.Rules(v.Tokens...).All() {
			a.Group.Rules = append(a.Group.Rules, r.Line)
		}
	}
	a.Delay, a.Uses = report.Delay(v), uses(v)
	a.Truncated, a.Lack = v.Decision.Truncated, report.Lack(v.Lack)
}

// uses returns what is said about the use of a page.
func uses(v judge.Verdict) []report.Use {
	all := []report.Use{}
	for _, u := range report.Uses(v.Usage) {
		u.Value = excerpt(u.Value)
		all = append(all, u)
	}
	return all
}

// mostSitemaps is how many sitemaps are told. A file may name thousands.
const mostSitemaps = 1000

func sitemaps(f *robots.File) []string {
	all := []string{}
	for s := range f.Sitemaps() {
		if len(all) == mostSitemaps {
			break
		}
		all = append(all, excerpt(s))
	}
	return all
}

// A finding is one of lint.
type finding struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Message  string `json:"message"`
	More     int    `json:"more"`
	Edit     *edit  `json:"edit"` // what to write; nil if it is not one edit of one line
}

// An edit is a [lint.Edit]. Its text goes into the file, and so is as it is.
type edit struct {
	Line int    `json:"line"`
	From int    `json:"from"`
	To   int    `json:"to"`
	Text string `json:"text"`

	Changes bool `json:"changes"` // verdicts may change: the page says which before it makes the edit
}

func findingsOf(body []byte) []finding {
	all := []finding{}
	for _, f := range lint.Lint(body) {
		told := finding{f.ID, f.Severity.String(), f.Line, f.Column, printable.Text(f.Message), f.More, nil}
		if e := f.Edit; e != nil {
			told.Edit = &edit{f.Line, e.From, e.To, e.Text, e.Changes}
		}
		all = append(all, told)
	}
	return all
}
