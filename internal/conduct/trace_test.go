package conduct_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/storetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A diary is what a Trace is told, in order.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) write(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// take returns the lines, and forgets them.
func (d *diary) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := d.lines
	d.lines = nil
	return lines
}

// trace returns a Trace that writes all into d.
func (d *diary) trace() polite.Trace {
	return polite.Trace{
		Judged: func(req *http.Request, r polite.Ruling) {
			word := "judged"
			if r.Again {
				word = "judged again:"
			}
			d.write("%s %s %v %s %s", word, req.URL.Path, r.Allowed, r.Reason, r.Lookup)
		},
		Refused: func(req *http.Request, err error) {
			decision, _ := polite.DecisionOf(err)
			d.write("refused %s %s", req.URL.Path, decision.Reason)
		},
		Waits: func(req *http.Request, turn time.Time) {
			d.write("waits %s %v", req.URL.Path, time.Until(turn).Round(time.Second))
		},
		Waited: func(req *http.Request, wait time.Duration, err error) {
			d.write("waited %s %v %v", req.URL.Path, wait.Round(time.Second), err != nil)
		},
		BreakBegan:   func(b polite.Break) { d.write("held %s %d %v", b.Origin, b.Status, time.Until(b.Until)) },
		Priced:       func(req *http.Request, p polite.Price) { d.write("priced %s %s", req.URL.Path, p.Text) },
		Overdue:      func(req *http.Request, late time.Duration) { d.write("overdue %s %v", req.URL.Path, late) },
		Asked:        func(f polite.Fetch) { d.write("asked %s %d %v %d", f.URL, f.Status, f.Err, f.Tries) },
		RulesChanged: func(c polite.RulesChange) { d.write("changed %s", c.Origin) },
		Called:       func(c polite.Call) { d.write("called %s %v", c.Name, c.Err) },
	}
}

// A crawl, as a Trace tells it.
func TestTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, d := origintest.NewInMemory(t), new(diary)
		web.Robots("a.example", origintest.Text(rules+"crawl-delay: 10\n"))
		web.Robots("down.example", origintest.Status(503, "Retry-After", "120"))
		web.Page("a.example", "/busy", origintest.Status(429, "Retry-After", "30"))
		transport := newTransport(t, web)
		transport.Trace = d.trace()
		c := client(transport)
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
			get(c, step.url)
			assert.Equal(t, step.want, d.take(), step.url)
		}
	})
}

// A request that waits is told of until the end, and judged by new rules.
func TestTraceOfAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, d := origintest.NewInMemory(t), new(diary)
		web.Robots("a.example", maxAge(delayed(600), 300), maxAge(origintest.Text("user-agent: *\ncrawl-delay: 600\ndisallow: /\n"), 300))
		transport := newTransport(t, web)
		transport.Pace.MaxDelay = time.Hour
		transport.Trace = d.trace()
		c := client(transport)
		get(c, "http://a.example/1")
		d.take()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		assert.ErrorIs(t, visit(ctx, c, "http://a.example/2"), context.Canceled)
		assert.Equal(t, []string{"judged /2 true no-rule hit", "waits /2 10m0s", "waited /2 1s true"}, d.take())
		_, err := get(c, "http://a.example/3")
		assert.ErrorIs(t, err, polite.ErrDisallowed)
		synctest.Wait() // what is new is told last
		lines := d.take()
		assert.Contains(t, lines, "changed http://a.example")
		assert.Equal(t, []string{"judged /3 true no-rule hit", "waits /3 9m59s"}, lines[:2])
		assert.Subset(t, lines, []string{"judged again: /3 false rule hit", "refused /3 rule"})
		assert.Regexp(t, `waited /3 4m[45]\ds true`, strings.Join(lines, ","))
	})
}

// maxAge lets an answer hold for some seconds.
func maxAge(answer http.HandlerFunc, seconds int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", fmt.Sprint("max-age=", seconds))
		answer(w, r)
	}
}

// Calls of the Store and of Turns are told with what came of them.
func TestTraceOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, d := origintest.NewInMemory(t), new(diary)
		web.Robots("a.example", delayed(1))
		transport := newTransport(t, web)
		transport.Cache = &polite.Cache{Store: new(storetest.Memory), Turns: new(storetest.Lanes)}
		transport.Trace = polite.Trace{Called: d.trace().Called}
		t.Cleanup(transport.CloseIdleConnections)
		get(client(transport), "http://a.example/")
		assert.Equal(t, []string{"called claim <nil>", "called take <nil>", "called claim <nil>", "called put <nil>", "called take <nil>"}, slices.Compact(d.take()))
		off := errors.New("off")
		transport = newTransport(t, web)
		transport.Cache = &polite.Cache{Turns: engineless{off}}
		transport.Trace = polite.Trace{Called: d.trace().Called}
		t.Cleanup(transport.CloseIdleConnections)
		get(client(transport), "http://a.example/")
		assert.Contains(t, d.take(), "called take off")
	})
}

