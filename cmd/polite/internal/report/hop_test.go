package report

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/stretchr/testify/assert"
)

func TestReportWait(t *testing.T) {
	in := func(wait time.Duration) time.Time { return time.Now().Add(wait) }
	for _, test := range []struct {
		name string
		json bool
		d    polite.Decision
		told bool
	}{
		{"long", false, polite.Decision{Allowed: true, Start: in(time.Hour)}, true},
		{"not worth a word", false, polite.Decision{Allowed: true, Start: in(longWait / 2)}, false},
		{"not at all", false, polite.Decision{Allowed: true}, false},
		{"is not sent", false, polite.Decision{Start: in(time.Hour)}, false},
		{"to a program", true, polite.Decision{Allowed: true, Start: in(time.Hour)}, false},
	} {
		var w bytes.Buffer
		Report{W: &w, JSON: test.json}.Wait(test.d)()
		assert.Equal(t, test.told, strings.HasPrefix(w.String(), "waiting 1h0m0s: "), "%s: %q", test.name, w.String())
		assert.Equal(t, test.told, w.Len() > 0, test.name)
	}
}

func TestReportFailure(t *testing.T) {
	for _, test := range []struct {
		json bool
		want string
	}{
		{false, "polite get: close page: no space left on device\n"},
		{true, `{"error":"close page: no space left on device"}` + "\n"},
	} {
		var w bytes.Buffer
		Report{W: &w, JSON: test.json}.Failure(errors.New("close page: no space left on device"))
		assert.Equal(t, test.want, w.String())
	}
}

// A wait of a second is worth a word.
func TestBreak(t *testing.T) {
	var b strings.Builder
	tell := Break(&b)
	tell("https://a.example", time.Second-1)
	assert.Empty(t, b.String())
	tell("https://a.example", time.Second)
	assert.Contains(t, b.String(), "waiting 1s")
}

// What the next run would do is told, if failures are kept.
func TestAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		in := func(wait time.Duration) time.Time { return now.Add(wait) }
		for _, test := range []struct {
			d    polite.Decision
			want string
		}{
			{polite.Decision{}, ""},
			{polite.Decision{Err: polite.ErrBreak, Failing: now}, "; with --no-cache, polite asks all the same"},
			{polite.Decision{Failing: now, Next: in(90 * time.Second), Start: in(verb.LongBreak)}, "; polite asks again in 1m30s, or with --refresh"},
			{polite.Decision{Failing: now, Next: in(-time.Hour)}, "; polite asks again in 0s, or with --refresh"},
			{polite.Decision{Failing: now, Next: in(time.Minute), Start: in(verb.LongBreak + 1)}, "; polite asks again in 1m0s"},
		} {
			assert.Equal(t, test.want, Report{Keeps: true}.again(test.d))
			assert.Empty(t, Report{}.again(test.d))
		}
	})
}

// The wait of a request is told again when it becomes longer by a second. Nobody else's is told meanwhile.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		told := func() string { defer b.Reset(); return b.String() }
		w := &Waits{Report: Report{W: &b}}
		w.Longer(time.Hour)
		assert.Empty(t, told(), "no request is under way")
		over := w.Begin(polite.Decision{Allowed: true, Origin: "https://a.example", Start: time.Now().Add(5 * time.Second), Gap: 5 * time.Second, CrawlDelay: 5 * time.Second})
		assert.Contains(t, told(), "waiting 5s: ")
		w.Longer(6*time.Second - 1)
		w.Asks("https://a.example", time.Minute)
		assert.Empty(t, told())
		w.Longer(6 * time.Second)
		assert.Contains(t, told(), "waiting 6s: ")
		w.Longer(6 * time.Second)
		assert.Empty(t, told())
		over()
		w.Longer(time.Hour)
		assert.Empty(t, told())
		w.Asks("https://a.example", time.Minute)
		assert.Contains(t, told(), "waiting 1m0s: a break")
		for _, silent := range []Report{{W: &b, JSON: true}, {W: &b, Quiet: true}} {
			(&Waits{Report: silent}).Asks("https://a.example", time.Minute)
		}
		assert.Empty(t, told())
	})
}

// Of several URLs it is told how many were not fetched, and of any which were not even tried.
func TestTally(t *testing.T) {
	full, page := errors.New("disk full"), judge.Question{URL: new(url.URL)}
	for _, test := range []struct {
		fetched []bool
		left    []judge.Question
		want    string
		json    string
	}{
		{nil, nil, "", ""},
		{[]bool{true, true}, nil, "", ""},
		{[]bool{false}, nil, "", ""},
		{[]bool{true, false}, nil, "1 of 2 URLs was not fetched", `{"not_fetched":1,"urls":2}`},
		{nil, []judge.Question{page}, "1 of 1 URL was not fetched: disk full", `{"not_fetched":1,"urls":1,"error":"disk full"}`},
		{[]bool{true}, []judge.Question{{}}, "0 of 1 URL were not fetched, nor was the rest of standard input: disk full", `{"not_fetched":0,"urls":1,"error":"disk full"}`},
		{[]bool{false}, []judge.Question{page, {}}, "2 of 2 URLs were not fetched, nor was the rest of standard input: disk full", `{"not_fetched":2,"urls":2,"error":"disk full"}`},
	} {
		var tally Tally
		for _, fetched := range test.fetched {
			tally.Add(fetched)
		}
		for _, q := range test.left {
			tally.Leave(q, full)
		}
		assert.Equal(t, len(test.fetched)+len(test.left) == 0, tally.IsEmpty())
		assert.Equal(t, len(test.left) > 0, tally.Status() == verb.Failed)
		var text, object strings.Builder
		Report{W: &text}.Tally(tally)
		Report{W: &object, JSON: true}.Tally(tally)
		if test.want != "" {
			test.want, test.json = "polite get: "+test.want+"\n", test.json+"\n"
		}
		assert.Equal(t, test.want, text.String())
		assert.Equal(t, test.json, object.String())
	}
}

// A header shows no secret, and begins no option or command.
func TestHead(t *testing.T) {
	assert.Equal(t, `HTTP/1.1 200 OK
\x2dX: 1
Link: /a:b@c
Location: https://u:xxxxx@a.example/
Refresh: 0;url=https://u:xxxxx@a.example/
Set-Cookie: a=xxxxx
Set-Cookie: c=xxxxx; Path=/

`, Head(&http.Response{Proto: "HTTP/1.1", Status: "200 OK", Header: http.Header{
		"Set-Cookie": {"a=b", "c=d; Path=/"}, "Location": {"https://u:secret@a.example/"}, "Refresh": {"0;url=https://u:secret@a.example/"}, "Link": {"/a:b@c"}, "-X": {"1"},
	}}))
}
