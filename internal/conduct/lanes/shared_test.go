package lanes

import (
	"context"
	"errors"
	"net/url"
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

// slowToHold is Turns that takes a second to keep a break.
type slowToHold struct{ store.Turns }

func (s slowToHold) Break(ctx context.Context, lane string, wait time.Duration) error {
	time.Sleep(time.Second)
	return s.Turns.Break(ctx, lane, wait)
}

// If robots.txt asks for a break, nobody goes by this answer before the break is kept: not
// even a request that comes meanwhile.
func TestBreakIsKeptFirst(t *testing.T) {
	for _, policy := range []polite.Policy{{}, {TooManyRequests: polite.AllowAll}} {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("example.com", origintest.Status(429, "Retry-After", "60"))
			transport := conduct.Sharing(t, web, slowToHold{new(memstore.Turns)})
			transport.Policy = policy
			var all sync.WaitGroup
			start := time.Now()
			for i := range 3 {
				all.Go(func() {
					time.Sleep(time.Duration(i) * 400 * time.Millisecond)
					_, err := transport.Robots(t.Context(), &url.URL{Scheme: "http", Host: "example.com"})
					assert.Equal(t, policy.TooManyRequests == polite.AllowAll, err == nil)
					assert.Equal(t, time.Second, time.Since(start))
				})
			}
			all.Wait()
		})
	}
}

// Check tells the turn that other processes leave.
func TestCheckTellsTheSharedTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, turns := origintest.NewInMemory(t), new(memstore.Turns)
		web.Robots("example.com", conduct.Delayed(10))
		web.Page("busy.example", "/", origintest.Status(503, "Retry-After", "60"))
		other := conduct.Sharing(t, web, turns)
		assert.Zero(t, conduct.Decide(t, other, "/").Start)
		one := conduct.Client(conduct.Sharing(t, web, turns))
		for _, url := range []string{"http://example.com/", "http://busy.example/"} {
			_, err := conduct.Get(one, url)
			require.NoError(t, err)
		}
		for range 3 {
			assert.WithinDuration(t, time.Now().Add(10*time.Second), conduct.Decide(t, other, "/").Start, time.Second/10)
		}
		d, err := other.Check(t.Context(), &url.URL{Scheme: "http", Host: "busy.example", Path: "/"})
		require.NoError(t, err)
		assert.WithinDuration(t, time.Now().Add(time.Minute), d.Start, time.Second/10)
	})
}

// tallied counts the takes of Turns.
type tallied struct {
	store.Turns
	takes atomic.Int64
}

func (c *tallied) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	c.takes.Add(1)
	return c.Turns.Take(ctx, lane, ask)
}

// A site that asks for no delay costs no call while the process hears of breaks.
func TestSharedTurnsCostNothingWhereNothingIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, turns := origintest.NewInMemory(t), &tallied{Turns: new(memstore.Turns)}
		c := conduct.Client(conduct.Sharing(t, web, turns))
		var first int64 // before it hears
		for i := range 100 {
			_, err := conduct.Get(c, "http://example.com/")
			require.NoError(t, err)
			time.Sleep(time.Second / 10)
			if i == 0 {
				first = turns.takes.Load()
			}
		}
		assert.NotZero(t, first)
		assert.LessOrEqual(t, first, int64(5))
		assert.Equal(t, first, turns.takes.Load())
	})
}

// The turn of the fleet is told by a DelayError, to each request another one.
func TestSharedTurnComesTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, turns := origintest.NewInMemory(t), new(memstore.Turns)
		web.Robots("example.com", conduct.Delayed(10))
		_, err := conduct.Get(conduct.Client(conduct.Sharing(t, web, turns)), "http://example.com/")
		require.NoError(t, err)
		late := conduct.Sharing(t, web, turns)
		late.Pace.MaxWait = 3 * time.Second
		for i := range time.Duration(5) {
			_, err = conduct.Get(conduct.Client(late), "http://example.com/")
			refusal, ok := errors.AsType[*polite.DelayError](err)
			require.True(t, ok, "%v", err)
			assert.InDelta(t, (i+1)*10*time.Second, refusal.Wait, float64(100*time.Millisecond))
		}
		assert.Len(t, web.Log().Pages(), 1)
	})
}

