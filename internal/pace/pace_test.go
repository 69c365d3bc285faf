package pace_test

import (
	"context"
	"errors"
	"io"
	"math"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/pace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Keys that no one waits for are forgotten, and take no memory.
func TestForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const keys = 100_000
		var p pace.Pacer[int]
		rule := pace.Rule{Gap: time.Second, Slots: 1, MaxQueue: 1}
		before := heap()
		for i := range keys {
			turn, err := p.Take(t.Context(), i, rule)
			require.NoError(t, err)
			turn.Done()
		}
		assert.Equal(t, keys, p.Keys())
		t.Logf("%d bytes for a key", (heap()-before)/keys)
		assert.Less(t, (heap()-before)/keys, int64(500))
		time.Sleep(2 * time.Minute) // on the bubble's clock
		for i := range 2*keys + 64 {
			p.Take(t.Context(), keys+i, rule)
			if p.Keys() < keys {
				break
			}
		}
		assert.Less(t, p.Keys(), 100_000, "forgotten as others come")
		runtime.KeepAlive(&p)
	})
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func TestNoLimitCostsNothing(t *testing.T) {
	var p pace.Pacer[int]
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		turn, err := p.Take(t.Context(), 1, pace.Rule{MaxQueue: 1})
		if err != nil || turn.Limited() {
			t.Error(err)
		}
		turn.Done()
	}))
	assert.Zero(t, p.Keys())
}

// Who can wait for a slot but no longer than his limit is told when that ends.
func TestMaxWaitForSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pace.Pacer[int]
		rule := pace.Rule{Slots: 1, MaxWait: time.Second, MaxQueue: 10}
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

// When the first in the queue is refused because the server has slowed down, the
// next is not forgotten.
func TestLearnWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pace.Pacer[int]
		rule := pace.Rule{MaxQueue: 10, Adapt: pace.Adapt{Factor: 10, Max: time.Minute}}
		_, err := p.Take(t.Context(), 1, rule)
		require.NoError(t, err)
		p.Learn(1, time.Second, false)
		start := time.Now()
		var waiting sync.WaitGroup
		waiting.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
			defer cancel()
			_, err := p.Take(ctx, 1, rule)
			assert.ErrorAs(t, err, new(*pace.LateError))
			assert.Zero(t, time.Since(start))
		})
		synctest.Wait()
		waiting.Go(func() {
			_, err := p.Take(t.Context(), 1, rule)
			assert.NoError(t, err)
			assert.Equal(t, 20*time.Second, time.Since(start))
		})
		synctest.Wait()
		p.Learn(1, time.Second, true)
		waiting.Wait()
	})
}

// With different gaps in one queue, the turn that is told is the one that comes.
func TestMixedRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pace.Pacer[int]
		start := time.Now()
		var waiting sync.WaitGroup
		for _, gap := range []time.Duration{0, 30, 0, 0, 5, 5, 60, 0, 1} {
			rule := pace.Rule{Gap: gap * time.Second, MaxQueue: 10, Slots: 100}
			turn, _ := p.Next(1, rule)
			waiting.Go(func() {
				_, err := p.Take(t.Context(), 1, rule)
				assert.NoError(t, err)
				assert.Equal(t, turn.Sub(start), time.Since(start))
			})
			synctest.Wait()
		}
		waiting.Wait()
		assert.Equal(t, (30+30+5+5+60+60+1)*time.Second, time.Since(start))
	})
}

func TestOddRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pace.Pacer[int]
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := p.Take(ctx, 1, pace.Rule{Gap: time.Second, MaxQueue: 1})
		assert.ErrorIs(t, err, context.Canceled)
		_, err = p.Take(t.Context(), 1, pace.Rule{Gap: time.Second, MaxQueue: 1})
		assert.NoError(t, err, "who has left takes no turn")

		p.Learn(1, time.Second, false)
		for _, test := range []struct {
			adapt pace.Adapt
			want  time.Duration
		}{
			{pace.Adapt{Factor: 1e30, Max: time.Minute}, time.Minute},
			{pace.Adapt{Factor: math.Inf(1), Max: time.Minute}, time.Minute},
			{pace.Adapt{Factor: 1, Min: 2 * time.Minute, Max: time.Minute}, 2 * time.Minute},
			{pace.Adapt{Factor: -1, Min: time.Second, Max: time.Minute}, time.Second},
		} {
			_, gap := p.Next(1, pace.Rule{Adapt: test.adapt})
			assert.Equal(t, test.want, gap)
		}
	})
}

// Many with slots and gaps, some of whom leave: no slot is lost or doubled.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pace.Pacer[int]
		rule := pace.Rule{Slots: 4, Gap: 10 * time.Millisecond, MaxQueue: 1000}
		var mu sync.Mutex
		now, most, done := 0, 0, 0
		var crowd sync.WaitGroup
		for i := range 400 {
			crowd.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				if i%3 == 0 {
					time.AfterFunc(time.Duration(i)*7*time.Millisecond, cancel)
				}
				turn, err := p.Take(ctx, 1, rule)
				if err != nil {
					return
				}
				mu.Lock()
				now++
				most = max(most, now)
				done++
				mu.Unlock()
				time.Sleep(100 * time.Millisecond) // on the bubble's clock
				mu.Lock()
				now--
				mu.Unlock()
				turn.Done()
			})
		}
		crowd.Wait()
		assert.Equal(t, 4, most)
		assert.GreaterOrEqual(t, done, 266)
		_, err := p.Take(t.Context(), 1, rule)
		assert.NoError(t, err)
	})
}

func BenchmarkTake(b *testing.B) {
	for name, rule := range map[string]pace.Rule{
		"no limit":    {MaxQueue: 1},
		"gap":         {Gap: 1, MaxQueue: 1},
		"concurrency": {Slots: 1, MaxQueue: 1},
	} {
		b.Run(name, func(b *testing.B) {
			var p pace.Pacer[int]
			b.ReportAllocs()
			for b.Loop() {
				turn, err := p.Take(b.Context(), 1, rule)
				if err != nil {
					b.Fatal(err)
				}
				turn.Done()
			}
		})
	}
}

type connection struct{ io.ReadWriteCloser }

type halved struct{ connection }

func (halved) CloseWrite() error { return io.ErrClosedPipe }

// A half can be closed of what has halves.
func TestCloseWrite(t *testing.T) {
	for conn, want := range map[io.ReadWriteCloser]error{connection{}: errors.ErrUnsupported, halved{}: io.ErrClosedPipe} {
		half, ok := pace.UntilClosed(conn, func() { t.Error("not done yet") }).(interface{ CloseWrite() error })
		require.True(t, ok)
		assert.ErrorIs(t, half.CloseWrite(), want)
	}
}
