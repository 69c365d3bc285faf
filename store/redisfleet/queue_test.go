package redisfleet_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/redis/rueidis"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inQueue returns an Ask for the only slot.
func inQueue(token string) store.Ask {
	return store.Ask{Token: token, Slots: 1, Lease: lease, Queue: true}
}

// A slot is not kept for a token whose process is gone: the next in the queue has it at once, and hears of it.
func TestQueuePassesOverWhoIsGone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		start    func(t *testing.T) []*server
		channels string
	}{
		"alone":   {func(t *testing.T) []*server { return []*server{startServer(t)} }, "PUBSUB CHANNELS test:*:beat:*"},
		"cluster": {func(t *testing.T) []*server { return startCluster(t).nodes }, "PUBSUB SHARDCHANNELS test:*:beat:*"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nodes := test.start(t)
			url := nodes[0].url()
			first, gone, next := open(t, url, redisfleet.Options{}), open(t, url, redisfleet.Options{}), open(t, url, redisfleet.Options{})
			watch(t, gone).zero(t)
			w := watch(t, next)
			w.zero(t)
			require.True(t, takes(t, first, lane, inQueue("a")).Slot)
			require.True(t, takes(t, gone, lane, inQueue("b")).Queued)
			require.True(t, takes(t, next, lane, inQueue("c")).Queued)
			gone.Close()
			eventually(t, "the server has noticed it", func() bool {
				heard := 0
				for _, node := range nodes {
					reply := do(t, node.client(), test.channels)
					channels, _ := reply.AsStrSlice()
					heard += len(channels)
				}
				return heard == 1
			})
			require.NoError(t, first.Done(t.Context(), lane, "a", false))
			require.True(t, takes(t, next, lane, inQueue("c")).Slot)
			var told []store.Change
			eventually(t, "it is called", func() bool { // there may be beats from before
				told = append(told, w.zero(t)...)
				return len(told) > 0
			})
			assert.Equal(t, []store.Change{{Lane: lane, Token: "c"}}, told)
		})
	}
}

// A slot is kept for a process that hears nothing: it asks again by itself.
func TestQueueOfWhoHearsNothing(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, _ rueidis.Client, f *redisfleet.Fleet) {
		require.True(t, takes(t, f, lane, inQueue("a")).Slot)
		for _, token := range []string{"b", "c"} {
			grant := takes(t, f, lane, inQueue(token))
			require.True(t, grant.Queued && grant.Busy)
			near(t, lease, grant.Lease)
		}
		require.NoError(t, f.Done(t.Context(), lane, "a", false))
		require.True(t, takes(t, f, lane, inQueue("c")).Queued)
		require.True(t, takes(t, f, lane, inQueue("b")).Slot)
	})
}

// A viewer reads a lane with a queue.
func TestViewOfAQueue(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	f := open(t, s.url(), redisfleet.Options{})
	ask := inQueue("a")
	ask.Gap, ask.Slack = time.Second, time.Second
	takes(t, f, lane, ask)
	for _, token := range []string{"b", "c"} {
		require.True(t, takes(t, f, lane, inQueue(token)).Queued)
	}
	lanes := lanesOf(t, sees(t, s.url()))
	require.Len(t, lanes, 1)
	assert.False(t, lanes[lane].Damaged)
	assert.Len(t, lanes[lane].Slots, 1)
	assert.Equal(t, 2, lanes[lane].Queue)
	near(t, 2*time.Second, lanes[lane].Wait)
}

// What is no queue harms nobody.
func TestQueueIsDamaged(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c rueidis.Client, f *redisfleet.Fleet) {
		for _, token := range []string{"a", "b"} {
			takes(t, f, lane, inQueue(token))
		}
		text, err := c.Do(t.Context(), c.B().Get().Key(laneKey(lane)).Build()).ToString()
		require.NoError(t, err)
		for _, damaged := range []string{
			text[:22] + "\xff\xff\xff\xff\xff\xff\xff" + text[29:],                        // how many wait
			text[:52] + strings.Repeat("\xff", 21) + text[73:],                            // the numbers of who waits
			strings.Replace(text, strings.Repeat("-", 26), strings.Repeat("\x00", 26), 1), // its channel
			text[:44] + text[44:99] + text[44:99] + text[99:],                             // one more than is said
		} {
			require.NoError(t, c.Do(t.Context(), c.B().Set().Key(laneKey(lane)).Value(damaged).Build()).Error())
			require.NoError(t, f.Done(t.Context(), lane, "a", false))
			require.NoError(t, f.Done(t.Context(), lane, "b", false))
			require.True(t, takes(t, f, lane, inQueue("c")).Slot)
			require.NoError(t, f.Done(t.Context(), lane, "c", false))
		}
	})
}

// While the server is full, tokens that could not wait in the queue take no memory.
func TestFailedTakesTakeNoMemory(t *testing.T) {
	s := startServer(t)
	f := open(t, s.url(), redisfleet.Options{})
	do(t, s.client(), "CONFIG SET maxmemory 1")
	before := heap()
	for i := range 20_000 {
		_, err := f.Take(t.Context(), lane, inQueue(strconv.Itoa(i)))
		require.Error(t, err)
	}
	assert.Less(t, heap()-before, int64(1<<20))
}

// heap returns how many bytes are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
