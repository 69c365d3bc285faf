package conduct_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/storetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An engine is a Store and Turns. It counts claims, and its parts can be cut off.
type engine struct {
	*storetest.Both
	claims atomic.Int64
	reads  atomic.Bool       // false: Claim fails
	hold   atomic.Int64      // how long Claim and Put take to return
	lag    atomic.Int64      // how long news take
	cuts   chan struct{}     // ends a Watch
	tells  chan store.Change // told by a Watch, beside the others
}

func newEngine() *engine {
	e := &engine{Both: new(storetest.Both), cuts: make(chan struct{}), tells: make(chan store.Change)}
	e.reads.Store(true)
	return e
}

// Claim takes as long as hold to answer.
func (e *engine) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	e.claims.Add(1)
	if !e.reads.Load() {
		return store.Claim{}, errOff
	}
	c, err := e.Both.Claim(ctx, key, seen, lease)
	time.Sleep(time.Duration(e.hold.Load()))
	return c, err
}

// Put takes as long as hold to return.
func (e *engine) Put(ctx context.Context, key, token string, record []byte, keep time.Duration) error {
	err := e.Both.Put(ctx, key, token, record, keep)
	time.Sleep(time.Duration(e.hold.Load()))
	return err
}

func (e *engine) Watch(ctx context.Context, f func(store.Change)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex // one at a time
	var also sync.WaitGroup
	defer also.Wait()
	also.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-e.cuts:
				cancel()
			case c := <-e.tells:
				mu.Lock()
				f(c)
				mu.Unlock()
			}
		}
	})
	return e.Both.Watch(ctx, func(c store.Change) {
		if c.Key != "" {
			time.Sleep(time.Duration(e.lag.Load()))
		}
		mu.Lock()
		defer mu.Unlock()
		f(c)
	})
}

const exampleKey = "examplebot http://example.com"

// replace puts another record of example.com, as a process does that has asked the site.
func (e *engine) replace(t testing.TB, robots string) {
	e.put(t, &entry.Answer{Status: 200, MaxAge: -1, Body: []byte(robots)})
}

func (e *engine) put(t testing.TB, answer *entry.Answer) {
	last, err := e.Both.Claim(t.Context(), exampleKey, "", 0)
	require.NoError(t, err)
	c, err := e.Both.Claim(t.Context(), exampleKey, last.Version, time.Minute)
	require.NoError(t, err)
	r := entry.Entry{Answer: answer}
	require.NoError(t, e.Both.Put(t.Context(), exampleKey, c.Token, r.Encode(exampleKey), 1000*time.Hour))
	synctest.Wait()
}

// hearing returns a process that hears, and knows example.com since an hour.
func hearing(t testing.TB, web *origintest.Server, store store.Store) *polite.Transport {
	transport := process(t, web, store)
	t.Cleanup(transport.CloseIdleConnections)
	fetch(t, transport, "http://example.com/")
	listen(t, transport, time.Hour)
	fetch(t, transport, "http://example.com/") // it hears since the first request, so it looks once
	synctest.Wait()
	return transport
}

// listen lets a process hear for a while. It needs requests for that.
func listen(t testing.TB, transport *polite.Transport, d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(5 * time.Second) {
		fetch(t, transport, "http://other.example/")
	}
}

// fetch sends a request that must be answered.
func fetch(t testing.TB, transport *polite.Transport, url string) {
	t.Helper()
	_, err := get(client(transport), url)
	require.NoError(t, err)
}

// Another process has learnt other rules. Within a second those who hear of it keep to them,
// also requests that wait already. They do not ask the site.
func TestChangedRulesAreHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store := origintest.NewInMemory(t), newEngine()
		web.Robots("example.com", origintest.Text("user-agent: *\ncrawl-delay: 10\n"), delayed(10))
		one := hearing(t, web, store)
		web.Take()
		store.hold.Store(int64(time.Second / 10))
		var all sync.WaitGroup
		var refused atomic.Int64
		for range 10 {
			all.Go(func() {
				if _, err := get(client(one), "http://example.com/private"); err != nil {
					assert.ErrorIs(t, err, polite.ErrDisallowed)
					refused.Add(1)
				}
			})
		}
		time.Sleep(35 * time.Second)
		assert.Len(t, web.Take().Pages(), 3)
		assert.False(t, decide(t, process(t, web, ages{store, 25 * time.Hour}), "/private").Allowed, "it asks anew")
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
		web, store := origintest.NewInMemory(t), newEngine()
		one := hearing(t, web, store)
		var told polite.RulesChange
		one.Trace.RulesChanged = func(change polite.RulesChange) { told = change }
		store.replace(t, rules)
		before := store.claims.Load()
		assert.True(t, decide(t, one, "/private").Allowed)
		synctest.Wait()
		assert.False(t, decide(t, one, "/private").Allowed)
		assert.NotNil(t, told.After)
		assert.Equal(t, int64(1), store.claims.Load()-before)
		assert.Len(t, web.Log().At("example.com").Robots(), 1)
	})
}

