package request

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A crawl, as a Trace tells it.
func TestTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, d := origintest.NewInMemory(t), new(conduct.Diary)
		web.Robots("a.example", origintest.Text(conduct.Rules+"crawl-delay: 10\n"))
		web.Robots("down.example", origintest.Status(503, "Retry-After", "120"))
		web.Robots("old.example", conduct.MaxAge(origintest.Text(conduct.Rules), 300))
		web.Page("a.example", "/busy", origintest.Status(429, "Retry-After", "30"))
		transport := conduct.NewTransport(t, web)
		transport.Trace = d.Trace()
		c := conduct.Client(transport)
		for _, step := range []struct {
			url  string
			want []string
		}{
			{"http://a.example/1", []string{"asked http://a.example/robots.txt 200 <nil> 0", "judged /1 true no-rule miss"}},
			{"http://a.example/2", []string{"judged /2 true no-rule hit", "waits /2 10s", "waited /2 10s false"}},
			{"http://a.example/private", []string{"judged /private false rule hit", "refused /private rule"}},
			{"http://down.example/", []string{"held http://down.example 503 2m0s", "asked http://down.example/robots.txt 503 <nil> 1", "judged / false unreachable miss", "refused / unreachable"}},
			{"http://a.example/busy", []string{"judged /busy true no-rule hit", "waits /busy 10s", "waited /busy 10s false", "held http://a.example 429 30s"}},
			{"http://a.example/3", []string{"judged /3 true no-rule hit", "waits /3 30s", "waited /3 30s false"}},
			{"http://a.example/robots.txt", []string{"judged /robots.txt true robots.txt ", "waits /robots.txt 10s", "waited /robots.txt 10s false"}},
		} {
			conduct.Get(c, step.url)
			assert.Equal(t, step.want, d.Take(), step.url)
		}
		conduct.Get(c, "http://old.example/1")
		time.Sleep(time.Hour)
		conduct.Get(c, "http://old.example/2")
		time.Sleep(time.Minute) // for robots.txt, which is asked for in the background
		assert.Contains(t, d.Take(), "judged /2 true no-rule stale")
	})
}

// A request that waits is told of until the end, and judged by new rules.
func TestTraceOfAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, d := origintest.NewInMemory(t), new(conduct.Diary)
		web.Robots("a.example", conduct.MaxAge(conduct.Delayed(600), 300), conduct.MaxAge(origintest.Text("user-agent: *\ncrawl-delay: 600\ndisallow: /\n"), 300))
		transport := conduct.NewTransport(t, web)
		transport.Pace.MaxDelay = time.Hour
		transport.Trace = d.Trace()
		c := conduct.Client(transport)
		conduct.Get(c, "http://a.example/1")
		d.Take()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		assert.ErrorIs(t, conduct.Visit(ctx, c, "http://a.example/2"), context.Canceled)
		assert.Equal(t, []string{"judged /2 true no-rule hit", "waits /2 10m0s", "waited /2 1s true"}, d.Take())
		_, err := conduct.Get(c, "http://a.example/3")
		assert.ErrorIs(t, err, polite.ErrDisallowed)
		synctest.Wait() // what is new is told last
		lines := d.Take()
		assert.Contains(t, lines, "changed http://a.example")
		assert.Equal(t, []string{"judged /3 true no-rule hit", "waits /3 9m59s"}, lines[:2])
		assert.Subset(t, lines, []string{"judged again: /3 false rule hit", "refused /3 rule"})
		assert.Regexp(t, `waited /3 4m[45]\ds true`, strings.Join(lines, ","))

		web.Robots("b.example", conduct.MaxAge(conduct.Delayed(600), 300))
		conduct.Get(c, "http://b.example/1")
		d.Take()
		conduct.Get(c, "http://b.example/2")
		assert.NotContains(t, strings.Join(d.Take(), ","), "judged again", "the rules are the same")
	})
}

