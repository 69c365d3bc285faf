package robots

import (
	"fmt"
	"net/http"
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
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hearing returns a process that hears, and knows example.com since an hour.
func hearing(t testing.TB, web *origintest.Server, store store.Store) *polite.Transport {
	transport := conduct.Process(t, web, store)
	t.Cleanup(transport.CloseIdleConnections)
	conduct.Fetch(t, transport, "http://example.com/")
	conduct.Listen(t, transport, time.Hour)
	conduct.Fetch(t, transport, "http://example.com/") // it hears since the first request, so it looks once
	synctest.Wait()
	return transport
}

// Another process has learnt other rules. Within a second those who hear of it keep to them,
// also requests that wait already. They do not ask the site.
func TestChangedRulesAreHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store := origintest.NewInMemory(t), conduct.NewEngine()
		web.Robots("example.com", origintest.Text("user-agent: *\ncrawl-delay: 10\n"), conduct.Delayed(10))
		one := hearing(t, web, store)
		web.Take()
		store.Hold.Store(int64(time.Second / 10))
		var all sync.WaitGroup
		var refused atomic.Int64
		for range 10 {
			all.Go(func() {
				if _, err := conduct.Get(conduct.Client(one), "http://example.com/private"); err != nil {
					assert.ErrorIs(t, err, polite.ErrDisallowed)
					refused.Add(1)
				}
			})
		}
		time.Sleep(35 * time.Second)
		assert.Len(t, web.Take().Pages(), 3)
		assert.False(t, conduct.Decide(t, conduct.Process(t, web, ages{store, 25 * time.Hour}), "/private").Allowed, "it asks anew")
		fetched := time.Now()
		all.Wait()
		assert.Equal(t, int64(7), refused.Load())
		assert.Less(t, time.Since(fetched), 6*time.Second, "when the next turn has come")
		assert.Equal(t, "GET http://example.com/robots.txt\n", web.Log().String())
	})
}

// A request that has no turn to wait for goes by other rules as soon as they are read.
func TestChangedRulesAreHeardWhereNothingIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store := origintest.NewInMemory(t), conduct.NewEngine()
		one := hearing(t, web, store)
		var told *robots.File
		one.Trace.RulesChanged = func(_ string, _, after *robots.File) { told = after }
		store.Replace(t, conduct.Rules)
		before := store.Claims.Load()
		assert.True(t, conduct.Decide(t, one, "/private").Allowed)
		synctest.Wait()
		assert.False(t, conduct.Decide(t, one, "/private").Allowed)
		assert.NotNil(t, told)
		assert.Equal(t, int64(1), store.Claims.Load()-before)
		assert.Len(t, web.Log().At("example.com").Robots(), 1)
	})
}

// A process that was idle for a while has not heard. It looks once it has a request.
func TestChangedRulesAreReadAfterAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store := origintest.NewInMemory(t), conduct.NewEngine()
		web.Robots("example.com", origintest.Text("user-agent: *\ncrawl-delay: 1\n"))
		one := hearing(t, web, store)
		time.Sleep(time.Hour)
		store.Replace(t, conduct.Rules+"crawl-delay: 1\n")
		_, err := conduct.Get(conduct.Client(one), "http://example.com/private")
		assert.ErrorIs(t, err, polite.ErrDisallowed)
		assert.Len(t, web.Log().At("example.com").Robots(), 1)
	})
}

// Whether records change or not, a site is asked once in the lifetime of an answer. All
// processes know of a change soon, and read it once.
func TestOncePerLifetimeWithNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store := origintest.NewInMemory(t), conduct.NewEngine()
		var version atomic.Int64
		web.Robots("example.com", func(w http.ResponseWriter, r *http.Request) {
			conduct.Caching(fmt.Sprintf("user-agent: *\ndisallow: /%d\n", version.Add(1)/2), 600)(w, r)
		})
		var processes []*polite.Transport
		for range 3 {
			one := conduct.Process(t, web, store)
			t.Cleanup(one.CloseIdleConnections)
			processes = append(processes, one)
		}
		for range 2 * 60 * 6 {
			for _, one := range processes {
				conduct.Fetch(t, one, "http://example.com/")
				synctest.Wait() // what it refreshes is there before the next one looks
			}
			for _, one := range processes {
				conduct.Decide(t, one, "/")
			}
			time.Sleep(time.Second)
			disallowed := fmt.Sprint("/", version.Load()/2)
			for _, one := range processes {
				require.False(t, conduct.Decide(t, one, disallowed).Allowed)
			}
			time.Sleep(9 * time.Second)
		}
		assert.GreaterOrEqual(t, version.Load(), int64(12))
		assert.LessOrEqual(t, version.Load(), int64(15), "in two hours, of ten minutes each")
		assert.Less(t, store.Claims.Load(), 6*version.Load(), "a look and a claim, and a look of each other that is told")
	})
}

