package tester

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/crawlers"
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
	j := judge.New(judge.Options{Crawlers: [][]string{who.Tokens}, File: fileName, Body: f.text, Explain: true})
	a := judgeAnswer{Agent: who, Sitemaps: sitemaps(j.File())}
	var besides sync.WaitGroup
	besides.Go(func() { a.Findings = findingsOf(f.text) })
	besides.Go(func() { a.explain(ctx, j, f) })
	a.Verdicts = verdicts(ctx, j, f.urls)
	for _, v := range a.Verdicts {
		a.Totals.add(v.Verdict)
	}
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
	first := j.Judge(ctx, input.Question("/", true))[0]
	if first.Err != nil {
		return // ctx has ended
	}
	a.describe(j.File(), first)
	if n := f.request.Explain; n >= 0 && n < len(f.urls) {
		v := j.Judge(ctx, f.urls[n].Question)[0]
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
	for _, u := range report.Uses(v) {
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

// An edit is one of a line. Its text goes into the file, and so is as it is.
type edit struct {
	Line int `json:"line"`
	lint.Edit
}

func findingsOf(body []byte) []finding {
	all := []finding{}
	for _, f := range lint.Lint(body) {
		told := finding{f.ID, f.Severity.String(), f.Line, f.Column, printable.Text(f.Message), f.More, nil}
		if e := f.Edit; e != nil {
			told.Edit = &edit{f.Line, *e}
		}
		all = append(all, told)
	}
	return all
}

// A verdict is that on a URL for a crawler, and the line of the rule that decides, 0 if none
// does.
type verdict struct {
	Verdict report.Outcome `json:"verdict"`
	Line    int            `json:"line,omitempty"`
	Error   string         `json:"error,omitempty"` // why it is no URL
}

// invalid is the verdict on what is no URL.
const invalid report.Outcome = "invalid"

func verdictOf(r robots.Rule, err error) verdict {
	if err != nil {
		return verdict{Verdict: invalid, Error: excerpt(err.Error())}
	}
	return byRule(r)
}

// byRule returns the verdict of a rule. If it is zero, none matches, and all is allowed.
func byRule(r robots.Rule) verdict {
	return verdict{Verdict: report.ByRule(compare.Allowed(r)), Line: r.Line}
}

// longest is how many octets of a text of the file are told. One rule may be as long as the
// file, and decide on each of 10,000 URLs.
const longest = 1000

// excerpt returns the beginning of a text that others wrote, made printable.
func excerpt(text string) string { return printable.Excerpt(text, longest) }

type totals struct {
	Allowed    int `json:"allowed"`
	Disallowed int `json:"disallowed"`
	Invalid    int `json:"invalid"`
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

func (t *totals) join(u totals) {
	t.Allowed, t.Disallowed, t.Invalid = t.Allowed+u.Allowed, t.Disallowed+u.Disallowed, t.Invalid+u.Invalid
}

// A tableAnswer is a table of URLs by crawlers.
type tableAnswer struct {
	Columns []column    `json:"columns"`
	Rows    [][]verdict `json:"rows"` // of the first URLs: one for each column
	More    int         `json:"more"` // URLs that are counted and have no row
	Beyond  int         `json:"more_crawlers"`
	Error   string      `json:"error,omitempty"` // why there is no table
}

// A column is crawlers that go by the same rules.
type column struct {
	Crawlers []string `json:"crawlers"`
	Group    string   `json:"group"` // the product token of their group; "" if none is for them
	Totals   totals   `json:"totals"`
}

// The most that a table tells. The totals count all URLs.
const (
	mostRows    = 50
	mostColumns = 50
)

// Kinds of crawlers, besides those of package crawlers.
const (
	knownCrawlers = "known" // all of package crawlers
	namedCrawlers = "named" // all that the file names, and any that it does not
)

// table judges URLs for the crawlers by a file, whose text is that of the form.
func (s several) table(ctx context.Context, file *robots.File, f form) *tableAnswer {
	agents, err := s.agents(file)
	if err != nil {
		return &tableAnswer{Columns: []column{}, Rows: [][]verdict{}, Error: printable.Text(err.Error())}
	}
	columns, readers := columnsOf(file, agents)
	beyond := max(0, len(columns)-mostColumns)
	columns, readers = columns[:len(columns)-beyond], readers[:len(readers)-beyond]
	rows := make([][]verdict, min(len(f.urls), mostRows))
	for i := range rows {
		rows[i] = make([]verdict, len(columns))
	}
	j := judge.New(judge.Options{Crawlers: readers, File: fileName, Body: f.text})
	var mu sync.Mutex // of the totals
	each(len(f.urls), func(from, to int) {
		for n := range columns {
			t := judgeColumn(ctx, j, n, f.urls[from:to], rows[min(from, len(rows)):])
			mu.Lock()
			columns[n].Totals.join(t)
			mu.Unlock()
		}
	})
	return &tableAnswer{Columns: columns, Rows: rows, More: len(f.urls) - len(rows), Beyond: beyond}
}

// judgeColumn judges URLs for the n-th crawler of j, and fills in its cells of the rows.
func judgeColumn(ctx context.Context, j *judge.Judge, n int, urls []judge.Target, rows [][]verdict) (t totals) {
	for i, u := range urls {
		if ctx.Err() != nil {
			break
		}
		v := verdictOf(j.Rule(ctx, u, n))
		t.add(v.Verdict)
		if i < len(rows) {
			rows[i][n] = v
		}
	}
	return t
}

// agents returns the crawlers, each with its product tokens.
func (s several) agents(f *robots.File) (agents [][]string, err error) {
	switch {
	case s.Kind == namedCrawlers:
		agents, _ = compare.Crawlers(f, f)
		return agents, nil
	case s.Kind == knownCrawlers:
		return tokensOf(crawlers.All()), nil
	case s.Kind != "" && !slices.Contains(crawlers.Kinds(), crawlers.Kind(s.Kind)):
		return nil, bad("%q is no kind of crawlers.", s.Kind)
	case s.Kind != "":
		return tokensOf(crawlers.OfKind(crawlers.Kind(s.Kind))), nil
	case len(s.Names) > mostColumns:
		return nil, bad("There are more than %d crawlers: choose fewer.", mostColumns)
	}
	for _, name := range s.Names {
		who, err := readAgent(name)
		if err != nil {
			return nil, err
		}
		agents = append(agents, who.Tokens)
	}
	return agents, nil
}

// tokensOf returns the product tokens of crawlers that are in use.
func tokensOf(all []crawlers.Crawler) (agents [][]string) {
	for _, c := range inUse(all) {
		if tokens, err := judge.ParseAgent(c.Name); err == nil {
			agents = append(agents, tokens)
		}
	}
	return agents
}

func inUse(all []crawlers.Crawler) []crawlers.Crawler {
	return slices.DeleteFunc(all, func(c crawlers.Crawler) bool { return c.Status == crawlers.Retired })
}

// columnsOf puts crawlers that go by the same rules into one column. Of each, it returns the
// product tokens of the first crawler.
func columnsOf(f *robots.File, agents [][]string) (columns []column, readers [][]string) {
	columns = []column{}
	places := make(map[string]int)
	for _, tokens := range agents {
		rules := compare.RulesOf(f, tokens)
		group := rules.Agent()
		key := group
		if group != "" && group != anyCrawler {
			key = compare.Fingerprint(rules)
		}
		i, ok := places[key]
		if !ok {
			i = len(columns)
			places[key] = i
			columns, readers = append(columns, column{Group: printable.Text(group)}), append(readers, tokens)
		}
		columns[i].Crawlers = append(columns[i].Crawlers, excerpt(tokens[0]))
	}
	return columns, readers
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