// A process that was idle for a while has not heard. It looks once it has a request.
func TestChangedRulesAreReadAfterAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store := origintest.NewInMemory(t), newEngine()
		web.Robots("example.com", origintest.Text("user-agent: *\ncrawl-delay: 1\n"))
		one := hearing(t, web, store)
		time.Sleep(time.Hour)
		store.replace(t, rules+"crawl-delay: 1\n")
		_, err := get(client(one), "http://example.com/private")
		assert.ErrorIs(t, err, polite.ErrDisallowed)
		assert.Len(t, web.Log().At("example.com").Robots(), 1)
	})
}

// Whether records change or not, a site is asked once in the lifetime of an answer. All
// processes know of a change soon, and read it once.
func TestOncePerLifetimeWithNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store := origintest.NewInMemory(t), newEngine()
		var version atomic.Int64
		web.Robots("example.com", func(w http.ResponseWriter, r *http.Request) {
			caching(fmt.Sprintf("user-agent: *\ndisallow: /%d\n", version.Add(1)/2), 600)(w, r)
		})
		var processes []*polite.Transport
		for range 3 {
			one := process(t, web, store)
			t.Cleanup(one.CloseIdleConnections)
			processes = append(processes, one)
		}
		for range 2 * 60 * 6 {
			for _, one := range processes {
				fetch(t, one, "http://example.com/")
				synctest.Wait() // what it refreshes is there before the next one looks
			}
			for _, one := range processes {
				decide(t, one, "/")
			}
			time.Sleep(time.Second)
			disallowed := fmt.Sprint("/", version.Load()/2)
			for _, one := range processes {
				require.False(t, decide(t, one, disallowed).Allowed)
			}
			time.Sleep(9 * time.Second)
		}
		assert.GreaterOrEqual(t, version.Load(), int64(12))
		assert.LessOrEqual(t, version.Load(), int64(15), "in two hours, of ten minutes each")
		assert.Less(t, store.claims.Load(), 6*version.Load(), "a look and a claim, and a look of each other that is told")
	})
}

// The process that puts a record hears of it, before Put returns or after, and does not read
// it again.
func TestOwnNewsAreKnown(t *testing.T) {
	for _, later := range []http.HandlerFunc{origintest.Text(rules), origintest.Status(404), origintest.Status(503)} {
		for _, late := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				web, store := origintest.NewInMemory(t), newEngine()
				slow := &store.hold
				if late {
					slow = &store.lag
				}
				slow.Store(int64(time.Second / 10))
				web.Robots("example.com", caching(rules+"# old", 600), later)
				one := process(t, web, store)
				t.Cleanup(one.CloseIdleConnections)
				for len(web.Log().At("example.com").Robots()) < 2 {
					fetch(t, one, "http://example.com/")
					time.Sleep(time.Second)
				}
				before := store.claims.Load()
				for range 40 {
					fetch(t, one, "http://example.com/")
					time.Sleep(time.Second)
				}
				assert.Zero(t, store.claims.Load()-before)
			})
		}
	}
}

