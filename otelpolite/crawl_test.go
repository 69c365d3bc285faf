package otelpolite_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/queue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const rules = "user-agent: *\ndisallow: /private\ncrawl-delay: 10\n"

// set makes the sites of the web behave in all the ways that polite knows.
func set(web *origintest.Server) {
	web.Robots("a.example", origintest.Text(rules))
	web.Page("a.example", "/busy", origintest.Status(429, "Retry-After", "30"))
	web.Page("wall.example", "/", origintest.Status(403))
	web.Page("a.example", "/paid", origintest.Status(402, "Crawler-Price", "USD 0.01", "X-Robots-Tag", "noai"))
	web.Robots("new.example", maxAge("user-agent: *\ncrawl-delay: 600\n"), origintest.Text("user-agent: *\ncrawl-delay: 600\ndisallow: /\n"))
	web.Robots("same.example", maxAge("user-agent: *\ndisallow: /private\n"))
	web.Robots("stale.example", maxAge("user-agent: *\ndisallow: /private\n"), origintest.Status(500))
	web.Robots("shut.example", origintest.Status(403))
	web.Robots("down.example", origintest.Status(503, "Retry-After", "120"))
	web.Robots("odd.example", origintest.Status(599))
	web.Robots("cut.example", origintest.Cut("user-agent: *\n"))
	web.Robots("hangs.example", origintest.Hang)
	web.Robots("loop.example", origintest.Redirect("/robots.txt"))
	web.Robots("inside.example", origintest.Redirect("http://127.0.0.1/robots.txt"))
	web.Lose("lost.example")
	web.Distrust("bad.example")
}

