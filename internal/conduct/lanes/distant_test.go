package lanes

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
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

// fleet lets processes ask for ten pages each, a second apart. It returns how long this
// takes.
func fleet(t *testing.T, processes, slots int, turns store.Turns) time.Duration {
	web := origintest.NewInMemory(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	var all sync.WaitGroup
	start := time.Now()
	for range processes {
		transport := conduct.Sharing(t, web, turns)
		transport.Pace.Concurrency, transport.Pace.MinDelay = slots, time.Second
		c := conduct.Client(transport)
		for range 10 {
			all.Go(func() { assert.NoError(t, conduct.Visit(ctx, c, "http://example.com/")) })
		}
	}
	all.Wait()
	return time.Since(start)
}

// A start that is far away is still to come when its slot is taken, also if calls take
// longer than the first slack.
func TestDistantSlots(t *testing.T) {
	for _, way := range []time.Duration{0, 5 * time.Millisecond, 30 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			turns := &tallied{Turns: distant{new(memstore.Turns), way, way}}
			assert.Less(t, fleet(t, 4, 1, turns), 50*time.Second)
			assert.Less(t, turns.reservations.Load(), int64(100))
		})
	}
}

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

// A request that waits for a slot in a queue has its turn when the slot is free, long before the lease of another
// would end: it counts for no refusal, and nobody is told a time.
func TestLeaseOfAnotherIsNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, turns := origintest.NewInMemory(t), new(memstore.Turns)
		web.Page("example.com", "/", origintest.Delay(600*time.Millisecond, origintest.Text("a page\n")))
		var clients []*http.Client
		for range 2 {
			transport := conduct.Sharing(t, web, turns)
			transport.Pace.Concurrency, transport.Pace.MaxWait = 1, time.Second
			conduct.Know(t, transport, "example.com")
			clients = append(clients, conduct.Client(transport))
		}
		var all sync.WaitGroup
		for _, client := range clients {
			all.Go(func() { assert.NoError(t, conduct.Visit(t.Context(), client, "http://example.com/")) })
			time.Sleep(100 * time.Millisecond) // on the bubble's clock
		}
		for lane := range clients[1].Transport.(*polite.Transport).Cache.Lanes() {
			assert.Equal(t, 1, lane.Waiting)
			assert.Zero(t, lane.Next)
		}
		all.Wait()
	})
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

// slowToTell is Turns that takes long to say what is left of a break.
type slowToTell struct{ store.Turns }

func (s slowToTell) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	if ask.Gap == 0 && ask.Slots == 0 {
		time.Sleep(time.Second / 10)
	}
	return s.Turns.Take(ctx, lane, ask)
}

// A start is reserved with so much slack that there is time to ask for a break.
func TestSlowToTell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		assert.Less(t, fleet(t, 2, 0, deaf{slowToTell{new(memstore.Turns)}}), 30*time.Second)
	})
}

// Turns that grants neither a slot nor says that all are taken is not asked all the time.
func TestSlotIsNotGranted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		turns := &oracle{grant: func(store.Ask) store.Grant { return store.Grant{} }}
		transport := conduct.Sharing(t, web, turns)
		transport.Pace.Concurrency = 1
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		assert.ErrorIs(t, conduct.Visit(ctx, conduct.Client(transport), "http://example.com/"), context.DeadlineExceeded)
		assert.Less(t, turns.calls.Load(), int64(200))
		assert.Empty(t, web.Log().Pages())
	})
}

// hangsOnce is Turns that takes a second to renew slots, and once does not answer.
type hangsOnce struct {
	store.Turns
	renewals atomic.Int64
}

func (h *hangsOnce) Renew(ctx context.Context, lease time.Duration, turns map[string]string) ([]string, error) {
	if h.renewals.Add(1) == 3 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	time.Sleep(time.Second)
	return h.Turns.Renew(ctx, lease, turns)
}

// One call without an answer does not end the requests.
func TestSlotOutlivesOneHangingRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/", origintest.Delay(time.Minute, origintest.Text("")))
		transport := conduct.Sharing(t, web, &hangsOnce{Turns: new(memstore.Turns)})
		transport.Pace.Concurrency = 1
		_, err := conduct.Get(conduct.Client(transport), "http://example.com/")
		assert.NoError(t, err)
		time.Sleep(renewalEnds)
	})
}

const renewalEnds = 3 * time.Second // one may be under way when the request is done

// dying is Turns that one can listen to only until all is told.
type dying struct{ store.Turns }

func (d dying) Watch(ctx context.Context, tell func(store.Change)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return d.Turns.Watch(ctx, func(c store.Change) {
		if tell(c); c == (store.Change{}) {
			cancel()
		}
	})
}

// A Watch that ends as soon as all is told does not end what is reserved when it is used.
func TestDying(t *testing.T) {
	for _, slots := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			way := 4 * time.Millisecond
			assert.Less(t, fleet(t, 5, slots, dying{distant{new(memstore.Turns), way, way}}), time.Minute)
		})
	}
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
