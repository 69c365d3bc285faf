package lanes

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A slot that is freed is that of the first who waits, at once: also if it is freed before the answer is here that
// the request has to wait.
func TestSlotIsHandedOn(t *testing.T) {
	for _, back := range []time.Duration{0, 300 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			web, turns := origintest.NewInMemory(t), new(memstore.Turns)
			web.Page("example.com", "/", origintest.Delay(200*time.Millisecond, origintest.Text("a page\n")))
			var clients []*http.Client
			for range 2 {
				transport := conduct.Sharing(t, web, distant{turns, 0, back})
				transport.Pace.Concurrency = 1
				conduct.Know(t, transport, "example.com")
				clients = append(clients, conduct.Client(transport))
			}
			time.Sleep(3 * time.Second) // they hear of calls
			var all sync.WaitGroup
			start := time.Now()
			for i, client := range clients {
				all.Go(func() {
					time.Sleep(time.Duration(i) * (back + 100*time.Millisecond)) // while the page of the first is under way
					assert.NoError(t, conduct.Visit(t.Context(), client, "http://example.com/"))
				})
			}
			all.Wait()
			assert.Less(t, time.Since(start), 2*time.Second)
		})
	}
}

// After a break, a request that does not go first keeps no place in the queue: the one that does may need the slot.
func TestWhoDoesNotGoFirstLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lane = "origin http://example.com"
		web, turns := origintest.NewInMemory(t), new(memstore.Turns)
		transport := conduct.Sharing(t, web, turns)
		transport.Pace.Concurrency = 1
		conduct.Know(t, transport, "example.com")
		takes := func(lane, token string) (taken bool) {
			grant, err := turns.Take(t.Context(), lane, store.Ask{Token: token, Slots: 1, Lease: time.Minute})
			require.NoError(t, err)
			return grant.Slot
		}
		require.True(t, takes(lane, "other"))
		ctx, stop := context.WithCancel(t.Context())
		var visit sync.WaitGroup
		visit.Go(func() { conduct.Visit(ctx, conduct.Client(transport), "http://example.com/") })
		time.Sleep(time.Second)
		require.True(t, takes("first "+lane, "other"))
		require.NoError(t, turns.Break(t.Context(), lane, 10*time.Second))
		time.Sleep(11 * time.Second)
		require.NoError(t, turns.Done(t.Context(), lane, "other", false))
		assert.True(t, takes(lane, "first"))
		stop()
		visit.Wait()
	})
}

// A process that stands still after the last check may write a request too late. This
// is counted.
func TestOverdue(t *testing.T) {
	for _, c := range []struct {
		long time.Duration
		want uint64
	}{{0, 0}, {4 * time.Millisecond, 0}, {time.Second, 3}} {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			transport := conduct.Sharing(t, web, new(memstore.Turns))
			transport.Pace.MinDelay = time.Second
			transport.Base = origintest.Standstill{Base: transport.Base, Long: c.long}
			for range 3 {
				require.NoError(t, conduct.Visit(t.Context(), conduct.Client(transport), "http://example.com/"))
			}
			assert.Equal(t, c.want, transport.Cache.Health().Overdue)
		})
	}
}