// crawl has everything that can happen without a Store and without Turns.
var crawl = []struct {
	name string
	step
}{
	{"a site with rules", step{visit("http://a.example/1", 0), []string{
		"requests{allowed=true reason=no-rule} 1", "cache.lookups{lookup=miss} 1", "cache.origins{} 1", "cache.files{} 1",
		"robots.fetch.duration{http.response.status_code=200 robots.result=found} 1 in 0s",
	}, "/1 /robots.txt"}},
	{"a crawl-delay", step{visit("http://a.example/2", 0), []string{
		"requests{allowed=true reason=no-rule} 1", "cache.lookups{lookup=hit} 1", "wait.duration{} 1 in 10s",
	}, "/2"}},
	{"a rule", step{visit("http://a.example/private", 0), []string{
		"requests{allowed=false reason=rule} 1", "cache.lookups{lookup=hit} 1", "refusals{reason=rule} 1",
	}, ""}},
	{"a turn that comes too late", step{visitFor("http://a.example/3", time.Second), []string{
		"requests{allowed=true reason=no-rule} 1", "cache.lookups{lookup=hit} 1", "refusals{reason=delayed} 1",
	}, ""}},
	{"a wait that is cancelled", step{visitUntil("http://a.example/4", 2*time.Second), []string{
		"requests{allowed=true reason=no-rule} 1", "cache.lookups{lookup=hit} 1", "wait.duration{error.type=canceled} 1 in 2s",
	}, ""}},
	{"402 with a price", step{visit("http://a.example/paid", 0), []string{
		"requests{allowed=true reason=no-rule} 1", "cache.lookups{lookup=hit} 1", "wait.duration{} 1 in 8s", "prices{} 1",
	}, "/paid"}},
	{"429 with Retry-After", step{visit("http://a.example/busy", 0), []string{
		"requests{allowed=true reason=no-rule} 1", "cache.lookups{lookup=hit} 1", "wait.duration{} 1 in 10s", "breaks{http.response.status_code=429} 1", "troubles{trouble=busy} 1",
	}, "/busy"}},
	{"a break", step{visit("http://a.example/5", 0), []string{
		"requests{allowed=true reason=no-rule} 1", "cache.lookups{lookup=hit} 1", "wait.duration{} 1 in 30s",
	}, "/5"}},
	{"robots.txt itself", step{visit("http://a.example/robots.txt", 0), []string{
		"requests{allowed=true reason=robots.txt} 1", "wait.duration{} 1 in 10s",
	}, "/robots.txt"}},
	{"a site that will have other rules", step{visit("http://new.example/1", 0), []string{
		"requests{allowed=true reason=no-rule} 1", "cache.lookups{lookup=miss} 1", "cache.origins{} 1", "cache.files{} 1",
		"robots.fetch.duration{http.response.status_code=200 robots.result=found} 1 in 0s",
	}, "/1 /robots.txt"}},
	{"a request that waits for a turn and gets other rules", step{visit("http://new.example/2", 0), []string{
		"requests{allowed=true reason=no-rule} 1", "cache.lookups{lookup=hit} 1", "refusals{reason=rule} 1",
		"wait.duration{error.type=rule} 1 in 5m0s", "robots.changes{} 1",
		"robots.fetch.duration{http.response.status_code=200 robots.result=found} 1 in 0s",
	}, "/robots.txt"}},
	{"a site that stays the same", step{visit("http://same.example/1", 0), []string{
		"requests{allowed=true reason=no-rule} 1", "cache.lookups{lookup=miss} 1", "cache.origins{} 1", "cache.files{} 1",
		"robots.fetch.duration{http.response.status_code=200 robots.result=found} 1 in 0s",
	}, "/1 /robots.txt"}},
	{"304", step{visit("http://same.example/2", 290*time.Second), []string{
		"requests{allowed=true reason=no-rule} 1", "cache.lookups{lookup=hit} 1",
		"robots.fetch.duration{http.response.status_code=304 robots.result=unchanged} 1 in 0s",
	}, "/2 /robots.txt"}},
	{"a site that will be down", step{visit("http://stale.example/1", 0), []string{
		"requests{allowed=true reason=no-rule} 1", "cache.lookups{lookup=miss} 1", "cache.origins{} 1",
		"robots.fetch.duration{http.response.status_code=200 robots.result=found} 1 in 0s",
	}, "/1 /robots.txt"}},
	{"a site that is down, whose rules are known", step{visit("http://stale.example/2", 301*time.Second), []string{
		"requests{allowed=true reason=no-rule} 1", "cache.lookups{lookup=stale} 1",
		"robots.fetch.duration{error.type=500 http.response.status_code=500 robots.result=unreachable} 1 in 0s",
	}, "/2 /robots.txt"}},
	{"stale rules", step{visit("http://stale.example/3", 0), []string{
		"requests{allowed=true reason=no-rule} 1", "cache.lookups{lookup=stale} 1",
	}, "/3"}},
	{"no robots.txt", step{visit("http://none.example/", 0), []string{
		"requests{allowed=true reason=unavailable} 1", "cache.lookups{lookup=miss} 1", "cache.origins{} 1",
		"robots.fetch.duration{http.response.status_code=404 robots.result=unavailable} 1 in 0s",
	}, "/ /robots.txt"}},
	{"403", step{visit("http://shut.example/", 0), []string{
		"requests{allowed=true reason=unavailable} 1", "cache.lookups{lookup=miss} 1", "cache.origins{} 1",
		"robots.fetch.duration{http.response.status_code=403 robots.result=unavailable} 1 in 0s",
	}, "/ /robots.txt"}},
	{"a page that is forbidden", step{visit("http://wall.example/", 0), []string{
		"requests{allowed=true reason=unavailable} 1", "cache.lookups{lookup=miss} 1", "cache.origins{} 1", "blocks{http.response.status_code=403 trouble=barred} 1",
		"robots.fetch.duration{http.response.status_code=404 robots.result=unavailable} 1 in 0s",
	}, "/ /robots.txt"}},
	{"a loop of redirects", step{visit("http://loop.example/", 0), []string{
		"requests{allowed=true reason=unavailable} 1", "cache.lookups{lookup=miss} 1", "cache.origins{} 1",
		"robots.fetch.duration{error.type=redirect http.response.status_code=302 robots.result=unavailable} 1 in 0s",
	}, "/ /robots.txt"}},
	{"503 with Retry-After", step{visit("http://down.example/", 0), []string{
		"requests{allowed=false reason=unreachable} 1", "cache.lookups{lookup=miss} 1", "cache.origins{} 1",
		"refusals{reason=unreachable} 1", "breaks{http.response.status_code=503} 1",
		"robots.fetch.duration{error.type=503 http.response.status_code=503 robots.result=unreachable} 1 in 0s",
	}, "/robots.txt"}},
	{"a status that HTTP does not have", step{visit("http://odd.example/", 0), unreachable("error.type=_OTHER robots.result=unreachable", 0), "/robots.txt"}},
	{"a body that is cut short", step{visit("http://cut.example/", 0), unreachable("error.type=eof http.response.status_code=200 robots.result=unreachable", 0), "/robots.txt /robots.txt /robots.txt"}},
	{"no answer", step{visit("http://hangs.example/", 0), unreachable("error.type=timeout robots.result=unreachable", 30*time.Second), "/robots.txt"}},
	{"a redirect to a private address", step{visit("http://inside.example/", 0), unreachable("error.type=redirect http.response.status_code=302 robots.result=unreachable", 0), "/robots.txt"}},
	{"no such host", step{visit("http://lost.example/", 0), unreachable("error.type=dns robots.result=unreachable", 0), ""}},
	{"a bad certificate", step{visit("https://bad.example/", 0), unreachable("error.type=tls robots.result=unreachable", 0), ""}},
	{"an exempt request", step{func(w *world) { get(context.Background(), w.transport, "http://a.example/exempt") }, []string{
		"requests{allowed=true reason=exempt} 1",
	}, "/exempt"}},
	{"another scheme", step{visit("ftp://a.example/", 0), []string{"requests{allowed=true reason=not-http} 1"}, ""}},
	{"DryRun", step{visit("http://odd.example/reported", 0), []string{
		"requests{allowed=false reason=unreachable} 1", "cache.lookups{lookup=hit} 1",
	}, "/reported"}},
}

