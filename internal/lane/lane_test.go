package lane_test

import (
	"context"
	"errors"
	"hash/maphash"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newPacer() *lane.Lanes[int] {
	return lane.New(1<<20, lane.Keys[int]{
		Own: func(key int) int { return key }, Size: func(int) int { return 0 }, Name: strconv.Itoa,
		Hash: func(key int, seed maphash.Seed) uint64 { return maphash.Comparable(seed, key) },
	})
}

// Keys that no one waits for are forgotten, and take no memory, also when only
// requests without limits come.
func TestForget(t *testing.T) {
	long.NotShort(t)
	synctest.Test(t, func(t *testing.T) {
		const keys = 100_000
		p := newPacer()
		rule := lane.Terms{Gap: time.Second, Slots: 1, MaxQueue: 1}
		before := heap()
		for i := range keys {
			turn, err := p.Take(t.Context(), i, rule)
			require.NoError(t, err)
			send(t, turn)
		}
		assert.Equal(t, keys, p.Keys())
		t.Logf("%d bytes for a key", (heap()-before)/keys)
		assert.Less(t, (heap()-before)/keys, int64(540))
		for range 200 {
			time.Sleep(time.Second) // on the bubble's clock
			pass, _ := p.Begin(0, lane.Terms{}, lane.Arrival{At: 1})
			pass.Done()
		}
		assert.Zero(t, p.Keys())
		assert.Less(t, (heap()-before)/keys, int64(5))
		runtime.KeepAlive(p)
	})
}

// send lets a request be written, and end.
func send(t *testing.T, turn *lane.Ticket) {
	require.NoError(t, turn.Connected(t.Context(), false))
	turn.Done()
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// Who can wait for a slot but no longer than his limit is told when that ends.
func TestMaxWaitForSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer()
		rule := lane.Terms{Slots: 1, MaxWait: time.Second, MaxQueue: 10}
		turn, err := p.Take(t.Context(), 1, rule)
		require.NoError(t, err)
		start := time.Now()
		_, err = p.Take(t.Context(), 1, rule)
		assert.ErrorContains(t, err, "all turns are taken")
		assert.Equal(t, time.Second, time.Since(start))
		turn.Done()
		turn.Done()
		for range 3 {
			turn, err = p.Take(t.Context(), 1, rule)
			require.NoError(t, err)
			turn.Done()
		}
	})
}

// However tickets join, leave and change, a request is told when its turn comes if no other leaves any
// more.
func TestLineTellsTheTurn(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			rule := func() lane.Terms {
				return lane.Terms{Gap: time.Duration(random.IntN(5)) * time.Second, MaxQueue: 100}
			}
			p := newPacer()
			p.Take(t.Context(), 1, lane.Terms{Gap: time.Minute})
			var places []*lane.Ticket
			for range 50 {
				switch i := random.IntN(4); {
				case i == 0 && len(places) > 0:
					i := random.IntN(len(places))
					places[i].Leave()
					places = slices.Delete(places, i, i+1)
				case i == 1 && len(places) > 0:
					places[random.IntN(len(places))].Update(rule())
				default:
					place, err := p.Join(t.Context(), 1, rule())
					require.NoError(t, err)
					places = append(places, place)
				}
			}
			last := rule()
			told, _ := p.Next(1, last)
			place, err := p.Join(t.Context(), 1, last)
			require.NoError(t, err)
			for _, place := range append(places, place) {
				step, err := place.Wait(t.Context(), nil, 0)
				require.Equal(t, lane.Connect, step)
				require.NoError(t, err)
				ok := place.Connect(nil)
				require.True(t, ok)
			}
			assert.Equal(t, told, time.Now())
		})
	}
}

// After a break one goes first. The others follow its answer, more with each that
// is good, and one again after one that is not.
func TestRecovery(t *testing.T) {
	const crowd, takes = 1000, 100 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		p := newPacer()
		start := time.Now()
		p.Break(1, start.Add(time.Hour))
		begun := make(map[time.Duration]int)
		var mu sync.Mutex
		var waiting sync.WaitGroup
		for range crowd {
			waiting.Go(func() {
				turn, err := p.Take(t.Context(), 1, lane.Terms{MaxQueue: crowd})
				assert.NoError(t, err)
				now := time.Since(start) - time.Hour
				mu.Lock()
				begun[now]++
				bad := now == 10*takes && begun[now] == 1
				mu.Unlock()
				time.Sleep(takes) // on the bubble's clock
				if bad {
					turn.Answered(lane.Answer{Kind: limit.Busy, Answered: true})
				} else {
					turn.Answered(lane.Answer{Kind: limit.Good, Answered: true})
				}
				turn.Done()
			})
		}
		waiting.Wait()
		for round := range time.Duration(11) {
			assert.Equal(t, int(round)+1, begun[round*takes], "round %d", round)
		}
		setback := 11*takes + time.Second
		for round := range time.Duration(10) {
			assert.Equal(t, int(round)+1, begun[setback+round*takes], "round %d after the setback", round)
		}
		all := 0
		for _, n := range begun {
			all += n
		}
		assert.Equal(t, crowd, all)
	})
}

// A request whose context has ended is not written, also if it ends while another start is
// reserved, and the store does not hear that.
func TestEndedAtTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, within := range []bool{false, true} {
			p, why := newPacer(), errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			next := func() lane.Start { return lane.Start{From: time.Now(), Until: time.Now().Add(time.Second)} }
			ticket, err := p.Join(ctx, 1, lane.Terms{Gap: time.Second, MaxQueue: 1, Reserved: true})
			require.NoError(t, err)
			ticket.Reserve(next())
			require.True(t, ticket.Connect(nil))
			ticket.Bind(lane.Binding{Lose: cancel})
			ticket.Keep(&lane.Reservation{
				Gap:   time.Second,
				Again: func(context.Context, time.Duration, time.Time) (lane.Start, error) { cancel(why); return next(), nil },
				End:   func(unused, _ bool) { assert.True(t, unused) },
			})
			if within {
				time.Sleep(2 * time.Second) // on the bubble's clock, until the start is missed
			} else {
				cancel(why)
			}
			assert.ErrorIs(t, ticket.Connected(ctx, false), why)
			ticket.Done()
		}
	})
}

// A refusal never says that a request can wait for less than no time.
func TestWaitIsNeverNegative(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, terms := newPacer(), lane.Terms{Gap: time.Hour, MaxQueue: 10}
		turn, err := p.Take(t.Context(), 1, terms)
		require.NoError(t, err)
		defer turn.Done()
		ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-13*time.Second))
		defer cancel()
		_, err = p.Join(ctx, 1, terms)
		assert.ErrorContains(t, err, "can only wait for 0s")
	})
}

// Of requests that come at once, the first may find the lane only after the others. It is not alone then.
func TestTheFirstOfACrowdCounts(t *testing.T) {
	terms := lane.Terms{Limit: true, Ceiling: 6, MaxQueue: 10}
	for range 1000 {
		p := newPacer()
		before, ok := p.Begin(1, terms, lane.Arrival{At: 1, Idle: time.Minute})
		require.True(t, ok)
		before.Ticket.Answered(lane.Answer{Kind: limit.Good, Answered: true})
		before.Done()
		var crowd sync.WaitGroup
		var begun atomic.Int32
		for range 6 {
			crowd.Go(func() {
				if _, ok := p.Begin(1, terms, lane.Arrival{At: 1}); ok {
					begun.Add(1)
				}
			})
		}
		crowd.Wait()
		require.LessOrEqual(t, begun.Load(), int32(3), "the window")
	}
}
