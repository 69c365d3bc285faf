package lanes

import (
	"math/rand/v2"
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

// Requests that miss their starts, since they connect too slowly, do not take those of
// others from them: they hold no slot while they wait for another start.
func TestMissedStartsOfMany(t *testing.T) {
	const processes, each, gap = 8, 5, 500 * time.Millisecond
	for seed := range uint64(4) {
		synctest.Test(t, func(t *testing.T) {
			web, turns := origintest.NewInMemory(t), new(memstore.Turns)
			web.Robots("example.com", conduct.Delayed(gap.Seconds()))
			random := rand.New(rand.NewPCG(seed, 1))
			dials := &conduct.Connects{Takes: func() time.Duration { return time.Duration(random.Int64N(300)) * time.Millisecond }}
			var all sync.WaitGroup
			for range processes {
				base := web.Transport(t)
				base.DisableKeepAlives = true
				dials.Slowing(base)
				transport := conduct.Sharing(t, web, turns)
				transport.Base, transport.Pace.Concurrency = base, 1
				for range each {
					all.Go(func() {
						assert.NoError(t, conduct.Visit(t.Context(), conduct.Client(transport), "http://example.com/"))
					})
				}
			}
			all.Wait()
			pages := web.Log().Pages()
			require.Len(t, pages, processes*each)
			for _, apart := range conduct.Gaps(pages) {
				assert.GreaterOrEqual(t, apart, gap)
			}
			assert.Less(t, pages[len(pages)-1].Time.Sub(pages[0].Time), gap*processes*each*5/4)
		})
	}
}

// While few requests have told how long they take to connect, one that takes twice as long
// does not miss its start.
func TestFirstStartsAreNotMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, lanes := origintest.NewInMemory(t), new(memstore.Turns)
		web.Robots("example.com", conduct.Delayed(10))
		base := web.Transport(t)
		base.DisableKeepAlives = true
		dials := &conduct.Connects{Takes: conduct.InTurn(500*time.Millisecond, time.Second)}
		dials.Slowing(base)
		transport := conduct.Sharing(t, web, lanes)
		transport.Base = base
		conduct.Know(t, transport, "example.com")
		grant, err := lanes.Take(t.Context(), "origin http://example.com", store.Ask{Token: "another", Gap: 10 * time.Second})
		require.NoError(t, err)
		start := time.Now().Add(grant.Wait + 10*time.Second)
		_, err = conduct.Get(conduct.Client(transport), "http://example.com/")
		require.NoError(t, err)
		assert.WithinDuration(t, start, web.Log().Pages()[0].Time, 20*time.Millisecond)
	})
}

// Who has missed a start has a slot when the next one comes, and keeps it for as long as the
// page takes.
func TestMissedStartHasSlot(t *testing.T) {
	const long = 25 * time.Second
	synctest.Test(t, func(t *testing.T) {
		web, turns := origintest.NewInMemory(t), new(memstore.Turns)
		web.Robots("example.com", conduct.Delayed(0.1))
		web.Page("example.com", "/", origintest.Delay(long, origintest.Text("a page\n")))
		var all sync.WaitGroup
		for range 3 {
			base := web.Transport(t)
			base.DisableKeepAlives = true
			dials := &conduct.Connects{Takes: conduct.InTurn(0, 700*time.Millisecond)}
			dials.Slowing(base)
			transport := conduct.Sharing(t, web, turns)
			transport.Base, transport.Pace.Concurrency, transport.Policy.Timeout = base, 1, time.Minute
			conduct.Know(t, transport, "example.com")
			for range 3 {
				all.Go(func() {
					_, err := conduct.Get(conduct.Client(transport), "http://example.com/")
					assert.NoError(t, err)
				})
			}
		}
		all.Wait()
		pages := web.Log().Pages()
		assert.Len(t, pages, 9)
		for _, apart := range conduct.Gaps(pages) {
			assert.GreaterOrEqual(t, apart, long)
		}
	})
}