// Turns tell of a record that has not changed, as often as they like. It is read, and the site
// is not asked, also if it is nearly time for that.
func TestNewsOfNothing(t *testing.T) {
	t.Parallel()
	afters := []time.Duration{0, 21*time.Hour + 30*time.Minute}
	for _, after := range long.Or(afters, append(afters, 20*time.Hour+20*time.Minute, 21*time.Hour)) {
		synctest.Test(t, func(t *testing.T) {
			web, engine := origintest.NewInMemory(t), newEngine()
			web.Robots("example.com", origintest.Text(rules))
			one := hearing(t, web, engine)
			for end := time.Now().Add(after); time.Now().Before(end); time.Sleep(8 * time.Second) {
				fetch(t, one, "http://example.com/")
			}
			for range 5 {
				before := engine.claims.Load()
				engine.tells <- store.Change{Key: exampleKey}
				synctest.Wait()
				for range 5 {
					fetch(t, one, "http://example.com/")
					synctest.Wait()
				}
				assert.Equal(t, int64(1), engine.claims.Load()-before)
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
		web, engine := origintest.NewInMemory(t), newEngine()
		one := hearing(t, web, engine)
		for _, robots := range []string{rules, ""} {
			listen(t, one, time.Minute)
			engine.cuts <- struct{}{}
			synctest.Wait()
			fetch(t, one, "http://example.com/") // it reads, and does not hear yet
			synctest.Wait()
			engine.replace(t, robots)
			time.Sleep(2 * time.Second)
			before := engine.claims.Load()
			fetch(t, one, "http://other.example/")
			synctest.Wait()
			for range 10 {
				decide(t, one, "/private")
				synctest.Wait()
				assert.Equal(t, robots == "", decide(t, one, "/private").Allowed)
				fetch(t, one, "http://other.example/")
				synctest.Wait()
				time.Sleep(time.Second)
			}
			assert.InDelta(t, 2.5, engine.claims.Load()-before, 0.5)
		}
		assert.Len(t, web.Log().Robots(), 2)
	})
}

// Keys without sense, and those of sites that nobody here knows, cost nothing.
func TestNewsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, engine := origintest.NewInMemory(t), newEngine()
		one := hearing(t, web, engine)
		before := one.Cache.Stats()
		for _, key := range []string{
			" ", "examplebot", "examplebot ", " http://example.org", "http://example.com", exampleKey + " ", exampleKey + "/", exampleKey + ":80", exampleKey + "\x00",
			"examplebot  http://example.com", "examplebot HTTP://example.com", "examplebot http://[::1", "examplebot http://%zz", "\xff\xfe \xff", "examplebot http://" + strings.Repeat("a", 1<<20),
		} {
			engine.tells <- store.Change{Key: key}
		}
		for i := range 10_000 {
			engine.tells <- store.Change{Key: fmt.Sprintf("examplebot https://%d.example", i)}
		}
		assert.Equal(t, before, one.Cache.Stats())
		claims := engine.claims.Load()
		for range 10 {
			fetch(t, one, "http://example.com/")
			synctest.Wait()
		}
		assert.Equal(t, claims, engine.claims.Load())
		engine.replace(t, rules)
		decide(t, one, "/private")
		synctest.Wait()
		assert.False(t, decide(t, one, "/private").Allowed, "it still hears")
	})
}

// The Store cannot tell what is new. Requests go on by what is known, and the site is not
// asked. After a minute the Store is asked again.
func TestNewsThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store := origintest.NewInMemory(t), newEngine()
		web.Robots("example.com", origintest.Text("user-agent: *\ncrawl-delay: 1\n"))
		one := hearing(t, web, store)
		store.reads.Store(false)
		store.replace(t, rules+"crawl-delay: 1\n")
		before := store.claims.Load()
		for range 30 {
			fetch(t, one, "http://example.com/private")
		}
		assert.Equal(t, int64(1), store.claims.Load()-before)
		store.reads.Store(true)
		listen(t, one, 31*time.Second)
		_, err := get(client(one), "http://example.com/private")
		assert.ErrorIs(t, err, polite.ErrDisallowed)
		assert.Len(t, web.Log().At("example.com").Robots(), 1)
	})
}

// A record is replaced while the one before is read. It is read, too.
func TestNewsWhileOneReads(t *testing.T) {
	for _, known := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			web, store := origintest.NewInMemory(t), newEngine()
			hearing(t, web, store)
			one := process(t, web, store)
			t.Cleanup(one.CloseIdleConnections)
			listen(t, one, time.Minute)
			if known {
				decide(t, one, "/private")
				listen(t, one, time.Minute)
				store.replace(t, rules+"allow: /private\n")
				listen(t, one, time.Minute)
			}
			store.hold.Store(int64(time.Second))
			var all sync.WaitGroup
			all.Go(func() { assert.True(t, decide(t, one, "/private").Allowed) })
			time.Sleep(time.Second / 2)
			store.replace(t, rules)
			all.Wait()
			time.Sleep(time.Second)
			decide(t, one, "/private")
			time.Sleep(2 * time.Second)
			assert.False(t, decide(t, one, "/private").Allowed)
			assert.Len(t, web.Log().At("example.com").Robots(), 1)
		})
	}
}

// If Turns alone is given, or the Store is no Turns, records are not read for its news.
func TestNewsWithoutAStore(t *testing.T) {
	for _, apart := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			web, turns := origintest.NewInMemory(t), newEngine()
			records := &spy{Store: new(storetest.Memory)}
			one := process(t, web, nil)
			one.Cache = &polite.Cache{Turns: turns}
			if apart {
				one.Cache = &polite.Cache{Store: records, Turns: struct{ store.Turns }{turns}}
			}
			t.Cleanup(one.CloseIdleConnections)
			fetch(t, one, "http://example.com/")
			listen(t, one, time.Minute)
			before := records.calls.Load()
			turns.tells <- store.Change{Key: exampleKey}
			synctest.Wait()
			for range 3 {
				fetch(t, one, "http://example.com/")
				synctest.Wait()
			}
			assert.Zero(t, turns.claims.Load())
			assert.Equal(t, before, records.calls.Load())
			assert.Len(t, web.Log().At("example.com").Robots(), 1)
		})
	}
}