// What the long form of a Ruling says is what Check says.
func TestRulingDecision(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text(rules))
	transport := newTransport(t, web)
	var decisions []polite.Decision
	transport.Trace.Judged = func(_ *http.Request, r polite.Ruling) { decisions = append(decisions, r.Decision()) }
	for _, path := range []string{"/private", "/public"} {
		get(client(transport), "http://example.com"+path)
		assert.Equal(t, decide(t, transport, path), decisions[len(decisions)-1])
	}
}

// A Trace costs nothing where it has no function, and little where it has all.
func TestTraceAllocations(t *testing.T) {
	resp := &http.Response{StatusCode: 200, Body: http.NoBody}
	all := polite.Trace{
		Judged:  func(*http.Request, polite.Ruling) {},
		Refused: func(*http.Request, error) {}, Waits: func(*http.Request, time.Time) {}, Waited: func(*http.Request, time.Duration, error) {},
		BreakBegan: func(polite.Break) {}, Limited: func(polite.Limit) {}, Priced: func(*http.Request, polite.Price) {}, Overdue: func(*http.Request, time.Duration) {}, Asked: func(polite.Fetch) {},
		RulesChanged: func(polite.RulesChange) {}, Called: func(polite.Call) {},
	}
	for _, test := range []struct {
		name  string
		trace polite.Trace
		want  float64
	}{{"none", polite.Trace{}, 0}, {"all", all, 2}} {
		transport := &polite.Transport{UserAgent: userAgent, Base: roundTripper(func(*http.Request) (*http.Response, error) { return resp, nil }), Trace: test.trace}
		req, err := http.NewRequest(http.MethodGet, "http://example.com/", nil)
		require.NoError(t, err)
		req.Header.Set("User-Agent", userAgent)
		for range 3 {
			transport.RoundTrip(req)
		}
		assert.Equal(t, test.want, testing.AllocsPerRun(100, func() { transport.RoundTrip(req) }), test.name)
	}
}

// Of many refusals of one kind at one origin, the Logger gets one in a minute at Info.
func TestRepeatedRefusalsAreQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("a.example", origintest.Text(rules))
		web.Robots("b.example", origintest.Text(rules))
		for level, want := range map[slog.Level]int{slog.LevelInfo: 2 + 2*3, slog.LevelDebug: 2 + 2*300} {
			var log bytes.Buffer
			transport := newTransport(t, web)
			transport.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: level}))
			for range 3 {
				for range 100 {
					get(client(transport), "http://a.example/private")
					get(client(transport), "http://b.example/private")
				}
				time.Sleep(time.Minute)
			}
			assert.Equal(t, want, strings.Count(log.String(), "\n"))
			assert.Equal(t, 4, strings.Count(log.String(), "repeated=99"))
		}
	})
}

// An error of a redirected request tells what was asked for first.
func TestRefusalTellsWhatWasAskedFor(t *testing.T) {
	web := origintest.New(t)
	web.Page("a.example", "/", origintest.Redirect("http://b.example/"))
	web.Page("b.example", "/", origintest.Redirect("http://c.example/private"))
	web.Robots("c.example", origintest.Text(rules))
	_, err := get(client(newTransport(t, web)), "http://a.example/")
	d, ok := polite.DecisionOf(err)
	require.True(t, ok)
	assert.Equal(t, "http://a.example/", d.From)
	assert.ErrorContains(t, err, "http://c.example/private, to which http://a.example/ redirects, is disallowed")
	_, ok = polite.DecisionOf(errors.New("another"))
	assert.False(t, ok)
}

// During a break robots.txt is not asked for. A refusal says so with a type.
func TestBreakError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("a.example", origintest.Status(404))
		web.Page("a.example", "/", origintest.Status(503, "Retry-After", "86400"))
		transport := newTransport(t, web)
		transport.Pace.Key = func(*http.Request) string { return "both" }
		get(client(transport), "http://a.example/")
		_, err := get(client(transport), "http://b.example/")
		rest, ok := errors.AsType[*polite.BreakError](err)
		require.True(t, ok, "%v", err)
		assert.Equal(t, 24*time.Hour, time.Until(rest.Until).Round(time.Second))
	})
}
