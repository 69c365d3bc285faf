package robots

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
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
	"github.com/go-polite/polite/store/boltstore"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A busyWeb answers each page with a 429: what is honest wants a break of an hour, and all
// others one of a day.
type busyWeb struct{ honest atomic.Int64 }

func (w *busyWeb) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Path == "/robots.txt" {
		return origintest.Response(req, 404, ""), nil
	}
	if strings.HasPrefix(req.URL.Host, "honest") {
		w.honest.Add(1)
		return origintest.Response(req, 429, "", "Retry-After", "3600"), nil
	}
	return origintest.Response(req, 429, "", "Retry-After", "86400"), nil
}

// crowd are the hosts of those who are hostile.
var crowd = map[string]func(i int) string{
	"a domain":          func(i int) string { return fmt.Sprintf("%d.hostile.example", i) },
	"a national one":    func(i int) string { return fmt.Sprintf("%d.hostile.co.uk", i) },
	"ports":             func(i int) string { return fmt.Sprintf("hostile.example:%d", i+1) },
	"a network":         func(i int) string { return fmt.Sprintf("[2001:db8::%x:%x]", i>>8, i&255) },
	"IPv4 addresses":    func(i int) string { return fmt.Sprintf("10.9.%d.%d", i>>8, i&255) },
	"their own domains": func(i int) string { return fmt.Sprintf("hostile%d.example", i) },
}

func visitAll(t *testing.T, client *http.Client, n int, host func(int) string) {
	for i := range n {
		if _, err := conduct.Get(client, "http://"+host(i)+"/"); err != nil {
			require.ErrorIs(t, err, polite.ErrRefused)
		}
	}
}

// A crowd of hostile hosts does not push out the break of an honest one, which came before
// them.
func TestCrowdDoesNotPushOutABreak(t *testing.T) {
	long.NotShort(t)
	for name, host := range crowd {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := new(busyWeb)
				client := &http.Client{Transport: &polite.Transport{
					UserAgent: conduct.UserAgent, Base: web, Pace: polite.Pace{MaxWait: time.Second}, Cache: &polite.Cache{MaxBytes: long.Or[int64](1, 4) << 20},
				}}
				visitAll(t, client, 1, func(int) string { return "honest.example" })
				visitAll(t, client, long.Or(2000, 8000), host)
				time.Sleep(time.Hour - time.Second - time.Millisecond)
				_, err := conduct.Get(client, "http://honest.example/")
				assert.ErrorIs(t, err, polite.ErrDelayed)
				assert.EqualValues(t, 1, web.honest.Load())
			})
		})
	}
}

// A site that comes after a hostile domain has its break kept, too.
func TestCrowdThatCameFirst(t *testing.T) {
	long.NotShort(t)
	synctest.Test(t, func(t *testing.T) {
		web := new(busyWeb)
		client := &http.Client{Transport: &polite.Transport{
			UserAgent: conduct.UserAgent, Base: web, Pace: polite.Pace{MaxWait: time.Second}, Cache: &polite.Cache{MaxBytes: 4 << 20},
		}}
		visitAll(t, client, 4000, crowd["a domain"])
		honest := func(i int) string { return fmt.Sprintf("honest%d.example", i) }
		visitAll(t, client, 100, honest)
		visitAll(t, client, 4000, func(i int) string { return "more" + crowd["a domain"](i) })
		visitAll(t, client, 100, honest)
		assert.EqualValues(t, 100, web.honest.Load())
	})
}

// Breaks that memory has forgotten are asked of Turns, until they are over.
func TestForgottenBreakIsAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, turns := new(busyWeb), &asked{Turns: new(memstore.Turns)}
		transport := &polite.Transport{
			UserAgent: conduct.UserAgent, Base: web, Pace: polite.Pace{MaxWait: time.Second}, Cache: &polite.Cache{MaxBytes: 1, Turns: turns},
		}
		t.Cleanup(transport.CloseIdleConnections)
		client := &http.Client{Transport: transport}
		honest := func(i int) string { return fmt.Sprintf("honest%d.example", i) } // too many to keep
		visitAll(t, client, 2000, honest)
		visitAll(t, client, 2000, honest)
		assert.EqualValues(t, 2000, web.honest.Load())
		time.Sleep(time.Hour)
		visitAll(t, client, 1, honest)
		time.Sleep(time.Second) // until Turns are heard again
		turns.off.Store(true)   // only what is not known is asked for
		for i := range 20 {
			_, err := conduct.Get(client, fmt.Sprintf("http://%d.example/", i))
			assert.NoError(t, err, "what was forgotten is over")
		}
	})
}

// asked are Turns that can be away for who asks for nothing but a break.
type asked struct {
	store.Turns
	off atomic.Bool
}

var errAway = errors.New("away")

func (a *asked) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	if a.off.Load() {
		return store.Grant{}, errAway
	}
	return a.Turns.Take(ctx, lane, ask)
}

// What a store has of breaks is counted where it is kept: in the Cache and in the store.
func TestStoredBreaksAreCounted(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures the heap of many breaks")
	}
	path, breaks := filepath.Join(t.TempDir(), "cache"), long.Or(20_000, 200_000)
	kept, err := boltstore.Open(path, boltstore.Options{})
	require.NoError(t, err)
	var all sync.WaitGroup
	for i := range breaks {
		all.Go(func() {
			assert.NoError(t, kept.Break(t.Context(), fmt.Sprintf("origin http://%d.hostile.example", i), 24*time.Hour))
		})
	}
	all.Wait()
	require.NoError(t, kept.Close())
	synctest.Test(t, func(t *testing.T) {
		before := conduct.Heap()
		kept, err := boltstore.Open(path, boltstore.Options{})
		require.NoError(t, err)
		defer kept.Close()
		cache := &polite.Cache{Store: kept}
		client := &http.Client{Transport: &polite.Transport{UserAgent: conduct.UserAgent, Base: new(busyWeb), Cache: cache}}
		visitAll(t, client, 1, func(int) string { return "example.com" })
		time.Sleep(time.Second) // until all breaks are told
		grown, counted := conduct.Heap()-before, cache.Stats().Bytes+kept.Stats().TurnsBytes
		t.Logf("%d KB on the heap, %d KB counted in the Cache, %+v", grown>>10, cache.Stats().Bytes>>10, kept.Stats())
		assert.LessOrEqual(t, grown, counted*5/4)
		assert.LessOrEqual(t, kept.Stats().TurnsBytes, int64(16<<20))
		runtime.KeepAlive(client)
	})
}
