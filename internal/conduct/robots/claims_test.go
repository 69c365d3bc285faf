package robots

import (
	"context"
	"math"
	"net/http"
	"net/url"
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

// A Store says for ever that another fetches. Those who wait can give up. In the end the
// site is asked all the same, after a number of calls that is bounded.
func TestClaimOfAnotherForEver(t *testing.T) {
	for _, wait := range []time.Duration{math.MaxInt64, time.Hour, time.Nanosecond} {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("example.com", origintest.Text(conduct.Rules))
			var calls atomic.Int64
			transport := conduct.Process(t, web, broken{claim: func(context.Context) (store.Claim, error) {
				calls.Add(1)
				return store.Claim{Wait: wait}, nil
			}})
			if wait > time.Second {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err := transport.Check(ctx, &url.URL{Scheme: "http", Host: "example.com"})
				assert.ErrorIs(t, err, context.DeadlineExceeded)
				assert.Less(t, calls.Load(), int64(20))
				assert.Empty(t, web.Log())
			}
			calls.Store(0)
			assert.False(t, conduct.Decide(t, transport, "/private").Allowed)
			assert.Len(t, web.Log().Robots(), 1)
			assert.LessOrEqual(t, calls.Load(), int64(1001))
		})
	}
}

// slowToClaim is a Store whose Claim takes a while. If ctx ends meanwhile, the call has had
// its effect.
type slowToClaim struct{ store.Store }

func (s slowToClaim) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	c, err := s.Store.Claim(ctx, key, seen, lease)
	select {
	case <-time.After(100 * time.Millisecond):
		return c, err
	case <-ctx.Done():
		return store.Claim{}, ctx.Err()
	}
}

// standsStill is a Store whose process is stopped in the call that claims, before the call reaches the
// Store or after it, and is continued long after its deadline.
type standsStill struct {
	store.Store
	calls   int
	reached bool
}

func (s *standsStill) Claim(ctx context.Context, key, seen string, lease time.Duration) (c store.Claim, err error) {
	if s.calls++; s.calls != 2 {
		return s.Store.Claim(ctx, key, seen, lease)
	}
	if s.reached {
		c, err = s.Store.Claim(ctx, key, seen, lease)
	} else {
		err = context.DeadlineExceeded
	}
	time.Sleep(lease + time.Minute)
	return c, err
}

// A process that stood still while it claimed neither takes the Store for lost nor goes by a claim that has
// ended: another has fetched meanwhile.
func TestStopWhileItClaims(t *testing.T) {
	for _, reached := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			web, store := origintest.NewInMemory(t), new(memstore.Entries)
			web.Robots("example.com", origintest.Text(conduct.Rules))
			time.AfterFunc(time.Second, func() { conduct.Decide(t, conduct.Process(t, web, store), "/") })
			assert.False(t, conduct.Decide(t, conduct.Process(t, web, &standsStill{Store: store, reached: reached}), "/private").Allowed)
			assert.Len(t, web.Log().Robots(), 1, "reached %v", reached)
		})
	}
}

// lateTurns is Turns whose starts are late: others have reserved before them.
type lateTurns struct {
	store.Turns
	asked sync.Map // tokens
}

func (s *lateTurns) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	if _, again := s.asked.LoadOrStore(ask.Token, true); ask.Gap > 0 && !again {
		ask.NotBefore = time.Hour
	}
	return s.Turns.Take(ctx, lane, ask)
}

// The turn in a Group may come after the claim has ended. Then another process has fetched meanwhile, or this one
// claims again.
func TestClaimEndsBeforeTheTurnAbove(t *testing.T) {
	for _, other := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			web, store := origintest.NewInMemory(t), new(memstore.Entries)
			web.Robots("example.com", origintest.Text(conduct.Rules))
			transport := conduct.Process(t, web, store)
			transport.Cache.Turns = &lateTurns{Turns: new(memstore.Turns)}
			t.Cleanup(transport.CloseIdleConnections)
			transport.Pace.Group = &polite.Group{Key: func(*http.Request) string { return "all" }, MinDelay: time.Second}
			if other {
				time.AfterFunc(time.Second, func() { conduct.Decide(t, conduct.Process(t, web, store), "/") })
			}
			assert.False(t, conduct.Decide(t, transport, "/private").Allowed)
			assert.False(t, conduct.Decide(t, conduct.Process(t, web, store), "/private").Allowed, "it is kept for others")
			assert.Len(t, web.Log().Robots(), 1, "another process: %v", other)
		})
	}
}

// A break that begins while the Store is asked counts: robots.txt is asked for after it.
func TestBreakWhileItClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, lanes := origintest.NewInMemory(t), new(memstore.Turns)
		web.Robots("example.com", origintest.Text(conduct.Rules))
		transport := conduct.Process(t, web, slowToClaim{new(memstore.Entries)})
		transport.Cache.Turns = lanes
		t.Cleanup(transport.CloseIdleConnections)
		time.AfterFunc(150*time.Millisecond, func() { // after the first look
			assert.NoError(t, lanes.Break(t.Context(), "origin http://example.com", time.Second))
		})
		start := time.Now()
		assert.False(t, conduct.Decide(t, transport, "/private").Allowed)
		asked := web.Log().Robots()
		require.Len(t, asked, 1)
		assert.GreaterOrEqual(t, asked[0].Time.Sub(start), 1150*time.Millisecond)
	})
}

// A fetch that waits for the end of a break gives its place to another site. This is no
// failure of the site.
func TestBreakGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("busy.example", "/", origintest.Status(429, "Retry-After", "20"))
		transport := conduct.NewTransport(t, web)
		transport.Cache = &polite.Cache{MaxFetches: 1}
		transport.Policy.Timeout = 30 * time.Second
		transport.Pace.Key = func(*http.Request) string { return "all" }
		_, err := conduct.Get(conduct.Client(transport), "http://busy.example/")
		require.NoError(t, err)
		var all sync.WaitGroup
		all.Go(func() {
			assert.ErrorContains(t, conduct.Decide(t, transport, "/").Err, "the site wants no requests")
		})
		synctest.Wait()
		other := conduct.NewTransport(t, web)
		other.Cache = transport.Cache
		_, err = other.Check(t.Context(), &url.URL{Scheme: "http", Host: "other.example"})
		require.NoError(t, err)
		all.Wait()
		time.Sleep(20 * time.Second)
		assert.True(t, conduct.Decide(t, transport, "/").Allowed)
	})
}

// Who is told of other rules may ask for another robots.txt, even if one fetch has all
// places.
func TestRulesChangedMayAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Text(conduct.Rules), origintest.Text(""))
		transport := conduct.NewTransport(t, web)
		transport.Cache = &polite.Cache{MaxFetches: 1}
		told := 0
		transport.Trace.RulesChanged = func(_ string, _, after *robots.File) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := transport.Robots(ctx, &url.URL{Scheme: "http", Host: "cdn.example"})
			assert.NoError(t, err)
			now, err := transport.Robots(ctx, &url.URL{Scheme: "http", Host: "example.com"})
			assert.NoError(t, err)
			assert.Same(t, after, now)
			told++
		}
		conduct.Decide(t, transport, "/")
		time.Sleep(25 * time.Hour)
		conduct.Decide(t, transport, "/")
		assert.Equal(t, 1, told)
	})
}
