package lanes

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// MaxWait ends the wait for robots.txt. Who comes later does not wait for it again, and the
// fetch goes on, so that polite learns in the end that the site does not answer.
func TestMaxWaitForRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("tarpit.example", origintest.Hang)
		client := conduct.Client(conduct.Patient(t, web, polite.Pace{MaxWait: 10 * time.Second}))
		start := time.Now()
		for _, wait := range []time.Duration{10 * time.Second, 0, 0} {
			before := time.Now()
			_, err := conduct.Get(client, "http://tarpit.example/")
			late, ok := errors.AsType[*polite.DelayError](err)
			require.True(t, ok, "%v", err)
			assert.ErrorIs(t, err, polite.ErrRefused)
			assert.NotErrorIs(t, err, polite.ErrStore)
			assert.NotErrorIs(t, err, context.DeadlineExceeded)
			assert.ErrorContains(t, err, "robots.txt has not come within 10s")
			assert.Equal(t, polite.ReasonUnknown, late.Reason)
			assert.Equal(t, "http://tarpit.example/robots.txt", late.RobotsURL)
			assert.True(t, late.Turn.After(time.Now()))
			assert.Equal(t, wait, time.Since(before))
		}
		time.Sleep(30*time.Second - time.Since(start) + time.Millisecond)
		_, err := conduct.Get(client, "http://tarpit.example/")
		assert.ErrorIs(t, err, polite.ErrNoRules)
		assert.ErrorContains(t, err, "no answer within 30s")
		assert.Len(t, web.Log().Robots(), 1)
		assert.Empty(t, web.Log().Pages())
	})
}

// The wait for robots.txt and the wait for the turn are one wait.
func TestMaxWaitIsForBoth(t *testing.T) {
	for _, test := range []struct {
		maxWait time.Duration
		sent    int
	}{
		{5 * time.Second, 1}, // the second turn would come after 3 + 4 seconds
		{7 * time.Second, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("example.com", origintest.Delay(3*time.Second, conduct.Delayed(4)))
			client := conduct.Client(conduct.Patient(t, web, polite.Pace{MaxWait: test.maxWait}))
			var refused []error
			for _, err := range conduct.Queued(client, 2) {
				if err != nil {
					assert.ErrorIs(t, err, polite.ErrDelayed)
					refused = append(refused, err)
				}
			}
			assert.Len(t, refused, 2-test.sent)
			assert.Len(t, web.Log().Pages(), test.sent)
		})
	}
}

// If the context of a request ends while robots.txt has not come, this is a refusal. An
// http.Client whose Timeout ends it says so, too. If the caller cancels, it is none.
func TestContextEndsBeforeRobots(t *testing.T) {
	for _, test := range []struct {
		name    string
		timeout time.Duration // of the client
		with    func(context.Context) (context.Context, context.CancelFunc)
		refused bool
		is      error
	}{
		{"deadline", 0, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 5*time.Second)
		}, true, context.DeadlineExceeded},
		{"timeout of the client", 5 * time.Second, context.WithCancel, true, context.DeadlineExceeded},
		{"cancel", 0, func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(5*time.Second, cancel)
			return ctx, cancel
		}, false, context.Canceled},
		{"cancel with a deadline", 0, func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			time.AfterFunc(5*time.Second, cancel)
			return ctx, cancel
		}, false, context.Canceled},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("tarpit.example", origintest.Hang)
				client := conduct.Client(conduct.Patient(t, web, polite.Pace{}))
				client.Timeout = test.timeout
				ctx, cancel := test.with(t.Context())
				defer cancel()
				start := time.Now()
				err := conduct.Visit(ctx, client, "http://tarpit.example/")
				assert.ErrorIs(t, err, test.is)
				assert.Equal(t, test.refused, errors.Is(err, polite.ErrRefused), "%v", err)
				assert.Equal(t, test.refused, errors.Is(err, polite.ErrDelayed), "%v", err)
				assert.LessOrEqual(t, time.Since(start), 5*time.Second)
				assert.GreaterOrEqual(t, time.Since(start), 4900*time.Millisecond)
				if test.refused {
					assert.ErrorContains(t, err, "robots.txt has not come in time")
				}
				client.CloseIdleConnections() // ends the fetch, so that nothing is left in the bubble
			})
		})
	}
}

// MaxQueue requests wait for robots.txt, besides the one for which it is fetched.
func TestMaxQueueForRobots(t *testing.T) {
	for _, test := range []struct{ most, wait int }{{5, 6}, {-1, 1}} {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("tarpit.example", origintest.Hang)
			client := conduct.Client(conduct.Patient(t, web, polite.Pace{MaxQueue: test.most}))
			var refused, unreachable atomic.Int32
			var crowd sync.WaitGroup
			start := time.Now()
			turns := make(map[time.Time]bool)
			var mu sync.Mutex
			for range 20 {
				crowd.Go(func() {
					_, err := conduct.Get(client, "http://tarpit.example/")
					if late, ok := errors.AsType[*polite.DelayError](err); ok {
						refused.Add(1)
						assert.LessOrEqual(t, time.Since(start), 100*time.Millisecond)
						mu.Lock()
						defer mu.Unlock()
						turns[late.Turn] = true
					} else if assert.ErrorIs(t, err, polite.ErrNoRules) {
						unreachable.Add(1)
						assert.Equal(t, 30*time.Second, time.Since(start))
					}
				})
			}
			time.Sleep(time.Second)
			_, err := conduct.Get(client, "http://tarpit.example/")
			assert.ErrorIs(t, err, polite.ErrDelayed)
			assert.Equal(t, time.Second, time.Since(start), "at once")
			crowd.Wait()
			assert.EqualValues(t, 20-test.wait, refused.Load())
			assert.EqualValues(t, test.wait, unreachable.Load())
			assert.Len(t, turns, 20-test.wait, "each comes back at a time of its own")
			assert.Len(t, web.Log().Robots(), 1)
		})
	}
}

// Fetches that nobody waits for give way at once to those that somebody waits for.
func TestAbandonedFetchesGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		transport := conduct.Patient(t, web, polite.Pace{})
		transport.Cache = &polite.Cache{MaxFetches: 4}
		hasty := conduct.Client(transport)
		hasty.Timeout = time.Second
		var crowd sync.WaitGroup
		for i := range 8 {
			host := fmt.Sprintf("tarpit%d.example", i)
			web.Robots(host, origintest.Hang)
			crowd.Go(func() { conduct.Get(hasty, "http://"+host+"/") })
		}
		crowd.Wait()
		start := time.Now()
		for i := range 4 {
			crowd.Go(func() {
				_, err := conduct.Get(conduct.Client(transport), fmt.Sprintf("http://example%d.com/", i))
				assert.NoError(t, err)
			})
		}
		crowd.Wait()
		assert.Zero(t, time.Since(start))
		for i := range 100 { // some come when a fetch has just given way
			crowd.Go(func() {
				_, err := conduct.Get(hasty, fmt.Sprintf("http://tarpit%d.example/", i%8))
				assert.ErrorIs(t, err, polite.ErrRefused)
			})
		}
		crowd.Wait()
		transport.CloseIdleConnections()
	})
}
