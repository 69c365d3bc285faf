package queue_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/queue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nothing handles an item, and expects no error.
func nothing(t *testing.T) func(context.Context, queue.Item[int], *http.Response, error) error {
	return func(_ context.Context, item queue.Item[int], _ *http.Response, err error) error {
		assert.NoError(t, err, item.URL)
		return nil
	}
}

// A worker never waits for a slow site while another is ready: quick sites are done as soon as if
// they were alone, and slow ones as soon as they let it.
func TestSlowSites(t *testing.T) {
	for _, workers := range []int{1, 16, 64} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := &web{site: func(host string) site {
					if host[0] == 's' {
						return site{robots: delayed(10), takes: 20 * time.Millisecond}
					}
					return site{takes: 20 * time.Millisecond}
				}}
				q := newQueue(web, polite.Pace{})
				for i := range 50 {
					for h := range 40 {
						host := fmt.Sprintf("q%d.example", h)
						if h < 5 {
							host = fmt.Sprintf("s%d.example", h)
						}
						require.NoError(t, q.Push(fmt.Sprintf("http://%s/%d", host, i), i))
					}
				}
				start := time.Now()
				var quick time.Duration
				require.NoError(t, q.Run(t.Context(), workers, func(_ context.Context, item queue.Item[int], _ *http.Response, err error) error {
					assert.NoError(t, err)
					if item.URL[7] == 'q' {
						quick = time.Since(start)
					}
					return nil
				}))
				t.Log(quick, time.Since(start), web.most.Load())
			})
		})
	}
}
