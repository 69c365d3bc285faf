package lanes

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// panics calls f, and reports whether it panics.
func panics(f func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f()
	return false
}

// A function of the Trace that panics takes no slot with it, and no connection. Each wait
// that begins is over, too.
func TestTraceThatPanics(t *testing.T) {
	for name, set := range map[string]func(*polite.Trace, func()){
		"Judged":   func(t *polite.Trace, f func()) { t.Judged = func(*http.Request, polite.Ruling) { f() } },
		"Waits":    func(t *polite.Trace, f func()) { t.Waits = func(*http.Request, time.Time) { f() } },
		"Waited":   func(t *polite.Trace, f func()) { t.Waited = func(*http.Request, time.Duration, error) { f() } },
		"Held":     func(t *polite.Trace, f func()) { t.BreakBegan = func(polite.Limit) { f() } },
		"Limited":  func(t *polite.Trace, f func()) { t.Limited = func(polite.Limit) { f() } },
		"Answered": func(t *polite.Trace, f func()) { t.Answered = func(*http.Request, *http.Response) { f() } },
		"Called": func(t *polite.Trace, f func()) {
			t.Called = func(c store.Call) {
				if c.Name == "take" {
					f()
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Page("example.com", "/priced", origintest.Status(402, "Crawler-Price", "USD 1"))
				web.Page("example.com", "/busy", origintest.Status(429, "Retry-After", "1"))
				transport := conduct.Sharing(t, web, new(memstore.Turns))
				transport.Pace = polite.Pace{MinDelay: time.Second, Concurrency: 1}
				open := &openBodies{base: origintest.Standstill{Base: transport.Base, Long: time.Second}}
				transport.Base = open
				var armed atomic.Bool
				set(&transport.Trace, func() {
					if armed.Load() {
						panic("hook")
					}
				})
				c := conduct.Client(transport)
				for _, path := range []string{"/", "/priced", "/busy"} {
					conduct.Get(c, "http://example.com"+path)
				}
				armed.Store(true)
				some := false
				for _, path := range []string{"/", "/priced", "/busy"} {
					some = panics(func() { conduct.Get(c, "http://example.com"+path) }) || some
				}
				assert.True(t, some)
				armed.Store(false)
				assert.Zero(t, open.n.Load(), "bodies")
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				assert.NoError(t, conduct.Visit(ctx, c, "http://example.com/"))
			})
		})
	}
}

// openBodies is a Base that counts the bodies that nobody has closed.
type openBodies struct {
	base http.RoundTripper
	n    atomic.Int64
}

func (o *openBodies) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := o.base.RoundTrip(req)
	if err == nil {
		o.n.Add(1)
		resp.Body = &openBody{resp.Body, sync.OnceFunc(func() { o.n.Add(-1) })}
	}
	return resp, err
}

type openBody struct {
	io.ReadCloser
	done func()
}

func (c *openBody) Close() error {
	c.done()
	return c.ReadCloser.Close()
}

// A wait that a panic cuts short is over, too.
func TestWaitedAfterAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("a.example", conduct.MaxAge(conduct.Delayed(600), 300), conduct.MaxAge(origintest.Text("user-agent: *\ncrawl-delay: 600\ndisallow: /\n"), 300))
		transport := conduct.NewTransport(t, web)
		transport.Pace.MaxDelay = time.Hour
		transport.Trace.Judged = func(_ *http.Request, r polite.Ruling) {
			if r.Again {
				panic("judged again")
			}
		}
		waiting, failed := 0, 0
		transport.Trace.Waits = func(*http.Request, time.Time) { waiting++ }
		transport.Trace.Waited = func(_ *http.Request, _ time.Duration, err error) {
			waiting--
			if err != nil {
				failed++
			}
		}
		conduct.Get(conduct.Client(transport), "http://a.example/1")
		assert.True(t, panics(func() { conduct.Get(conduct.Client(transport), "http://a.example/2") }))
		assert.Zero(t, waiting)
		assert.Equal(t, 1, failed)
	})
}

// Asked may ask for the same robots.txt, also if the Cache has no room for it any more.
func TestAskedAsksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		transport := conduct.NewTransport(t, web)
		transport.Cache = &polite.Cache{MaxBytes: 1}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		check := func(host string) error {
			_, err := transport.Check(ctx, &url.URL{Scheme: "http", Host: host, Path: "/"})
			return err
		}
		first := true
		transport.Trace.Asked = func(polite.Fetch) {
			if first {
				first = false
				assert.NoError(t, check("b.example"))
				assert.NoError(t, check("a.example"))
			}
		}
		assert.NoError(t, check("a.example"))
		assert.Len(t, web.Log().At("a.example").Robots(), 2)
	})
}

// A Ruling that a test of a Trace makes has a Decision, too.
func TestRulingOfOnesOwn(t *testing.T) {
	assert.Equal(t, polite.Decision{}, polite.Ruling{Allowed: true}.Decision())
}

// What the Logger remembers of refusals does not grow with the hosts that links name.
func TestLoggerForgetsLongHosts(t *testing.T) {
	long.NotShort(t)
	transport := &polite.Transport{
		UserAgent: conduct.UserAgent,
		Base:      origintest.RoundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New("no such host") }),
		Cache:     &polite.Cache{MaxBytes: 1},
		Logger:    slog.New(slog.DiscardHandler),
	}
	used := func() int64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	before := used()
	for i := range long.Or(150, 300) {
		host := strings.Repeat("a.", 50_000) + string(rune('a'+i/26)) + string(rune('a'+i%26))
		_, err := conduct.Get(conduct.Client(transport), "http://"+host+".example/")
		require.ErrorIs(t, err, polite.ErrRefused)
	}
	assert.Less(t, used()-before, int64(10<<20))
	runtime.KeepAlive(transport)
}
