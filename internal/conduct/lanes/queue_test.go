package lanes

import (
	"fmt"
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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Nobody but those who wait makes the rules known that change meanwhile: they are
// asked for in time, hold for all who wait, and cost no one the place.
func TestQueueFollowsTheRules(t *testing.T) {
	t.Parallel()
	const maxAge = 300 * time.Second
	n := long.Or(300, 3000)
	times := time.Duration(3000 / n) // as long are the gaps, so that the queue lasts for as long
	tests := []struct {
		name    string
		delay   time.Duration
		allowed bool          // later
		later   time.Duration // the delay if it is allowed
		change  time.Duration
	}{
		{"disallowed", 30 * time.Second, false, 0, 1 * time.Hour},
		{"disallowed after a day", 30 * time.Second, false, 0, 24*time.Hour + 30*time.Minute},
		{"a longer delay", 2 * time.Second, true, 20 * time.Second, 30 * time.Minute},
		{"a shorter delay", 20 * time.Second, true, 2 * time.Second, 30 * time.Minute},
		{"the same for longer than a day", 30 * time.Second, true, 30 * time.Second, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.change > time.Hour {
				long.NotShort(t)
			}
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				gap, laterGap := times*test.delay, times*test.later
				rules := func(gap time.Duration) string {
					return fmt.Sprintf("user-agent: *\ncrawl-delay: %.0f\n", gap.Seconds())
				}
				later := rules(laterGap)
				if !test.allowed {
					later = rules(gap) + "disallow: /\n"
				}
				web.Robots("example.com", conduct.Changing(conduct.Caching(rules(gap), 300), test.change, conduct.Caching(later, 300)))
				start, transport := time.Now(), conduct.NewTransport(t, web)
				transport.Pace.MaxDelay = times * 30 * time.Second
				errs := conduct.Queued(&http.Client{Transport: transport}, n)

				pages := web.Log().Pages()
				known := start.Add(test.change + maxAge)
				refused := 0
				for _, err := range errs {
					if err != nil {
						assert.ErrorIs(t, err, polite.ErrRefused)
						refused++
					}
				}
				assert.Equal(t, n, len(pages)+refused)
				if test.allowed {
					assert.Zero(t, refused)
				} else {
					assert.False(t, pages[len(pages)-1].Time.After(known), "%v after the change", pages[len(pages)-1].Time.Sub(start)-test.change)
					assert.False(t, time.Now().After(known.Add(time.Second)), "all are told when it is known")
				}
				for i, a := range pages {
					require.Equal(t, fmt.Sprint("/", i), a.URI, "places are kept")
					switch {
					case i == 0:
					case pages[i-1].Time.Before(start.Add(test.change)):
						require.GreaterOrEqual(t, a.Time.Sub(pages[i-1].Time), gap)
					case pages[i-1].Time.After(known):
						require.Equal(t, laterGap, a.Time.Sub(pages[i-1].Time), "page %d", i)
					}
				}
				t.Logf("%d arrived, %d refused, %d requests for robots.txt in %v", len(pages), refused, len(web.Log().Robots()), time.Since(start))
			})
		})
	}
}

// A panic of the user's code while a turn is held or waited for keeps no turn.
func TestPanicKeepsNoTurn(t *testing.T) {
	for _, name := range []string{"Judged", "Key", "Sites", "Exempt", "Base"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", conduct.Changing(conduct.Caching("user-agent: *\ncrawl-delay: 30\n", 300), time.Second, conduct.Caching(conduct.Rules, 300)))
				transport := conduct.NewTransport(t, web)
				transport.Pace.Concurrency = 1
				base := transport.Base
				var armed atomic.Bool
				boom := func() {
					if armed.Load() {
						panic("boom")
					}
				}
				switch name {
				case "Judged":
					transport.Trace.Judged = func(*http.Request, polite.Ruling) { boom() }
				case "Key":
					transport.Pace.Key = func(*http.Request) string { boom(); return "" }
				case "Sites":
					transport.Sites = func(*http.Request) *polite.Options { boom(); return nil }
				case "Exempt":
					transport.Policy.Exempt = func(*http.Request) bool { boom(); return false }
				case "Base":
					transport.Base = origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
						if strings.HasPrefix(req.URL.Path, "/private") {
							boom()
						}
						return base.RoundTrip(req)
					})
				}
				client := &http.Client{Transport: transport}
				_, err := conduct.Get(client, "http://example.com/")
				require.NoError(t, err)
				armed.Store(true)
				var crowd sync.WaitGroup
				for range 20 { // in the queue when the rules change
					crowd.Go(func() {
						defer func() { recover() }()
						conduct.Get(client, "http://example.com/private")
					})
				}
				crowd.Wait()
				armed.Store(false)
				_, err = conduct.Get(client, "http://example.com/public")
				assert.NoError(t, err)
			})
		})
	}
}

// Sites that ask for long breaks take no more memory than Cache.MaxBytes.
func TestBreaksAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it visits many sites")
	}
	const bound = 4 << 20
	busy := origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
		if req.URL.Path == "/robots.txt" {
			return origintest.Response(req, 404, ""), nil
		}
		return origintest.Response(req, 429, "", "Retry-After", "86400"), nil
	})
	cache := &polite.Cache{MaxBytes: int64(bound)}
	client := &http.Client{Transport: &polite.Transport{UserAgent: conduct.UserAgent, Base: busy, Cache: cache}}
	before := conduct.Heap()
	for i := range long.Or(15_000, 100_000) {
		_, err := conduct.Get(client, fmt.Sprintf("http://%d.example/%s", i, strings.Repeat("x", 100)))
		require.NoError(t, err)
	}
	assert.LessOrEqual(t, cache.Stats().Bytes, int64(bound))
	t.Logf("%d bytes on the heap, %d counted, %d origins", conduct.Heap()-before, cache.Stats().Bytes, cache.Stats().Origins)
	assert.Less(t, conduct.Heap()-before, int64(bound*5/4))
	runtime.KeepAlive(client)
}

// A break is no outage: when it is over, the rules are asked for before a request goes
// by a copy that is older than a day.
func TestRulesExpireInABreak(t *testing.T) {
	for _, late := range []time.Duration{2 * time.Second, 41 * time.Second} { // in the break, or just after it
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("a.example", conduct.Changing(origintest.Text(conduct.Rules), time.Hour, origintest.Text("user-agent: *\ndisallow: /\n")))
			web.Page("b.example", "/busy", origintest.Status(429, "Retry-After", "40"))
			transport := conduct.NewTransport(t, web)
			transport.Pace.Key = func(*http.Request) string { return "one machine" }
			client := &http.Client{Transport: transport}
			_, err := conduct.Get(client, "http://a.example/")
			require.NoError(t, err)
			time.Sleep(24*time.Hour - time.Second) // on the bubble's clock
			_, err = conduct.Get(client, "http://b.example/busy")
			require.NoError(t, err)
			time.Sleep(2 * time.Second) // the day is over, the break is not
			transport.Check(t.Context(), &url.URL{Scheme: "http", Host: "a.example", Path: "/page"})
			time.Sleep(late - 2*time.Second)
			_, err = conduct.Get(client, "http://a.example/page")
			assert.ErrorAs(t, err, new(*polite.DisallowedError))
			assert.Len(t, web.Log().At("a.example").Pages(), 1)
		})
	}
}