// Calls of the Store and of Turns are told with what came of them.
func TestTraceOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, d := origintest.NewInMemory(t), new(conduct.Diary)
		web.Robots("a.example", conduct.Delayed(1))
		transport := conduct.NewTransport(t, web)
		transport.Cache = &polite.Cache{Store: new(memstore.Entries), Turns: new(memstore.Turns)}
		transport.Trace = polite.Trace{Called: d.Trace().Called}
		t.Cleanup(transport.CloseIdleConnections)
		conduct.Get(conduct.Client(transport), "http://a.example/")
		assert.Equal(t, []string{"called claim <nil>", "called take <nil>", "called claim <nil>", "called put <nil>", "called take <nil>"}, slices.Compact(d.Take()))
		off := errors.New("off")
		transport = conduct.NewTransport(t, web)
		transport.Cache = &polite.Cache{Turns: conduct.Engineless{Err: off}}
		transport.Trace = polite.Trace{Called: d.Trace().Called}
		t.Cleanup(transport.CloseIdleConnections)
		conduct.Get(conduct.Client(transport), "http://a.example/")
		assert.Contains(t, d.Take(), "called take off")
	})
}

// What the long form of a Ruling says is what Check says.
func TestRulingDecision(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text(conduct.Rules))
	transport := conduct.NewTransport(t, web)
	var decisions []polite.Decision
	transport.Trace.Judged = func(_ *http.Request, r polite.Ruling) { decisions = append(decisions, r.Decision()) }
	for _, path := range []string{"/private", "/public"} {
		conduct.Get(conduct.Client(transport), "http://example.com"+path)
		assert.Equal(t, conduct.Decide(t, transport, path), decisions[len(decisions)-1])
	}
}

// A Trace costs nothing where it has no function, and little where it has all.
func TestTraceAllocations(t *testing.T) {
	resp := &http.Response{StatusCode: 200, Body: http.NoBody}
	all := polite.Trace{
		Judged:  func(*http.Request, polite.Ruling) {},
		Refused: func(*http.Request, error) {}, Waits: func(*http.Request, time.Time) {}, Waited: func(*http.Request, time.Duration, error) {},
		BreakBegan: func(polite.Limit) {}, Limited: func(polite.Limit) {}, Answered: func(*http.Request, *http.Response) {}, Asked: func(polite.Fetch) {},
		RulesChanged: func(string, *robots.File, *robots.File) {}, Called: func(store.Call) {},
	}
	for _, test := range []struct {
		name  string
		trace polite.Trace
		want  float64
	}{{"none", polite.Trace{}, 0}, {"all", all, 2}} {
		transport := &polite.Transport{UserAgent: conduct.UserAgent, Base: origintest.RoundTripper(func(*http.Request) (*http.Response, error) { return resp, nil }), Trace: test.trace}
		req, err := http.NewRequest(http.MethodGet, "http://example.com/", nil)
		require.NoError(t, err)
		req.Header.Set("User-Agent", conduct.UserAgent)
		for range 3 {
			transport.RoundTrip(req)
		}
		assert.Equal(t, test.want, testing.AllocsPerRun(100, func() { transport.RoundTrip(req) }), test.name)
	}
}

// During a break robots.txt is not asked for. A refusal says so, and when the break is over.
func TestErrBreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("a.example", origintest.Status(404))
		web.Page("a.example", "/", origintest.Status(503, "Retry-After", "86400"))
		transport := conduct.NewTransport(t, web)
		transport.Pace.Key = func(*http.Request) string { return "both" }
		conduct.Get(conduct.Client(transport), "http://a.example/")
		_, err := conduct.Get(conduct.Client(transport), "http://b.example/")
		require.ErrorIs(t, err, polite.ErrBreak)
		_, again, ok := polite.RetryAt(err)
		require.True(t, ok)
		assert.Equal(t, 24*time.Hour, time.Until(again).Round(time.Second))
	})
}
