package robots

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
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

// Each row is what a site answers to one process, and what another process does later
// without asking.
func TestRemembered(t *testing.T) {
	tests := []struct {
		name    string
		robots  http.HandlerFunc
		after   time.Duration
		asked   int // by the second process
		allowed bool
		reason  polite.Reason
	}{
		{"rules", origintest.Text(conduct.Rules), 20 * time.Hour, 0, false, polite.ReasonRule},
		{"rules, of yesterday", origintest.Text(conduct.Rules), 25 * time.Hour, 1, false, polite.ReasonRule},
		{"rules for an hour", conduct.Caching(conduct.Rules, 3600), 40 * time.Minute, 0, false, polite.ReasonRule},
		{"no rules for us", origintest.Text("user-agent: other\ndisallow: /\n"), time.Hour, 0, true, polite.ReasonNoRule},
		{"none", origintest.Status(404), time.Hour, 0, true, polite.ReasonUnavailable},
		{"too many redirects", origintest.Redirect("/robots.txt?x"), time.Hour, 0, true, polite.ReasonUnavailable},
		{"an error", origintest.Status(503), 40 * time.Second, 0, false, polite.ReasonUnreachable},
		{"an error, a minute later", origintest.Status(503), 61 * time.Second, 1, false, polite.ReasonUnreachable},
		{"an error that asks for an hour", origintest.Status(503, "Retry-After", "3600"), 59 * time.Minute, 0, false, polite.ReasonUnreachable},
		{"no answer", origintest.Reset, 40 * time.Second, 0, false, polite.ReasonUnreachable},
		{"a large file", origintest.Text(strings.Repeat("# comment\n", 2000) + conduct.Rules), time.Hour, 0, false, polite.ReasonRule},
		{"an empty file", origintest.Text(""), time.Hour, 0, true, polite.ReasonNoRule},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web, store := origintest.NewInMemory(t), new(memstore.Entries)
				web.Robots("example.com", test.robots)
				web.Page("example.com", "/robots.txt?x", origintest.Redirect("/robots.txt"))
				first := conduct.Decide(t, conduct.Process(t, web, store), "/private")
				web.Take()
				time.Sleep(test.after)
				again := conduct.Decide(t, conduct.Process(t, web, store), "/private")
				assert.Len(t, web.Log().Robots(), test.asked)
				assert.Equal(t, test.allowed, again.Allowed)
				assert.Equal(t, test.reason, again.Reason)
				if test.asked == 0 {
					first.Start, again.Start, first.Next, again.Next = time.Time{}, time.Time{}, time.Time{}, time.Time{}
					first.Limit = polite.Limit{} // a break belongs to the turns, which the second process does not share
					if first.Err != nil {
						assert.EqualError(t, again.Err, first.Err.Error())
						first.Err, again.Err = nil, nil
					}
					assert.Equal(t, first, again, "what it tells")
				}
			})
		})
	}
}

// Of many processes at once, one asks, and the others hold no place meanwhile.
func TestKnownOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store := origintest.NewInMemory(t), new(memstore.Entries)
		web.Robots("example.com", origintest.Delay(700*time.Millisecond, origintest.Text(conduct.Rules)))
		var all sync.WaitGroup
		for range 20 {
			transport := conduct.Process(t, web, store)
			transport.Cache.MaxFetches = 1
			all.Go(func() { assert.False(t, conduct.Decide(t, transport, "/private").Allowed) })
			all.Go(func() {
				time.Sleep(time.Millisecond)
				start := time.Now()
				_, err := transport.Check(t.Context(), &url.URL{Scheme: "http", Host: "other.example", Path: "/"})
				assert.NoError(t, err)
				assert.Less(t, time.Since(start), 1700*time.Millisecond, "it does not wait behind those who wait")
			})
		}
		all.Wait()
		assert.Len(t, web.Log().At("example.com").Robots(), 1)
		assert.Len(t, web.Log().At("other.example").Robots(), 1)
	})
}

// A process claims the right to fetch, and dies.
func TestLostHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, memory := origintest.NewInMemory(t), new(memstore.Entries)
		web.Robots("example.com", origintest.Text(conduct.Rules))
		spy := &spy{Store: memory}
		conduct.Decide(t, conduct.Process(t, web, spy), "/")
		require.NotEmpty(t, spy.key)

		time.Sleep(48 * time.Hour)
		lost, err := memory.Claim(t.Context(), spy.key, spy.version(t), 20*time.Second)
		require.NoError(t, err)
		require.NotEmpty(t, lost.Token)
		start := time.Now()
		assert.False(t, conduct.Decide(t, conduct.Process(t, web, memory), "/private").Allowed)
		assert.GreaterOrEqual(t, time.Since(start), 20*time.Second)
		assert.Less(t, time.Since(start), 22*time.Second)
		assert.ErrorIs(t, memory.Put(t.Context(), spy.key, lost.Token, []byte("late"), time.Hour), store.ErrLost)
		assert.Len(t, web.Log().Robots(), 2)
	})
}

