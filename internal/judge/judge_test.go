package judge

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
	"github.com/stretchr/testify/assert"
)

var here = origin.Origin{Host: "example.com", Port: 80}

// Why a site has no rules, a while after it answered, and after tries have failed.
func TestSilence(t *testing.T) {
	answer := func(status int, body string) fetch.Answer {
		return fetch.Answer{Status: status, Body: []byte(body), MaxAge: -1}
	}
	loop := answer(302, "")
	const day = 24 * time.Hour
	for _, test := range []struct {
		name     string
		answer   *fetch.Answer // nil: none came
		err      error
		failed   time.Duration // when tries began to fail, by 503; 0: none has
		last     int           // the status of the last of them
		lastErr  error
		at       time.Duration
		want     Silence
		endsLong bool
	}{
		{name: "rules", answer: new(answer(200, "user-agent: *")), want: None},
		{name: "a web page", answer: new(answer(200, "<html>")), want: WebPage},
		{name: "not found", answer: new(answer(404, "")), want: Unavailable},
		{name: "closed", answer: new(answer(403, "")), want: Forbidden},
		{name: "too many redirects", answer: &loop, err: fetch.ErrTooManyRedirects, want: TooManyRedirects},
		{name: "not found, then away", answer: new(answer(404, "")), failed: time.Hour, last: 503, at: 2 * time.Hour, want: Unavailable},
		{name: "not found a day ago, then away", answer: new(answer(404, "")), failed: time.Hour, last: 503, at: day, want: Unreachable},
		{name: "rules, then away for long", answer: new(answer(200, "user-agent: *")), failed: time.Hour, last: 503, at: 40 * day, endsLong: true, want: None},
		{name: "away", failed: time.Hour, last: 503, at: 2 * time.Hour, want: Unreachable},
		{name: "busy", failed: time.Hour, last: 429, at: 2 * time.Hour, want: TooManyRequests},
		{name: "busy, and no answer", failed: time.Hour, last: 429, lastErr: errors.New("challenge"), at: 2 * time.Hour, want: Unreachable},
		{name: "away for 30 days", failed: time.Hour, last: 503, at: 30*day + time.Hour, endsLong: true, want: Unreachable},
		{name: "away for longer", failed: time.Hour, last: 503, at: 30*day + time.Hour + 1, endsLong: true, want: LongOutage},
		{name: "away for longer, by another Policy", failed: time.Hour, last: 429, at: 30*day + time.Hour + 1, want: TooManyRequests},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := answers.New(1<<20, func() int64 { return 0 }, nil)
			j := Judge{Memory: answers.NewReader(m), Policy: Policy{EndsOutages: test.endsLong}}
			j.Memory.MaxAge = known.MaxAge
			for denied := range silences {
				j.Policy.Denies[denied] = denied != test.want
			}
			var k *answers.Known
			if test.answer != nil {
				k = answers.Answered(nil, *test.answer, test.err, nil, 0)
			}
			if test.failed > 0 {
				k = answers.Failed(k, fetch.Answer{Status: 503}, nil, int64(test.failed))
				k = answers.Failed(k, fetch.Answer{Status: test.last}, test.lastErr, int64(test.failed+time.Minute))
			}
			time.Sleep(test.at)
			v := Verdict{Known: k}
			j.Judge(&v, "/")
			assert.Equal(t, test.want, v.Silence, test.name)
			assert.True(t, v.Allowed, "%s: only other silences deny", test.name)
			j.Policy.Denies[test.want] = true
			j.Judge(&v, "/")
			assert.Equal(t, test.want == None, v.Allowed, test.name)
		})
	}
}

// Two verdicts differ if what is allowed differs, or why. Who was allowed before is told if this changes.
func TestDiffers(t *testing.T) {
	rule, use, other := robots.Rule{Pattern: "/a", Line: 2}, &usage.Said{Use: usage.TrainAI, Line: 1}, &usage.Said{Use: usage.TrainAI, Line: 2}
	all := []Verdict{
		{Allowed: true}, {Allowed: false}, {Silence: Unreachable}, {Matched: true}, {Matched: true, Rule: rule}, {Use: use}, {Use: other},
	}
	for i, v := range all {
		for j, last := range all {
			assert.Equal(t, i != j, v.Differs(&last), "%v %v", v, last)
			assert.Equal(t, i != j && i != 0, v.Forbids(&last), "%v %v", v, last)
		}
		same := v
		if same.Use != nil {
			same.Use = new(*v.Use)
		}
		assert.False(t, v.Differs(&same))
	}
}

