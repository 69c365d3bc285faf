package tester

import (
	"cmp"
	"context"
	"runtime"
	"strings"
	"sync"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/self"
	"github.com/go-polite/polite/cmd/polite/internal/story"
	"github.com/go-polite/polite/cmd/polite/internal/told"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/crawlers"
	"github.com/go-polite/polite/robots/lint"
)

type judgeAnswer struct {
	Agent     agent        `json:"agent"`
	Verdicts  []verdict    `json:"verdicts"` // in the order of the URLs
	Totals    totals       `json:"totals"`
	Group     group        `json:"group"`
	Delay     string       `json:"delay"`
	Uses      []told.Use   `json:"uses"`
	Sitemaps  []string     `json:"sitemaps"`
	Findings  []finding    `json:"findings"`
	Story     *story.Story `json:"story"`
	Truncated bool         `json:"truncated"`
	Lack      string       `json:"lack"`
}

type agent struct {
	Tokens []string `json:"tokens"`
	Doubt  string   `json:"doubt"`
	Known  *crawler `json:"known"`
}

type verdict struct {
	Verdict told.Outcome `json:"verdict"`
	Line    int          `json:"line"`
	Rule    string       `json:"rule"`
	Error   string       `json:"error"`
}

// invalid is the verdict on what is no URL.
const invalid told.Outcome = "invalid"

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
	var work sync.WaitGroup
	var findings []finding
	work.Go(func() { findings = findingsOf(f.text) })
	questions := f.request.questions()
	verdicts := make([]verdict, len(questions))
	share := max(1, (len(questions)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	for from := 0; from < len(questions); from += share {
		to := min(from+share, len(questions))
		work.Go(func() { decide(ctx, j, questions[from:to], verdicts[from:to]) })
	}
	work.Wait()
	if ctx.Err() != nil {
		return judgeAnswer{}, context.Cause(ctx)
	}
	a := judgeAnswer{Agent: who, Verdicts: verdicts, Totals: totalsOf(verdicts), Findings: findings, Uses: []told.Use{}, Sitemaps: sitemaps(j.File())}
	a.explain(j, j.Explain(ctx, input.Question("/", true))[0])
	if n := f.request.Explain; n >= 0 && n < len(questions) {
		v := j.Explain(ctx, questions[n])[0]
		a.Story, a.Uses = new(story.Of(v)), uses(v)
	}
	return a, nil
}

// mostAgent is longer than any User-Agent.
const mostAgent = 2000

// readAgent returns who a name, several, or a User-Agent stand for. "" is polite itself.
func readAgent(written string) (agent, error) {
	written = cmp.Or(strings.TrimSpace(written), self.UserAgent())
	if len(written) > mostAgent {
		return agent{}, bad("The crawler's name is too long.")
	}
	tokens, err := judge.ParseAgent(written)
	if err != nil {
		return agent{}, bad("%q: %w", written, err)
	}
	a := agent{Tokens: tokens, Doubt: printable.Text(judge.Doubt(written, tokens))}
	if c, ok := crawlers.Find(tokens[0]); ok {
		a.Known = new(crawler(c))
	}
	return a, nil
}

// questions returns the URLs as questions to a file.
func (r request) questions() []judge.Question {
	questions := make([]judge.Question, 0, len(r.URLs))
	for _, u := range r.URLs {
		questions = append(questions, input.Question(u, true))
	}
	return questions
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

func verdictOf(v judge.Verdict) verdict {
	if v.Err != nil {
		return verdict{Verdict: invalid, Error: printable.Text(v.Err.Error())}
	}
	if v.Decision.Reason != polite.ByRule {
		return verdict{Verdict: told.OutcomeOf(v.Decision, nil)}
	}
	return byRule(v.Decision.Rule)
}

// byRule returns the verdict of a rule. If it is zero, none matches, and all is allowed.
func byRule(r robots.Rule) verdict {
	v := verdict{Verdict: told.Disallowed}
	if compare.Allowed(r) {
		v.Verdict = told.Allowed
	}
	if r != (robots.Rule{}) {
		v.Line, v.Rule = r.Line, printable.Text(r.String())
	}
	return v
}

func totalsOf(verdicts []verdict) (t totals) {
	for _, v := range verdicts {
		switch v.Verdict {
		case told.Allowed:
			t.Allowed++
		case told.Disallowed:
			t.Disallowed++
		default:
			t.Invalid++
		}
	}
	return t
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
	a.Delay, a.Uses = story.Delay(v), uses(v)
	a.Truncated, a.Lack = v.Decision.Truncated, story.Lack(v.Lack)
}

// uses returns what is said about the use of a page.
func uses(v judge.Verdict) []told.Use {
	all := []told.Use{}
	for _, u := range told.Uses(v.Usage) {
		u.Value = printable.Text(u.Value)
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
		all = append(all, printable.Text(s))
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

// An edit replaces octets of a line, which is one of [robots.Lines]. The text may be any,
// since it goes into the file.
type edit struct {
	Line int    `json:"line"`
	From int    `json:"from"`
	To   int    `json:"to"`
	Text string `json:"text"`
}

func findingsOf(body []byte) []finding {
	all := []finding{}
	for _, f := range lint.Lint(body) {
		told := finding{f.ID, f.Severity.String(), f.Line, f.Column, printable.Text(f.Message), f.More, nil}
		if e := f.Edit; e != nil {
			told.Edit = &edit{f.Line, e.From, e.To, e.Text}
		}
		all = append(all, told)
	}
	return all
}