// A spy sees what is asked of a Store.
type spy struct {
	store.Store
	key   string
	calls atomic.Int64
}

func (s *spy) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	s.key = key
	s.calls.Add(1)
	return s.Store.Claim(ctx, key, seen, lease)
}

func (s *spy) version(t testing.TB) string {
	c, err := s.Store.Claim(t.Context(), s.key, "", 0)
	require.NoError(t, err)
	return c.Version
}

// The fetch ends before the claim does, however long Policy.Timeout is.
func TestFetchEndsWithinItsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store := origintest.NewInMemory(t), new(memstore.Entries)
		web.Robots("example.com", origintest.Hang, origintest.Text(conduct.Rules))
		transport := conduct.Process(t, web, store)
		transport.Policy.Timeout = time.Minute
		assert.Equal(t, polite.ReasonUnreachable, conduct.Decide(t, transport, "/").Reason)
		assert.Equal(t, polite.ReasonUnreachable, conduct.Decide(t, conduct.Process(t, web, store), "/").Reason, "the claim had not ended")
		assert.Len(t, web.Log().Robots(), 1)
	})
}

// A copy that a process before has fetched is confirmed, and counts while the site is
// down.
func TestCopyOfAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store, site := origintest.NewInMemory(t), new(memstore.Entries), &lively{version: 1}
		web.Robots("example.com", site.ServeHTTP)
		patient := func() *polite.Transport {
			transport := conduct.Process(t, web, store)
			transport.Policy.Timeout = time.Minute
			return transport
		}
		for range 5 {
			d := conduct.Decide(t, patient(), "/1")
			assert.False(t, d.Allowed)
			assert.Less(t, time.Since(d.Fetched), 2*time.Second)
			time.Sleep(25 * time.Hour)
		}
		log := web.Take().Robots()
		require.Len(t, log, 5)
		for _, later := range log[1:] {
			assert.Equal(t, `"1"`, later.Header.Get("If-None-Match"))
		}
		site.down = true
		for range 5 {
			d := conduct.Decide(t, patient(), "/1")
			assert.False(t, d.Allowed, "the last good copy")
			assert.True(t, d.Stale)
			time.Sleep(25 * time.Hour)
		}
		failing := conduct.Decide(t, patient(), "/1").Failing
		assert.InDelta(t, 125*time.Hour, time.Since(failing), float64(time.Minute), "the outage began in a process before")
		assert.Len(t, web.Log().Robots(), 6)
	})
}

// ages makes all records of a Store look as if they were put so long ago.
type ages struct {
	store.Store
	age time.Duration
}

func (s ages) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	c, err := s.Store.Claim(ctx, key, seen, lease)
	c.Age = s.age
	return c, err
}

// A record from the future is due at once, and counts until the site has answered.
func TestRecordFromTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store := origintest.NewInMemory(t), new(memstore.Entries)
		web.Robots("example.com", origintest.Text(conduct.Rules), origintest.Delay(900*time.Millisecond, origintest.Text("")))
		conduct.Decide(t, conduct.Process(t, web, store), "/")
		transport := conduct.Process(t, web, ages{store, -time.Hour})
		start := time.Now()
		assert.False(t, conduct.Decide(t, transport, "/private").Allowed)
		assert.Zero(t, time.Since(start), "it does not wait")
		time.Sleep(time.Second)
		assert.Len(t, web.Log().Robots(), 2, "it was asked at once")
		assert.True(t, conduct.Decide(t, transport, "/private").Allowed)
	})
}

// broken is a Store that does all that a Store must not do.
type broken struct {
	claim func(ctx context.Context) (store.Claim, error)
	put   error
}

func (s broken) Claim(ctx context.Context, _, _ string, _ time.Duration) (store.Claim, error) {
	return s.claim(ctx)
}
func (s broken) Put(context.Context, string, string, []byte, time.Duration) error { return s.put }

