package lane_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// told returns how long a request that is refused should wait.
func told(t *testing.T, p *lane.Lanes[int], terms lane.Terms) time.Duration {
	t.Helper()
	_, err := p.Take(t.Context(), 1, terms)
	late, ok := errors.AsType[*lane.LateError](err)
	require.True(t, ok, "%v", err)
	return time.Until(late.Turn)
}

// Who comes back a little or much too late or too early is refused again at most once in the
// mean, also if it cannot wait at all.
func TestComesBackAtAnotherTime(t *testing.T) {
	const n, gap = 1000, time.Second
	for _, test := range []struct {
		early, late time.Duration // at most
		maxWait     time.Duration // 0: it cannot wait
		refusals    float64       // for each, at most
		gaps        float64       // until all have had their turns, for each, at most
	}{
		{0, 5 * time.Millisecond, 0, 1, 1.02},
		{0, 5 * time.Millisecond, 20 * time.Millisecond, 1, 1},
		{0, 50 * time.Millisecond, 0, 1.8, 1.8},
		{0, time.Second, 2 * time.Second, 1, 1.02},
		{0, 5 * time.Second, 0, 2.3, 2.3},
		{5 * time.Millisecond, 0, 0, 1, 1.02},
		{500 * time.Millisecond, 500 * time.Millisecond, 20 * time.Millisecond, 1.8, 1.8},
		{500 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second, 1, 1.02},
		{5 * time.Second, 0, 0, 2.3, 2.3},
	} {
		synctest.Test(t, func(t *testing.T) {
			p, random, start := newPacer(), rand.New(rand.NewPCG(1, 0)), time.Now()
			terms := lane.Terms{Gap: gap, MaxWait: test.maxWait}
			if test.maxWait > 0 {
				terms.MaxQueue = n
			}
			var refused atomic.Int64
			var all sync.WaitGroup
			for range n {
				off := time.Duration(random.Int64N(int64(test.early+test.late))) - test.early
				all.Go(func() {
					_, err := p.Take(t.Context(), 1, terms)
					for late, is := errors.AsType[*lane.LateError](err); is; late, is = errors.AsType[*lane.LateError](err) {
						refused.Add(1)
						time.Sleep(time.Until(late.Turn) + off)
						_, err = p.Take(t.Context(), 1, terms)
					}
					assert.NoError(t, err)
				})
			}
			all.Wait()
			assert.LessOrEqual(t, float64(refused.Load())/n, test.refusals, "%+v", test)
			assert.LessOrEqual(t, time.Since(start).Seconds()/gap.Seconds()/n, test.gaps, "%+v", test)
		})
	}
}

// A break that nobody uses breaks no promise.
func TestPromisesAfterABreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, terms := newPacer(), lane.Terms{Gap: time.Second, MaxWait: time.Millisecond, MaxQueue: 1}
		p.Break(1, time.Now().Add(time.Hour))
		for i := range 100 {
			require.Equal(t, time.Hour+time.Duration(i)*time.Second, told(t, p, terms))
		}
		time.Sleep(time.Hour)
		turn, err := p.Take(t.Context(), 1, terms)
		require.NoError(t, err)
		send(t, turn)
		assert.Equal(t, 100*time.Second, told(t, p, terms))
	})
}

// A look at the next turn promises nothing, and sees no promise: the next turn is free.
func TestNextPromisesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, terms := newPacer(), lane.Terms{Gap: time.Second, MaxWait: time.Millisecond, MaxQueue: 1}
		_, err := p.Take(t.Context(), 1, terms)
		require.NoError(t, err)
		for i := range time.Duration(10) {
			for range 10 {
				next, _ := p.Next(1, terms)
				require.Equal(t, time.Second, time.Until(next))
			}
			require.Equal(t, (i+1)*time.Second, told(t, p, terms))
		}
		time.Sleep(time.Second) // on the bubble's clock
		_, err = p.Take(t.Context(), 1, terms)
		assert.NoError(t, err)
	})
}

// Those who wait and are refused when a break begins come back behind those who still wait.
func TestRefusedWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, terms := newPacer(), lane.Terms{Gap: time.Second, MaxQueue: 100}
		_, err := p.Take(t.Context(), 1, terms)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
		defer cancel()
		start, turns := time.Now(), make(map[time.Duration]bool)
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				if i%2 == 0 {
					_, err := p.Take(t.Context(), 1, terms)
					assert.NoError(t, err)
					return
				}
				_, err := p.Take(ctx, 1, terms)
				late, ok := errors.AsType[*lane.LateError](err)
				assert.True(t, ok, "%v", err)
				assert.Zero(t, time.Since(start))
				mu.Lock()
				defer mu.Unlock()
				turns[late.Turn.Sub(start)] = true
			})
			synctest.Wait()
		}
		p.Break(1, start.Add(time.Minute))
		synctest.Wait()
		for i := range time.Duration(10) {
			assert.True(t, turns[time.Minute+(10+i)*time.Second], i)
		}
		all.Wait()
	})
}

// Odd terms lead to no odd turns, and end no promises that others were told.
func TestOddPromises(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, slow := newPacer(), lane.Terms{Gap: time.Second, MaxWait: time.Millisecond, MaxQueue: 1}
		p.Break(1, time.Now().Add(5*time.Second))
		last := time.Duration(0)
		for i := range 100 {
			last = told(t, p, slow)
			require.Equal(t, time.Duration(5+i)*time.Second, last)
		}
		for _, odd := range []lane.Terms{
			{},
			{Slots: 1},
			{Jitter: math.Inf(1)},
			{Jitter: math.NaN(), Gap: time.Second},
			{Jitter: 1e300, Gap: time.Second},
			slow,
			{Gap: math.MaxInt64, Jitter: 1},
		} {
			odd.MaxWait, odd.MaxQueue = time.Millisecond, 1
			next := told(t, p, odd)
			assert.Greater(t, next, last, "%+v", odd)
			last = next
		}

		p, slow.Jitter = newPacer(), math.NaN()
		_, err := p.Take(t.Context(), 1, slow)
		require.NoError(t, err)
		assert.Equal(t, time.Second, told(t, p, slow))
		assert.Equal(t, 2*time.Second, told(t, p, slow))
	})
}