// The process that puts a record hears of it, before Put returns or after, and does not read
// it again.
func TestOwnNewsAreKnown(t *testing.T) {
	for _, later := range []http.HandlerFunc{origintest.Text(conduct.Rules), origintest.Status(404), origintest.Status(503)} {
		for _, late := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				web, store := origintest.NewInMemory(t), conduct.NewEngine()
				slow := &store.Hold
				if late {
					slow = &store.Lag
				}
				slow.Store(int64(time.Second / 10))
				web.Robots("example.com", conduct.Caching(conduct.Rules+"# old", 600), later)
				one := conduct.Process(t, web, store)
				t.Cleanup(one.CloseIdleConnections)
				for len(web.Log().At("example.com").Robots()) < 2 {
					conduct.Fetch(t, one, "http://example.com/")
					time.Sleep(time.Second)
				}
				before := store.Claims.Load()
				for range 40 {
					conduct.Fetch(t, one, "http://example.com/")
					time.Sleep(time.Second)
				}
				assert.Zero(t, store.Claims.Load()-before)
			})
		}
	}
}

// Turns tell of a record that has not changed, as often as they like. It is read, and the site
// is not asked, also if it is nearly time for that.
func TestNewsOfNothing(t *testing.T) {
	t.Parallel()
	afters := long.Last(21*time.Hour+30*time.Minute, 0)
	for _, after := range long.Or(afters, append(afters, 20*time.Hour+20*time.Minute, 21*time.Hour)) {
		synctest.Test(t, func(t *testing.T) {
			web, engine := origintest.NewInMemory(t), conduct.NewEngine()
			web.Robots("example.com", origintest.Text(conduct.Rules))
			one := hearing(t, web, engine)
			for end := time.Now().Add(after); time.Now().Before(end); time.Sleep(8 * time.Second) {
				conduct.Fetch(t, one, "http://example.com/")
			}
			for range 5 {
				before := engine.Claims.Load()
				engine.Tells <- store.Change{Key: conduct.ExampleKey}
				synctest.Wait()
				for range 5 {
					conduct.Fetch(t, one, "http://example.com/")
					synctest.Wait()
				}
				assert.Equal(t, int64(1), engine.Claims.Load()-before)
				time.Sleep(time.Second)
			}
			assert.Len(t, web.Log().At("example.com").Robots(), 1)
		})
	}
}

// While nobody hears, a record is replaced. Whoever hears again reads each record once, or
// once more if a request comes just before that.
func TestNewsAreMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, engine := origintest.NewInMemory(t), conduct.NewEngine()
		one := hearing(t, web, engine)
		for _, robots := range []string{conduct.Rules, ""} {
			conduct.Listen(t, one, time.Minute)
			engine.Cuts <- struct{}{}
			synctest.Wait()
			conduct.Fetch(t, one, "http://example.com/") // it reads, and does not hear yet
			synctest.Wait()
			engine.Replace(t, robots)
			time.Sleep(2 * time.Second)
			before := engine.Claims.Load()
			conduct.Fetch(t, one, "http://other.example/")
			synctest.Wait()
			for range 10 {
				conduct.Decide(t, one, "/private")
				synctest.Wait()
				assert.Equal(t, robots == "", conduct.Decide(t, one, "/private").Allowed)
				conduct.Fetch(t, one, "http://other.example/")
				synctest.Wait()
				time.Sleep(time.Second)
			}
			assert.InDelta(t, 2.5, engine.Claims.Load()-before, 0.5)
		}
		assert.Len(t, web.Log().Robots(), 2)
	})
}

// Keys without sense, and those of sites that nobody here knows, cost nothing.
func TestNewsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, engine := origintest.NewInMemory(t), conduct.NewEngine()
		one := hearing(t, web, engine)
		before := one.Cache.Stats()
		for _, key := range []string{
			" ", "examplebot", "examplebot ", " http://example.org", "http://example.com", conduct.ExampleKey + " ", conduct.ExampleKey + "/", conduct.ExampleKey + ":80", conduct.ExampleKey + "\x00",
			"examplebot  http://example.com", "examplebot HTTP://example.com", "examplebot http://[::1", "examplebot http://%zz", "\xff\xfe \xff", "examplebot http://" + strings.Repeat("a", 1<<20),
		} {
			engine.Tells <- store.Change{Key: key}
		}
		for i := range 10_000 {
			engine.Tells <- store.Change{Key: fmt.Sprintf("examplebot https://%d.example", i)}
		}
		assert.Equal(t, before, one.Cache.Stats())
		claims := engine.Claims.Load()
		for range 10 {
			conduct.Fetch(t, one, "http://example.com/")
			synctest.Wait()
		}
		assert.Equal(t, claims, engine.Claims.Load())
		engine.Replace(t, conduct.Rules)
		conduct.Decide(t, one, "/private")
		synctest.Wait()
		assert.False(t, conduct.Decide(t, one, "/private").Allowed, "it still hears")
	})
}

