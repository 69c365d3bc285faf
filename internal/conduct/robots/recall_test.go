package robots

import (
	"context"
	"math"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// switched is a Store that can be switched off in parts.
type switched struct {
	store.Store
	noClaim, noPut atomic.Bool
	claims         atomic.Int64
	most           int64 // claims, if not zero
}

func (s *switched) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	if n := s.claims.Add(1); s.noClaim.Load() || s.most > 0 && n > s.most {
		return store.Claim{}, conduct.ErrOff
	}
	return s.Store.Claim(ctx, key, seen, lease)
}

func (s *switched) Put(ctx context.Context, key, token string, record []byte, keep time.Duration) error {
	if s.noPut.Load() {
		return conduct.ErrOff
	}
	return s.Store.Put(ctx, key, token, record, keep)
}

// Memory has the rules, and the Store has only what another process has put: that the site
// fails. The rules stay.
func TestLastGoodCopyStaysInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store := origintest.NewInMemory(t), &switched{Store: new(memstore.Entries)}
		web.Robots("example.com", origintest.Text(conduct.Rules), origintest.Status(503))
		store.noPut.Store(true)
		one := conduct.Process(t, web, store)
		assert.Equal(t, polite.ReasonRule, conduct.Decide(t, one, "/private").Reason)
		store.noPut.Store(false)
		time.Sleep(24*time.Hour - 30*time.Second)
		assert.Equal(t, polite.ReasonUnreachable, conduct.Decide(t, conduct.Process(t, web, store), "/private").Reason)
		for range 300 {
			require.Equal(t, polite.ReasonRule, conduct.Decide(t, one, "/private").Reason)
			time.Sleep(10 * time.Second)
		}
	})
}

// The answer in memory is newer than the one in the Store, which is still fresh.
func TestMemoryIsNewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store := origintest.NewInMemory(t), &switched{Store: new(memstore.Entries)}
		web.Robots("example.com", conduct.Caching("", 86400), conduct.Caching(conduct.Rules, 300))
		conduct.Decide(t, conduct.Process(t, web, store), "/")
		store.noClaim.Store(true)
		time.Sleep(time.Hour)
		one := conduct.Process(t, web, store)
		require.False(t, conduct.Decide(t, one, "/private").Allowed)
		store.noClaim.Store(false)
		for range 100 {
			time.Sleep(10 * time.Second)
			require.False(t, conduct.Decide(t, one, "/private").Allowed)
		}
	})
}

// The Store has that there is no file, and memory has newer rules. Then a refresh fails. It
// does not make the older answer look newer than it is.
func TestOldAnswerStaysOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, store := origintest.NewInMemory(t), &switched{Store: new(memstore.Entries)}
		web.Robots("example.com", origintest.Status(404), origintest.Text(conduct.Rules), origintest.Status(503))
		conduct.Decide(t, conduct.Process(t, web, store), "/")
		time.Sleep(23 * time.Hour)
		store.noClaim.Store(true)
		one := conduct.Process(t, web, store)
		require.False(t, conduct.Decide(t, one, "/private").Allowed)
		store.noClaim.Store(false)
		time.Sleep(23 * time.Hour)
		assert.False(t, conduct.Decide(t, one, "/private").Allowed)
		time.Sleep(2 * time.Minute)
		assert.Len(t, web.Log().Robots(), 3)
		assert.False(t, conduct.Decide(t, conduct.Process(t, web, store), "/private").Allowed)
	})
}

// A process that has not asked a failing site for a while goes on where the others are.
func TestBackoffIsShared(t *testing.T) {
	for _, first := range []http.HandlerFunc{origintest.Status(503), origintest.Text(conduct.Rules), origintest.Status(404)} {
		synctest.Test(t, func(t *testing.T) {
			web, store := origintest.NewInMemory(t), new(memstore.Entries)
			web.Robots("example.com", first, origintest.Status(503))
			one, other := conduct.Process(t, web, store), conduct.Process(t, web, store)
			conduct.Decide(t, one, "/")
			time.Sleep(24*time.Hour - time.Minute)
			for range 60 {
				conduct.Decide(t, one, "/")
				time.Sleep(time.Second)
				conduct.Decide(t, other, "/")
				time.Sleep(time.Second)
			}
			for range 3 * 60 {
				conduct.Decide(t, one, "/")
				time.Sleep(time.Minute)
			}
			time.Sleep(2 * time.Hour)
			web.Take()
			for range 60 {
				conduct.Decide(t, other, "/")
				time.Sleep(time.Minute)
			}
			assert.LessOrEqual(t, len(web.Log().Robots()), 2, "not again after a minute")
		})
	}
}