// If Turns fails, no page is asked for. robots.txt is.
func TestTurnsFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		gone := errors.New("gone")
		transport := conduct.Sharing(t, web, conduct.Engineless{Err: gone})
		_, err := conduct.Get(conduct.Client(transport), "http://example.com/")
		assert.ErrorIs(t, err, polite.ErrRefused)
		assert.ErrorIs(t, err, polite.ErrDelayed)
		assert.ErrorIs(t, err, gone)
		assert.ErrorContains(t, err, "its turn could not be reserved: gone")
		assert.Equal(t, "GET http://example.com/robots.txt\n", web.Log().String())
	})
}

// Turns whose clock is somewhere else: each call takes a while.
type distant struct {
	store.Turns
	there, back time.Duration
}

func (d distant) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	time.Sleep(d.there)
	defer time.Sleep(d.back)
	return d.Turns.Take(ctx, lane, ask)
}

// A request is under way for longer than the lease of its slot.
func TestSlotIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, turns := origintest.NewInMemory(t), new(memstore.Turns)
		web.Page("example.com", "/long", origintest.Delay(time.Minute, origintest.Text("")))
		one, other := conduct.Sharing(t, web, turns), conduct.Sharing(t, web, turns)
		one.Pace.Concurrency, other.Pace.Concurrency = 1, 1
		start := time.Now()
		var long sync.WaitGroup
		long.Go(func() {
			_, err := conduct.Get(conduct.Client(one), "http://example.com/long")
			assert.NoError(t, err)
		})
		time.Sleep(time.Second)
		_, err := conduct.Get(conduct.Client(other), "http://example.com/")
		assert.NoError(t, err)
		assert.GreaterOrEqual(t, time.Since(start), time.Minute)
		assert.Less(t, time.Since(start), 61*time.Second)
		long.Wait()
	})
}

// cut are Turns that are not reached any more after a while.
type cut struct {
	store.Turns
	gone   atomic.Bool
	panics bool
}

func (c *cut) Renew(ctx context.Context, lease time.Duration, turns map[string]string) ([]string, error) {
	if c.gone.Load() && c.panics {
		panic("gone")
	} else if c.gone.Load() {
		return nil, errors.New("gone")
	}
	return c.Turns.Renew(ctx, lease, turns)
}

// A process that cannot renew its slot ends its request before another may take the slot.
func TestSlotIsLost(t *testing.T) {
	for _, panics := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) { loseSlot(t, panics) })
	}
}

func loseSlot(t *testing.T, panics bool) {
	web, lanes := origintest.NewInMemory(t), new(memstore.Turns)
	web.Page("example.com", "/long", origintest.HangAfter("the first part"))
	turns := &cut{Turns: lanes, panics: panics}
	one, other := conduct.Sharing(t, web, turns), conduct.Sharing(t, web, lanes)
	one.Pace.Concurrency, other.Pace.Concurrency = 1, 1
	start := time.Now()
	var ended time.Duration
	var long sync.WaitGroup
	long.Go(func() {
		_, err := conduct.Get(conduct.Client(one), "http://example.com/long")
		assert.ErrorContains(t, err, "lost its slot")
		ended = time.Since(start)
	})
	time.Sleep(6 * time.Second)
	turns.gone.Store(true)
	_, err := conduct.Get(conduct.Client(other), "http://example.com/")
	assert.NoError(t, err)
	began := time.Since(start)
	long.Wait()
	assert.LessOrEqual(t, ended, began)
	assert.Less(t, began, 18*time.Second)
}

// losing is Turns that renews no slot.
type losing struct{ memstore.Turns }

func (l *losing) Renew(_ context.Context, _ time.Duration, turns map[string]string) (lost []string, err error) {
	for token := range turns {
		lost = append(lost, token)
	}
	return lost, nil
}

// A request that its own process ends, since its slot is lost, says nothing of the site.
func TestLostSlotIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/long", origintest.Delay(20*time.Second, origintest.Text("late")))
		tr := conduct.Sharing(t, web, new(losing))
		tr.Pace.Concurrency, tr.Pace.MinDelay = 1, time.Millisecond
		tr.Trace.BreakBegan = func(l polite.Limit) { t.Errorf("a break: %+v", l) }
		for range 10 {
			_, err := conduct.Get(conduct.Client(tr), "http://example.com/long")
			assert.ErrorContains(t, err, "lost its slot")
		}
	})
}