func TestStoreFails(t *testing.T) {
	full := errors.New("disk full\x1b[31m")
	always := func(c store.Claim, err error) func(context.Context) (store.Claim, error) {
		return func(context.Context) (store.Claim, error) { return c, err }
	}
	tests := []struct {
		name  string
		store broken
		told  int
	}{
		{"an error", broken{claim: always(store.Claim{}, full)}, 1},
		{"no answer", broken{claim: func(ctx context.Context) (store.Claim, error) { <-ctx.Done(); return store.Claim{}, ctx.Err() }}, 1},
		{"it does not keep", broken{claim: always(store.Claim{Token: "1"}, nil), put: full}, 1},
		{"the claim is lost", broken{claim: always(store.Claim{Token: "1"}, nil), put: store.ErrLost}, 0},
		{"nothing", broken{claim: always(store.Claim{}, nil)}, 0},
		{"junk", broken{claim: always(store.Claim{Entry: []byte("junk"), Version: "1", Age: -1 << 63}, nil)}, 0},
		{"everything", broken{claim: always(store.Claim{Entry: []byte{}, Version: "1", Age: 1<<63 - 1, Token: "2", Wait: 1<<63 - 1}, nil)}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", origintest.Text(conduct.Rules))
				var log conduct.Log
				transport := conduct.Process(t, web, test.store)
				transport.Logger = log.Logger(slog.LevelInfo)
				for range 3 {
					assert.False(t, conduct.Decide(t, transport, "/private").Allowed)
					assert.True(t, conduct.Decide(t, transport, "/").Allowed)
				}
				assert.Len(t, web.Log().Robots(), 1)
				assert.Equal(t, test.told, strings.Count(log.String(), "the store fails"), log.String())
				assert.NotContains(t, log.String(), "\x1b")
			})
		})
	}
}

// What lies in the Store is of no use: it is replaced.
func TestJunkIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store := origintest.NewInMemory(t), new(memstore.Entries)
		web.Robots("example.com", origintest.Text(conduct.Rules))
		spy := &spy{Store: store}
		conduct.Decide(t, conduct.Process(t, web, spy), "/")
		c, err := store.Claim(t.Context(), spy.key, spy.version(t), time.Second)
		require.NoError(t, err)
		require.NoError(t, store.Put(t.Context(), spy.key, c.Token, []byte("junk"), time.Hour))
		assert.False(t, conduct.Decide(t, conduct.Process(t, web, store), "/private").Allowed)
		assert.False(t, conduct.Decide(t, conduct.Process(t, web, store), "/private").Allowed)
		assert.Len(t, web.Log().Robots(), 2)
	})
}

// What a site sees is the User-Agent, so records are kept under that name, whatever rules
// a Transport goes by.
func TestRecordsAreOfTheNameThatSitesSee(t *testing.T) {
	tests := []struct {
		userAgent string
		agents    []string
		asks      bool // after ExampleBot/1.0 has asked
	}{
		{"examplebot/2.0", nil, false},
		{"OtherBot/1.0", nil, true}, // sites may have another robots.txt for each crawler
		{"ExampleBot/1.0", []string{"GPTBot"}, false},
		{"ExampleBot/1.0", []string{"ExampleBot-News", "ExampleBot"}, false},
		{"Mozilla/5.0 (compatible; ExampleBot/1.0)", []string{"ExampleBot"}, false},
		{"Mozilla/5.0 (compatible; OtherBot/1.0)", []string{"ExampleBot", "OtherBot"}, true},
		{"OtherBot/1.0", []string{"ExampleBot"}, true},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			web, store := origintest.NewInMemory(t), new(memstore.Entries)
			conduct.Decide(t, conduct.Process(t, web, store), "/")
			transport := conduct.Process(t, web, store)
			transport.UserAgent, transport.Agents = test.userAgent, test.agents
			web.Take()
			conduct.Decide(t, transport, "/")
			assert.Equal(t, test.asks, len(web.Log().Robots()) > 0, "%s %v", test.userAgent, test.agents)
		})
	}
}

// A fetch that others wait for goes on when its own process does not wait any more.
func TestClaimOutlivesWhoLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store := origintest.NewInMemory(t), new(memstore.Entries)
		web.Robots("example.com", origintest.Hang, origintest.Text(conduct.Rules))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		_, err := conduct.Process(t, web, store).Check(ctx, &url.URL{Scheme: "http", Host: "example.com", Path: "/"})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()
		start := time.Now()
		assert.False(t, conduct.Decide(t, conduct.Process(t, web, store), "/private").Allowed)
		assert.Less(t, time.Since(start), 2*time.Second)
		assert.Len(t, web.Log(), 1)
	})
}