// A site that is down is not asked more often because processes begin.
func TestBackoffAcrossRestarts(t *testing.T) {
	for _, down := range []http.HandlerFunc{origintest.Status(503), origintest.Status(429, "Retry-After", "3600"), origintest.Hang} {
		synctest.Test(t, func(t *testing.T) {
			web, store := origintest.NewInMemory(t), new(memstore.Entries)
			web.Robots("example.com", down)
			for range 6 * 60 * 5 {
				assert.False(t, conduct.Decide(t, conduct.Process(t, web, store), "/").Allowed)
				time.Sleep(10 * time.Second)
			}
			least := 45 * time.Second
			for _, gap := range conduct.Gaps(web.Log().Robots()) {
				assert.GreaterOrEqual(t, gap, least)
				least = min(2*least, 45*time.Minute)
			}
		})
	}
}

// A record from the future is confirmed by a 304 that says nothing of its age. It is
// confirmed once, also if the Store fails after the first calls, or if all its records are
// from the future.
func TestDoubtedRecordIsConfirmedOnce(t *testing.T) {
	for _, calls := range []int64{0, 1, 2} {
		synctest.Test(t, func(t *testing.T) {
			web, store := origintest.NewInMemory(t), new(memstore.Entries)
			site := &lively{version: 1}
			web.Robots("example.com", site.ServeHTTP)
			first := conduct.Process(t, web, store)
			first.Policy.Timeout = time.Minute
			conduct.Decide(t, first, "/")
			web.Take()
			transport := conduct.Process(t, web, &switched{Store: ages{store, -time.Hour}, most: calls})
			transport.Policy.Timeout = time.Minute
			for range 30 {
				conduct.Decide(t, transport, "/")
				time.Sleep(2 * time.Second)
			}
			assert.Len(t, web.Log().Robots(), 1)
		})
	}
}

// put puts r as the record of example.com.
func put(t testing.TB, store store.Store, r *entry.Entry) {
	const key = "examplebot http://example.com"
	c, err := store.Claim(t.Context(), key, "", time.Minute)
	require.NoError(t, err)
	require.NoError(t, store.Put(t.Context(), key, c.Token, r.Encode(key), 1000*time.Hour))
}

// A record never allows what the site would not, if it were asked: here it is down.
func TestOddRecordsAllowNothing(t *testing.T) {
	body := []byte("user-agent: *\nallow: /\n")
	old := entry.Answer{Status: 404, Since: 25 * time.Hour, MaxAge: -1}
	tests := map[string]*entry.Entry{
		"no status":              {Answer: &entry.Answer{Status: 0, MaxAge: -1, Body: body}},
		"100":                    {Answer: &entry.Answer{Status: 100, MaxAge: -1, Body: body}},
		"302":                    {Answer: &entry.Answer{Status: 302, MaxAge: -1, Body: body}},
		"304":                    {Answer: &entry.Answer{Status: 304, MaxAge: -1, Body: body}},
		"407":                    {Answer: &entry.Answer{Status: 407, MaxAge: -1, Body: body}},
		"429":                    {Answer: &entry.Answer{Status: 429, MaxAge: -1, Body: body}},
		"503":                    {Answer: &entry.Answer{Status: 503, MaxAge: -1, Body: body}},
		"999":                    {Answer: &entry.Answer{Status: 999, MaxAge: -1, Body: body}},
		"redirects of no status": {Answer: &entry.Answer{TooManyRedirects: true, MaxAge: -1, Body: body}},
		"fresh for ever":         {Answer: &entry.Answer{Status: 404, Since: 25 * time.Hour, MaxAge: math.MaxInt64}},
		"endless age":            {Answer: &entry.Answer{Status: 404, Since: math.MaxInt64, MaxAge: math.MaxInt64}},
		"endless failure":        {Answer: &old, Failure: &entry.Failure{Since: math.MaxInt64, Tries: math.MaxInt, RetryAfter: math.MaxInt64}},
		"failure with no tries":  {Answer: &old, Failure: &entry.Failure{Since: 24 * time.Hour, Tries: -5, RetryAfter: -1, Status: 503}},
		"failure of the future":  {Failure: &entry.Failure{Since: -5}},
	}
	for name, r := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web, store := origintest.NewInMemory(t), new(memstore.Entries)
				web.Robots("example.com", origintest.Status(503))
				put(t, store, r)
				for range 3 {
					d := conduct.Decide(t, conduct.Process(t, web, store), "/")
					assert.False(t, d.Allowed, "%+v", d)
				}
				assert.LessOrEqual(t, len(web.Log().Robots()), 1)
			})
		})
	}
}
