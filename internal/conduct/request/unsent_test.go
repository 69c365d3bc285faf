package request_test

import (
	"context"
	"errors"
	"net"
	"net/http"
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

// A request that was not written when its deadline came is a refusal, whatever it waited for, and one
// that was is a timeout.
func TestUnsent(t *testing.T) {
	for _, test := range []struct {
		name  string
		set   func(*polite.Transport)
		sends int // of six
	}{
		{"a slot", func(tr *polite.Transport) { tr.Pace.Concurrency = 2 }, 2},
		{"the ceiling", func(tr *polite.Transport) { tr.Pace = polite.Pace{} }, 3},
		{"the slow start", func(tr *polite.Transport) { tr.Pace.Backoff = polite.Backoff{} }, 3},
		{"a slot of a group", func(tr *polite.Transport) {
			tr.Pace.Group = &polite.Group{Key: func(*http.Request) string { return "all" }, Concurrency: 2}
		}, 2},
	} {
		for _, byClient := range []bool{true, false} {
			t.Run(test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					web := origintest.NewInMemory(t)
					web.Robots("example.com", origintest.Status(404))
					web.Page("example.com", "/page", origintest.Delay(time.Minute, origintest.Text("")))
					transport := conduct.NewTransport(t, web)
					test.set(transport)
					client, ctx := &http.Client{Transport: transport}, t.Context()
					conduct.Get(client, "http://example.com/") // robots.txt is known
					before := len(web.Log().At("example.com").Pages())
					if byClient {
						client.Timeout = 10 * time.Second
					} else {
						var end context.CancelFunc
						ctx, end = context.WithTimeout(ctx, 10*time.Second)
						defer end()
					}
					var crowd sync.WaitGroup
					var unsent, timeouts atomic.Int32
					start := time.Now()
					for range 6 {
						synctest.Wait() // each comes after the one before: how many a window lets go depends on who is first
						crowd.Go(func() {
							err := conduct.Visit(ctx, client, "http://example.com/page")
							timeout, isTimeout := err.(net.Error)
							assert.True(t, isTimeout)
							assert.ErrorIs(t, err, context.DeadlineExceeded)
							if refusal, ok := errors.AsType[*polite.DelayError](err); ok {
								unsent.Add(1)
								assert.False(t, timeout.Timeout())
								assert.NotErrorIs(t, err, polite.ErrStore)
								assert.True(t, refusal.Turn.After(time.Now()))
								assert.Less(t, time.Since(start), 10*time.Second, "the client would hide it")
								assert.Greater(t, time.Since(start), 9900*time.Millisecond)
							} else {
								timeouts.Add(1)
								assert.True(t, timeout.Timeout())
							}
						})
					}
					crowd.Wait()
					assert.EqualValues(t, test.sends, timeouts.Load())
					assert.EqualValues(t, 6-test.sends, unsent.Load())
					assert.Len(t, web.Log().At("example.com").Pages()[before:], test.sends)
				})
			})
		}
	}
}

// A request that comes after its deadline is a refusal, too, whatever is known of its site.
func TestPastDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		transport := conduct.NewTransport(t, web)
		for range 2 {
			ctx, end := context.WithTimeout(t.Context(), -time.Second)
			body := conduct.NewBody()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://example.com/page", body)
			require.NoError(t, err)
			_, err = transport.RoundTrip(req)
			assert.ErrorIs(t, err, polite.ErrDelayed)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.EqualValues(t, 1, body.Closed.Load())
			end()
			conduct.Get(&http.Client{Transport: transport}, "http://example.com/") // robots.txt is known
		}
		assert.Len(t, web.Log().Pages(), 2)
	})
}