// What tells of a site and its pages is no content that a statement is about.
func TestAboutSite(t *testing.T) {
	f := robots.Parse([]byte("sitemap: http://example.com/pages.xml?a\nsitemap: http://other.example/theirs.xml\nsitemap: http://example.com:8080/port.xml\n" +
		"sitemap: http://example.com/%zz/bad.xml\nsitemap: http://exa mple.com/space.xml\nlicense: /license.xml\n"))
	for target, want := range map[string]bool{
		"/sitemap.xml": true, "/sitemap.xml?x": true, "/.well-known/tdmrep.json": true, "/pages.xml?a": true, "/license.xml": true,
		"/pages.xml": false, "/theirs.xml": false, "/port.xml": false, "/bad.xml": false, "/space.xml": false, "/xml": false, "/": false, "/a/sitemap.xml": false,
	} {
		assert.Equal(t, want, isAboutSite(f, here, target), target)
	}
}

// Which rule, or which statement, decides on a target for a crawler of some Policy.
func TestJudge(t *testing.T) {
	const file = "user-agent: *\ndisallow: /private\nallow: /x/\ncontent-usage: train-ai=n\ncontent-usage: /x/ train-ai=y\ncontent-signal: search:no\nsitemap: /pages.xml\n"
	m := answers.New(1<<20, func() int64 { return 0 }, nil)
	k := answers.Answered(nil, fetch.Answer{Status: 200, Body: []byte(file), MaxAge: -1}, nil, nil, 0)
	m.Keep(here, k)
	train, search := []usage.Use{usage.TrainAI}, []usage.Use{usage.Search}
	for _, test := range []struct {
		target        string
		policy        Policy
		own           []usage.Use
		allowed       bool
		line, useLine int
	}{
		{"/", Policy{}, nil, true, 0, 0},
		{"/private", Policy{}, nil, false, 2, 0},
		{"/robots.txt", Policy{}, nil, true, 0, 0},
		{"//private", Policy{}, nil, true, 0, 0},
		{"//private", Policy{FoldPaths: true}, nil, false, 2, 0},
		{"/x/../private", Policy{}, nil, true, 3, 0},
		{"/x/../private", Policy{FoldPaths: true}, nil, false, 2, 0},
		{"/private/../x/", Policy{FoldPaths: true}, nil, false, 2, 0},
		{"/y", Policy{Purposes: train}, nil, false, 0, 4},
		{"/private", Policy{Purposes: train}, nil, false, 2, 0},
		{"/x/", Policy{Purposes: train}, nil, true, 3, 0},
		{"/x/../y", Policy{Purposes: train, FoldPaths: true}, nil, false, 0, 4},
		{"/pages.xml", Policy{Purposes: train}, nil, true, 0, 0},
		{"/y", Policy{Purposes: train}, search, true, 0, 0},
		{"/y", Policy{Purposes: search}, train, false, 0, 4},
		{"/y", Policy{Purposes: train}, []usage.Use{}, true, 0, 0},
		{"/y", Policy{Purposes: search}, nil, true, 0, 0},
		{"/y", Policy{Purposes: search, ReadSlips: true}, nil, false, 0, 6},
	} {
		j := Judge{Agents: []string{"ExampleBot"}, Policy: test.policy, Memory: answers.NewReader(m)}
		j.Memory.MaxAge = known.MaxAge
		v := Verdict{Known: k, Purposes: test.own}
		j.Judge(&v, test.target)
		useLine := 0
		if v.Use != nil {
			useLine = v.Use.Line
		}
		assert.Equal(t, []any{test.allowed, test.line, test.useLine, test.line > 0}, []any{v.Allowed, v.Rule.Line, useLine, v.Matched}, "%s %+v", test.target, test.policy)
		for most, want := range []int{0, 1, 1} {
			assert.Len(t, v.Slips("/y", most), want)
		}
		assert.True(t, v.Current(j.Memory, here))
	}
	assert.Empty(t, new(Verdict).Slips("/", 1))
	assert.Empty(t, (&Verdict{Known: answers.Answered(nil, fetch.Answer{Status: 404}, nil, nil, 0)}).Slips("/", 1))
}
