package robots

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readers are crawlers that read the same answers in different ways.
func readers() map[string]polite.Policy {
	return map[string]polite.Policy{
		"zero": {}, "Google": polite.Google(), "strict": polite.Strict(),
		"far": {MaxRedirects: 10}, "wary": {TooManyRedirects: polite.DenyAll},
	}
}

// answersToRead are answers of sites that mean different things to them.
var answersToRead = []http.HandlerFunc{
	conduct.Caching(conduct.Rules, 20*24*3600), origintest.Status(404, "Cache-Control", "max-age=1728000"),
	origintest.Redirect("http://other.example/rules"), origintest.Redirect("/6"), // rules behind 7 redirects
	origintest.Redirect("/16"),           // the last to another host
	origintest.Redirect("/robots.txt?x"), // a loop
	origintest.Redirect("http://other.example/error"), origintest.Redirect("/26"),
}

func webToRead(t *testing.T, robots http.HandlerFunc) *origintest.Server {
	web := origintest.NewInMemory(t)
	web.Robots("example.com", robots)
	web.Page("example.com", "/robots.txt?x", origintest.Redirect("/robots.txt"))
	web.Page("other.example", "/rules", origintest.Text(conduct.Rules))
	web.Page("other.example", "/error", origintest.Status(503))
	for i := 1; i <= 6; i++ {
		for _, tens := range []int{0, 10, 20} {
			web.Page("example.com", fmt.Sprintf("/%d", tens+i), origintest.Redirect(fmt.Sprintf("/%d", tens+i-1)))
		}
	}
	web.Page("example.com", "/0", origintest.Text(conduct.Rules))
	web.Page("example.com", "/10", origintest.Redirect("http://other.example/rules"))
	web.Page("example.com", "/20", origintest.Status(503))
	return web
}

// A refresh that failed behind a redirect is no failure of this kind for a reader who does not follow it.
// The last good copy counts for both.
func TestEachReadsAFailedRefresh(t *testing.T) {
	for _, stored := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			web := webToRead(t, conduct.MaxAge(origintest.Text(conduct.Rules), 300))
			lax, strict := conduct.NewTransport(t, web), conduct.NewTransport(t, web)
			strict.Policy = polite.Strict()
			lax.Cache = new(polite.Cache)
			if stored {
				lax.Cache.Store = new(memstore.Entries)
			}
			strict.Cache = lax.Cache
			conduct.Decide(t, lax, "/private")
			web.Robots("example.com", origintest.Redirect("http://other.example/error"))
			time.Sleep(time.Hour)
			conduct.Decide(t, lax, "/private")
			time.Sleep(30 * time.Second) // for what goes on in the background
			for transport, test := range map[*polite.Transport]struct {
				failed string
				hops   []string
			}{
				lax:    {"503 <nil>", []string{"http://other.example/error"}},
				strict: {"0 redirected to http://other.example/error: to another host", nil},
			} {
				asked := len(web.Log())
				d := conduct.Decide(t, transport, "/private")
				assert.Equal(t, polite.ReasonRule, d.Reason)
				assert.True(t, d.Stale)
				assert.False(t, d.Failing.IsZero())
				assert.Equal(t, test.failed, fmt.Sprint(d.Status, " ", d.Err))
				assert.Equal(t, test.hops, d.Hops)
				assert.Len(t, web.Log(), asked, "nobody asks again")
			}
		})
	}
}

// Who waits for longer does not go by the timeout of another, and the other goes by what
// comes then.
func TestEachHasItsOwnTimeout(t *testing.T) {
	for _, stored := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("example.com", origintest.Delay(5*time.Second, origintest.Text(conduct.Rules)))
			hasty, patient, entries := conduct.NewTransport(t, web), conduct.NewTransport(t, web), new(memstore.Entries)
			hasty.Policy.Timeout, patient.Policy.Timeout = time.Second, 30*time.Second
			hasty.Cache = new(polite.Cache)
			patient.Cache = hasty.Cache
			if stored {
				hasty.Cache, patient.Cache = &polite.Cache{Store: entries}, &polite.Cache{Store: entries}
			}
			require.Equal(t, polite.ReasonUnreachable, conduct.Decide(t, hasty, "/private").Reason)
			time.Sleep(time.Second)
			for range 3 * 24 {
				d := conduct.Decide(t, patient, "/private")
				require.Equal(t, polite.ReasonRule, d.Reason)
				require.True(t, d.Failing.IsZero())
				time.Sleep(30 * time.Minute)
				require.Equal(t, polite.ReasonRule, conduct.Decide(t, hasty, "/private").Reason)
				time.Sleep(30 * time.Minute)
			}
			assert.LessOrEqual(t, len(web.Log()), 9)
		})
	}
}