// unreachable returns the measurements that change if a site could not be reached.
func unreachable(fetch string, took time.Duration) []string {
	return []string{
		"requests{allowed=false reason=unreachable} 1", "cache.lookups{lookup=miss} 1", "cache.origins{} 1",
		"refusals{reason=unreachable} 1", "robots.fetch.duration{" + fetch + "} " + point{1, took, true}.String(),
	}
}

// visitAll takes all steps of the crawl.
func visitAll(t *testing.T, w *world) {
	set(w.web)
	w.transport.Pace.MaxDelay = time.Hour
	w.transport.Policy.Exempt = func(req *http.Request) bool { return req.URL.Path == "/exempt" }
	reporting := &polite.Transport{
		UserAgent: userAgent, Base: w.transport.Base, Cache: w.transport.Cache, Trace: w.transport.Trace,
		Policy: polite.Policy{DryRun: func(*http.Request, error) {}},
	}
	for _, s := range crawl {
		if s.name == "DryRun" {
			w.transport = reporting
		}
		w.run(t, s.name, s.step)
	}
}

// In a crawl in which everything happens, each metric counts what happened, and which
// requests arrived at the sites.
func TestCrawl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		visitAll(t, w)
		r := read(t, w.reader)
		assert.Zero(t, r.total("waiting"))
		for key := range r {
			assert.NotContains(t, key, "turns.", "there are no Turns")
		}
		assert.Equal(t, w.transport.Cache.Stats().Bytes, r.total("cache.size"))
		s := w.transport.Cache.Stats()
		assert.EqualValues(t, s.Unreachable, r.total("robots.fetch.duration", "robots.result=unreachable"))
		assert.EqualValues(t, s.Unavailable, r.total("robots.fetch.duration", "robots.result=unavailable"))
		assert.EqualValues(t, s.Unchanged, r.total("robots.fetch.duration", "robots.result=unchanged"))
		assert.EqualValues(t, s.Found, r.total("robots.fetch.duration", "robots.result=found"))
	})
}

// Requests that wait are counted while they wait.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.web.Robots("a.example", origintest.Text(rules))
		for range 5 {
			go get(t.Context(), w.transport, "http://a.example/")
		}
		for want := range 5 {
			synctest.Wait()
			assert.EqualValues(t, 4-want, read(t, w.reader).total("waiting"))
			assert.Len(t, w.web.Log().Pages(), 1+want)
			time.Sleep(10 * time.Second)
		}
	})
}