// What is known costs no call, and no memory.
func TestWarmDecisionAsksNoStore(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text(conduct.Rules))
	spy := &spy{Store: new(memstore.Entries)}
	transport := conduct.Process(t, web, spy)
	conduct.Decide(t, transport, "/")
	before := spy.calls.Load()
	for range 100 {
		conduct.Decide(t, transport, "/")
	}
	assert.Equal(t, before, spy.calls.Load())
	assert.Equal(t, uint64(0), transport.Cache.Stats().Recalled)
	again := conduct.Process(t, web, spy)
	conduct.Decide(t, again, "/")
	assert.Equal(t, uint64(1), again.Cache.Stats().Recalled)
	assert.Len(t, web.Log(), 1)
}

func TestRobots(t *testing.T) {
	sitemap := "sitemap: https://example.com/map.xml\n"
	tests := []struct {
		name   string
		robots http.HandlerFunc
		policy polite.Policy
		found  bool
		err    error
	}{
		{"a file", origintest.Text(conduct.Rules + sitemap), polite.Policy{}, true, nil},
		{"a file of an exempt site", origintest.Text(conduct.Rules + sitemap), polite.Policy{Exempt: func(*http.Request) bool { return true }}, true, nil},
		{"none", origintest.Status(404), polite.Policy{}, false, nil},
		{"unreachable", origintest.Status(503), polite.Policy{}, false, polite.ErrNoRules},
		{"unreachable, and it does not matter", origintest.Status(503), polite.Policy{Unreachable: polite.AllowAll}, false, nil},
		{"forbidden", origintest.Status(403), polite.Strict(), false, polite.ErrNoRules},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			web := origintest.New(t)
			web.Robots("example.com", test.robots)
			transport := conduct.NewTransport(t, web)
			transport.Policy = test.policy
			for range 2 {
				file, err := transport.Robots(t.Context(), &url.URL{Scheme: "http", Host: "example.com", Path: "/private"})
				if test.err != nil {
					require.ErrorIs(t, err, test.err)
					continue
				}
				require.NoError(t, err)
				n := 0
				for range file.Sitemaps() {
					n++
				}
				assert.Equal(t, test.found, n == 1)
			}
			assert.Len(t, web.Log(), 1, "once, and no page")
		})
	}
}

func TestRobotsOfNothing(t *testing.T) {
	transport := conduct.NewTransport(t, origintest.New(t))
	for _, u := range []*url.URL{nil, {}, {Scheme: "ftp", Host: "example.com"}, {Scheme: "http"}} {
		_, err := transport.Robots(t.Context(), u)
		assert.ErrorContains(t, err, "polite: ")
	}
	_, err := new(polite.Transport).Robots(t.Context(), &url.URL{Scheme: "http", Host: "example.com"})
	assert.ErrorContains(t, err, "UserAgent is empty")
}

// Each row is a day of a site, and whether its rules have changed since the day before.
func TestRulesChanged(t *testing.T) {
	days := []struct {
		robots  http.HandlerFunc
		changed bool
	}{
		{origintest.Text(conduct.Rules), false}, // nothing was known
		{origintest.Text(conduct.Rules), false}, // the same octets
		{origintest.Text(conduct.Rules + "# more\n"), true},
		{origintest.Status(503), false},
		{origintest.Text(conduct.Rules + "# more\n"), false},
		{origintest.Status(503), false},
		{origintest.Text(conduct.Rules), true},
		{origintest.Status(404), true},
		{origintest.Status(410), false},
		{origintest.Text(""), true},
		{origintest.Text(conduct.Rules), true},
	}
	for name, store := range map[string]*memstore.Entries{"in memory": nil, "after restarts": {}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				type change struct {
					origin        string
					before, after *robots.File
				}
				var changes []change
				trace := polite.Trace{RulesChanged: func(origin string, before, after *robots.File) {
					changes = append(changes, change{origin, before, after})
				}}
				transport := conduct.NewTransport(t, web)
				transport.Trace = trace
				for i, day := range days {
					web.Robots("example.com", day.robots)
					if store != nil {
						transport = conduct.Process(t, web, store)
						transport.Trace = trace
					}
					changes = nil
					before, _ := transport.Robots(t.Context(), &url.URL{Scheme: "http", Host: "example.com"})
					time.Sleep(2 * time.Second)
					if day.changed {
						require.Len(t, changes, 1, "day %d", i)
						assert.Equal(t, "http://example.com", changes[0].origin)
						assert.True(t, changes[0].after == nil || changes[0].after == before)
						assert.False(t, changes[0].before == nil && changes[0].after == nil)
					} else {
						require.Empty(t, changes, "day %d", i)
					}
					time.Sleep(25 * time.Hour)
				}
			})
		})
	}
}