// A site changes its robots.txt time and again, while all readers come. No reader goes by
// what its Policy rules out, and none asks more often than about once an hour.
func TestReadersOfAChangingSite(t *testing.T) {
	for seed := range uint64(long.Or(20, 500)) {
		for _, stored := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 1))
				var now atomic.Pointer[http.HandlerFunc]
				change := func() {
					answer := answersToRead[random.IntN(len(answersToRead))]
					if random.IntN(4) == 0 {
						answer = origintest.Text(conduct.Rules)
					}
					now.Store(&answer)
				}
				change()
				web := webToRead(t, func(w http.ResponseWriter, r *http.Request) { (*now.Load())(w, r) })
				entries, cache := new(memstore.Entries), new(polite.Cache)
				asked := make(map[string]*atomic.Int64)
				all := make(map[string]*polite.Transport)
				for name, policy := range readers() {
					n := new(atomic.Int64)
					one := conduct.NewTransport(t, web)
					one.Policy, one.Cache, asked[name] = policy, cache, n
					one.Trace.Asked = func(polite.Fetch) { n.Add(1) }
					if stored {
						one.Cache = &polite.Cache{Store: entries}
					}
					all[name] = one
				}
				for range 5 * 24 {
					if random.IntN(6) == 0 {
						change()
					}
					for name, one := range all {
						if random.IntN(3) > 0 {
							abide(t, name, conduct.Decide(t, one, "/private"))
						}
						time.Sleep(time.Duration(random.IntN(12)) * time.Minute)
					}
				}
				time.Sleep(time.Minute)
				for name, n := range asked {
					assert.LessOrEqual(t, n.Load(), int64(48), "%s, seed %d", name, seed)
				}
			})
		}
	}
}

// abide asserts that a decision is one that the reader's Policy can make.
func abide(t *testing.T, reader string, d polite.Decision) {
	most := map[string]int{"far": 10}[reader]
	require.LessOrEqual(t, len(d.Hops), max(most, 5), reader)
	if reader == "strict" && d.Reason != polite.ReasonUnreachable {
		require.NotContains(t, fmt.Sprint(d.Hops), "other.example")
	}
	if reader != "Google" && !d.Stale && !d.Fetched.IsZero() {
		require.LessOrEqual(t, time.Since(d.Fetched), 24*time.Hour, reader)
	}
	if d.Stale && d.Failing.IsZero() {
		require.LessOrEqual(t, time.Since(d.Fetched), 24*time.Hour, reader)
	}
}

// What was read once costs nothing to allocate when it is read again, also where others read
// it in another way.
func TestReadingDoesNotAllocate(t *testing.T) {
	base := origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
		if req.URL.Path == "/robots.txt" {
			return origintest.Response(req, 302, "", "Location", "http://other.example/rules"), nil
		}
		if req.URL.Path == "/rules" {
			return origintest.Response(req, 200, conduct.Rules), nil
		}
		return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
	})
	cache := new(polite.Cache)
	lenient := polite.Strict()
	lenient.Unreachable = polite.AllowAll
	for _, policy := range []polite.Policy{{}, lenient, polite.Google()} {
		transport := &polite.Transport{UserAgent: conduct.UserAgent, Base: base, Cache: cache, Policy: policy}
		req, err := http.NewRequest("GET", "http://example.com/a", nil)
		require.NoError(t, err)
		req.Header.Set("User-Agent", conduct.UserAgent)
		assert.Equal(t, 1.0, testing.AllocsPerRun(100, func() {
			if _, err := transport.RoundTrip(req); err != nil {
				t.Error(err)
			}
		}), "the response")
	}
}