// Transports that share a Cache count it once; Caches are added.
func TestCachesAreAdded(t *testing.T) {
	w := newWorld(t)
	sharing, other := w.newTransport(t), w.newTransport(t)
	sharing.Cache = w.transport.Cache
	for _, transport := range []*polite.Transport{sharing, other, other} {
		require.NoError(t, w.telemetry.Instrument(transport))
	}
	transports := []*polite.Transport{w.transport, sharing, other}
	for _, transport := range transports {
		require.NoError(t, get(t.Context(), transport, "http://a.example/"))
	}
	r := read(t, w.reader)
	assert.EqualValues(t, 2, r.total("cache.origins"))
	assert.EqualValues(t, 2, r.total("cache.lookups", "lookup=miss"))
	assert.EqualValues(t, 1, r.total("cache.lookups", "lookup=hit"))
	assert.EqualValues(t, 3, r.total("requests"), "a Transport that is instrumented twice counts once")
	assert.Len(t, w.web.Log().Robots(), 2)

	require.NoError(t, w.telemetry.Unregister())
	require.NoError(t, w.telemetry.Unregister())
	require.NoError(t, get(t.Context(), other, "http://a.example/"))
	r = read(t, w.reader)
	assert.Zero(t, r.total("cache.origins"))
	assert.EqualValues(t, 4, r.total("requests"))
	require.NoError(t, w.telemetry.Instrument(w.newTransport(t)), "again")
}

// What the Cache forgets is counted.
func TestEvictions(t *testing.T) {
	w := newWorld(t)
	transport := w.newTransport(t)
	transport.Cache = &polite.Cache{MaxBytes: 1}
	require.NoError(t, w.telemetry.Instrument(transport))
	for _, host := range strings.Fields("a b c") {
		require.NoError(t, get(t.Context(), transport, "http://"+host+".example/"))
	}
	r := read(t, w.reader)
	assert.EqualValues(t, 2, r.total("cache.evictions"))
	assert.EqualValues(t, 1, r.total("cache.origins"))
}

// A queue of 3,000 sites counts each page once, and its waits, and has few series. A third of the sites ask for 10
// seconds, and a third are down.
func TestQueue(t *testing.T) {
	const sites = 3000
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.transport.Base = origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
			switch {
			case req.URL.Path != "/robots.txt":
				return origintest.Response(req, http.StatusOK, "a page"), nil
			case strings.HasPrefix(req.URL.Host, "slow"):
				return origintest.Response(req, http.StatusOK, rules), nil
			case strings.HasPrefix(req.URL.Host, "down"):
				return origintest.Response(req, http.StatusServiceUnavailable, ""), nil
			default:
				return origintest.Response(req, http.StatusNotFound, ""), nil
			}
		})
		q := queue.Queue[int]{Client: &http.Client{Transport: w.transport}}
		for i := range 3 * sites {
			host := fmt.Sprintf("%s%d.example", []string{"slow", "down", "quick"}[i%3], i%sites)
			require.NoError(t, q.Push(fmt.Sprintf("http://%s/%d", host, i), i))
		}
		var refused atomic.Int64
		ended := make(chan error)
		go func() {
			ended <- q.Run(t.Context(), 4, func(_ context.Context, _ queue.Item[int], _ *http.Response, err error) error {
				if err != nil {
					refused.Add(1)
				}
				return nil
			})
		}()
		time.Sleep(5 * time.Second)
		assert.EqualValues(t, sites/3, read(t, w.reader).total("waiting"))
		require.NoError(t, <-ended)
		r := read(t, w.reader)
		assert.EqualValues(t, sites, refused.Load())
		assert.EqualValues(t, 3*sites, r.total("requests"))
		assert.EqualValues(t, sites, r.total("refusals"))
		assert.EqualValues(t, sites, r.total("refusals", "reason=unreachable"))
		assert.Zero(t, r.total("waiting"))
		assert.Equal(t, "2000 in 5h33m0s", r["wait.duration{}"].String())
		assert.LessOrEqual(t, sets(t, w.reader), 60)
	})
}
