package tester

import (
	"context"
	"runtime"
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
}

type totals struct {
	Allowed    int `json:"allowed"`
	Disallowed int `json:"disallowed"`
	Invalid    int `json:"invalid"`
}

// A group is the one that speaks to the crawler: the lines that name it, and its rules.
type group struct {
	Agent  string            `json:"agent"`
	Reason judge.GroupReason `json:"reason"`
	Named  []int             `json:"named"`
	Rules  []int             `json:"rules"`
}

// fileName is what the robots.txt of the page is called in stories and exports.
const fileName = "robots.txt"

// judge tells all about the robots.txt and the URLs.
func (f form) judge(ctx context.Context) (judgeAnswer, error) {
	who, err := readAgent(f.request.Agent)
	if err != nil {
		return judgeAnswer{}, err
	}
	j := judge.New(judge.Options{Crawlers: [][]string{who.Tokens}, File: fileName, Body: f.text})
	var linting sync.WaitGroup
	var findings []finding
	linting.Go(func() { findings = findingsOf(f.text) })
	questions := f.request.questions()
	verdicts := decideAll(ctx, j, questions)
	linting.Wait()
	if ctx.Err() != nil {
		return judgeAnswer{}, context.Cause(ctx)
	}
	a := judgeAnswer{Agent: who, Verdicts: verdicts, Totals: totalsOf(verdicts), Findings: findings, Sitemaps: sitemaps(j.File())}
	a.explain(j, j.Explain(ctx, input.Question("/", true))[0])
	if n := f.request.Explain; n >= 0 && n < len(questions) {
		v := j.Explain(ctx, questions[n])[0]
		a.Story, a.Uses = new(report.StoryOf(v)), uses(v)
	}
	return a, nil
}

// decideAll returns the verdicts on the questions.
func decideAll(ctx context.Context, j *judge.Judge, questions []judge.Question) []verdict {
	verdicts := make([]verdict, len(questions))
	each(len(questions), func(from, to int) { decide(ctx, j, questions[from:to], verdicts[from:to]) })
	return verdicts
}

// each gives each processor its share of n pieces of work.
func each(n int, do func(from, to int)) {
	share := n/runtime.GOMAXPROCS(0) + 1
	var work sync.WaitGroup
	for from := 0; from < n; from += share {
		work.Go(func() { do(from, min(from+share, n)) })
	}
	work.Wait()
}

// decide fills in the verdicts on the questions. It ends with ctx.
func decide(ctx context.Context, j *judge.Judge, questions []judge.Question, verdicts []verdict) {
	for i, q := range questions {
		if ctx.Err() != nil {
			return
		}
		verdicts[i] = verdictOf(j.Decide(ctx, q)[0])
	}
}

func totalsOf(verdicts []verdict) (t totals) {
	for _, v := range verdicts {
		t.add(v.Verdict)
	}
	return t
}

// add counts a verdict.
func (t *totals) add(v report.Outcome) {
	switch v {
	case report.Allowed:
		t.Allowed++
	case report.Disallowed:
		t.Disallowed++
	default:
		t.Invalid++
	}
}

// explain fills in what the file says to the crawler, whatever the URL. v is the verdict on
// the first page of a site.
func (a *judgeAnswer) explain(j *judge.Judge, v judge.Verdict) {
	a.Group = group{v.Decision.Group, v.GroupReason(), append([]int{}, v.Named...), []int{}}
	if v.Decision.Group != "" {
		for r := range j.File().Rules(v.Tokens...).All() {
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
