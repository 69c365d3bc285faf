package lanes

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// deaf is Turns that nobody can listen to.
type deaf struct{ store.Turns }

func (deaf) Watch(context.Context, func(store.Change)) error { return conduct.ErrOff }

// A break begins elsewhere while a start is reserved. Also a process that does not hear of it
// keeps it.
func TestBreakAfterReservation(t *testing.T) {
	for _, hears := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			const lane = "origin http://example.com"
			web, lanes := origintest.NewInMemory(t), new(memstore.Turns)
			web.Robots("example.com", conduct.Delayed(10))
			transport := conduct.Sharing(t, web, lanes)
			if !hears {
				transport = conduct.Sharing(t, web, deaf{lanes})
			}
			_, err := lanes.Take(t.Context(), lane, store.Ask{Token: "of another", Gap: 10 * time.Second})
			require.NoError(t, err)
			time.AfterFunc(5*time.Second, func() { assert.NoError(t, lanes.Break(t.Context(), lane, time.Minute)) })
			start := time.Now()
			_, err = conduct.Get(conduct.Client(transport), "http://example.com/")
			require.NoError(t, err)
			assert.Equal(t, 65*time.Second, time.Since(start))
		})
	}
}

// flaky is a Store and Turns that are slow, and fail now and then.
type flaky struct {
	memstore.Entries
	memstore.Turns
	mu     sync.Mutex
	random *rand.Rand
}

func (f *flaky) fails(ctx context.Context) error {
	f.mu.Lock()
	wait, fails := time.Duration(f.random.IntN(60))*time.Millisecond, f.random.IntN(25) == 0
	f.mu.Unlock()
	if !origintest.Wait(ctx, wait) {
		return ctx.Err()
	}
	if fails {
		return conduct.ErrOff
	}
	return nil
}

func (f *flaky) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	if err := f.fails(ctx); err != nil {
		return store.Claim{}, err
	}
	return f.Entries.Claim(ctx, key, seen, lease)
}

func (f *flaky) Put(ctx context.Context, key, token string, record []byte, keep time.Duration) error {
	if err := f.fails(ctx); err != nil {
		return err
	}
	return f.Entries.Put(ctx, key, token, record, keep)
}

func (f *flaky) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	if err := f.fails(ctx); err != nil {
		return store.Grant{}, err
	}
	return f.Turns.Take(ctx, lane, ask)
}

func (f *flaky) Watch(ctx context.Context, tell func(store.Change)) error {
	ctx, cancel := context.WithTimeout(ctx, 11*time.Second)
	defer cancel()
	return f.Turns.Watch(ctx, tell)
}

// Processes with several Transports, whose requests are cancelled at any time. In the end
// no goroutine is left: the bubble sees to this.
func TestUnrulyFleet(t *testing.T) {
	for seed := range uint64(4) {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("a.example", conduct.Caching("user-agent: *\ncrawl-delay: 1\ndisallow: /private\n", 300))
			web.Robots("b.example", origintest.Status(503), conduct.Caching(conduct.Rules, 300))
			web.Robots("c.example", origintest.Hang, conduct.Caching(conduct.Rules, 300))
			web.Page("a.example", "/busy", origintest.Status(429, "Retry-After", "7"))
			engine := &flaky{random: rand.New(rand.NewPCG(seed, 0))}
			var all sync.WaitGroup
			for range 4 {
				cache := &polite.Cache{Store: engine, MaxFetches: 2}
				for i, pace := range []polite.Pace{
					{Jitter: 0.2}, {MinDelay: time.Second / 3}, {Backoff: polite.Backoff{Off: true}}, {MaxWait: 5 * time.Second, Concurrency: 1},
				} {
					transport := conduct.NewTransport(t, web)
					transport.Cache, transport.Pace = cache, pace
					t.Cleanup(transport.CloseIdleConnections)
					for j := range 3 {
						all.Go(func() { wander(t, conduct.Client(transport), rand.New(rand.NewPCG(seed, uint64(10*i+j)))) })
					}
				}
			}
			all.Wait()
			for _, arrival := range web.Log() {
				assert.NotEqual(t, "/private", arrival.URI)
			}
			pages := web.Log().At("a.example").Pages()
			require.Greater(t, len(pages), 20)
			for i, gap := range conduct.Gaps(pages) {
				assert.GreaterOrEqual(t, gap, time.Second)
				if pages[i].URI == "/busy" {
					assert.GreaterOrEqual(t, gap, 7*time.Second)
				}
			}
		})
	}
}

// wander asks for pages, and gives up now and then.
func wander(t *testing.T, c *http.Client, random *rand.Rand) {
	hosts, paths := []string{"a", "b", "c"}, []string{"/", "/", "/", "/", "/", "/private", "/busy"}
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(8000))*time.Millisecond)
		url := "http://" + hosts[random.IntN(3)] + ".example" + paths[random.IntN(7)]
		conduct.Visit(ctx, c, url)
		cancel()
		time.Sleep(time.Duration(random.IntN(20_000)) * time.Millisecond)
	}
}