// The Store cannot tell what is new. Requests go on by what is known, and the site is not
// asked. After a minute the Store is asked again.
func TestNewsThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store := origintest.NewInMemory(t), conduct.NewEngine()
		web.Robots("example.com", origintest.Text("user-agent: *\ncrawl-delay: 1\n"))
		one := hearing(t, web, store)
		store.Reads.Store(false)
		store.Replace(t, conduct.Rules+"crawl-delay: 1\n")
		before := store.Claims.Load()
		for range 30 {
			conduct.Fetch(t, one, "http://example.com/private")
		}
		assert.Equal(t, int64(1), store.Claims.Load()-before)
		store.Reads.Store(true)
		conduct.Listen(t, one, 31*time.Second)
		_, err := conduct.Get(conduct.Client(one), "http://example.com/private")
		assert.ErrorIs(t, err, polite.ErrDisallowed)
		assert.Len(t, web.Log().At("example.com").Robots(), 1)
	})
}

// A record is replaced while the one before is read. It is read, too.
func TestNewsWhileOneReads(t *testing.T) {
	for _, known := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			web, store := origintest.NewInMemory(t), conduct.NewEngine()
			hearing(t, web, store)
			one := conduct.Process(t, web, store)
			t.Cleanup(one.CloseIdleConnections)
			conduct.Listen(t, one, time.Minute)
			if known {
				conduct.Decide(t, one, "/private")
				conduct.Listen(t, one, time.Minute)
				store.Replace(t, conduct.Rules+"allow: /private\n")
				conduct.Listen(t, one, time.Minute)
			}
			store.Hold.Store(int64(time.Second))
			var all sync.WaitGroup
			all.Go(func() { assert.True(t, conduct.Decide(t, one, "/private").Allowed) })
			time.Sleep(time.Second / 2)
			store.Replace(t, conduct.Rules)
			all.Wait()
			time.Sleep(time.Second)
			conduct.Decide(t, one, "/private")
			time.Sleep(2 * time.Second)
			assert.False(t, conduct.Decide(t, one, "/private").Allowed)
			assert.Len(t, web.Log().At("example.com").Robots(), 1)
		})
	}
}

// wrapped is Turns that says what it wraps.
type wrapped struct{ store.Turns }

func (w wrapped) Unwrap() store.Turns { return w.Turns }

// Turns may be a wrapper around the Store: its news are those of the Store all the same.
func TestNewsOfWrappedTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, engine := origintest.NewInMemory(t), conduct.NewEngine()
		one := conduct.Process(t, web, engine)
		one.Cache.Turns = wrapped{engine}
		t.Cleanup(one.CloseIdleConnections)
		conduct.Fetch(t, one, "http://example.com/")
		conduct.Listen(t, one, time.Hour)
		conduct.Fetch(t, one, "http://example.com/")
		synctest.Wait()
		engine.Replace(t, conduct.Rules)
		conduct.Decide(t, one, "/private")
		synctest.Wait()
		assert.False(t, conduct.Decide(t, one, "/private").Allowed)
	})
}

// If Turns alone is given, or the Store is another value, records are not read for its news.
func TestNewsWithoutAStore(t *testing.T) {
	for _, cacheOf := range []func(store.Store, store.Turns) *polite.Cache{
		func(_ store.Store, turns store.Turns) *polite.Cache { return &polite.Cache{Turns: turns} },
		func(records store.Store, turns store.Turns) *polite.Cache {
			return &polite.Cache{Store: records, Turns: struct{ store.Turns }{turns}}
		},
		func(records store.Store, turns store.Turns) *polite.Cache {
			return &polite.Cache{Store: records, Turns: turns}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			web, turns := origintest.NewInMemory(t), conduct.NewEngine()
			records := &spy{Store: new(memstore.Entries)}
			one := conduct.Process(t, web, nil)
			one.Cache = cacheOf(records, turns)
			t.Cleanup(one.CloseIdleConnections)
			conduct.Fetch(t, one, "http://example.com/")
			conduct.Listen(t, one, time.Minute)
			before := records.calls.Load()
			turns.Tells <- store.Change{Key: conduct.ExampleKey}
			synctest.Wait()
			for range 3 {
				conduct.Fetch(t, one, "http://example.com/")
				synctest.Wait()
			}
			assert.Zero(t, turns.Claims.Load())
			assert.Equal(t, before, records.calls.Load())
			assert.Len(t, web.Log().At("example.com").Robots(), 1)
		})
	}
}
