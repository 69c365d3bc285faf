package wire

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A request whose context has ended is not sent, although nobody has to wait, and a connection
// is ready. A request that comes after a while passes the gate.
func TestEndedContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		client := &http.Client{Transport: conduct.NewTransport(t, web)}
		_, err := conduct.Get(client, "http://example.com/")
		require.NoError(t, err)
		ctx, end := context.WithCancel(t.Context())
		end()
		for range 100 {
			time.Sleep(30 * time.Second)
			req, err := http.NewRequestWithContext(ctx, "GET", "http://example.com/ended", nil)
			require.NoError(t, err)
			_, err = client.Do(req)
			assert.ErrorIs(t, err, context.Canceled)
		}
		assert.Len(t, web.Log().Pages(), 1)
	})
}

// The old way to cancel a request is heard while it waits for rules and for its
// turn.
func TestCancelChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("slow.example", origintest.Hang)
		web.Robots("example.com", conduct.Delayed(30))
		client := &http.Client{Transport: conduct.NewTransport(t, web)}
		_, err := conduct.Get(client, "http://example.com/")
		require.NoError(t, err)
		for _, url := range []string{"http://slow.example/", "http://example.com/"} {
			cancel := make(chan struct{})
			req, err := http.NewRequest("GET", url, nil)
			require.NoError(t, err)
			//lint:ignore SA1019 it is what is tested
			req.Cancel = cancel
			start := time.Now()
			time.AfterFunc(100*time.Millisecond, func() { close(cancel) })
			_, err = client.Transport.RoundTrip(req)
			assert.ErrorContains(t, err, "cancelled")
			assert.Equal(t, 100*time.Millisecond, time.Since(start), url)
		}
		req, err := http.NewRequest("GET", "http://example.com/", nil)
		require.NoError(t, err)
		//lint:ignore SA1019 it is what is tested
		req.Cancel = make(chan struct{})
		resp, err := client.Transport.RoundTrip(req)
		require.NoError(t, err)
		resp.Body.Close() // the bubble ends with no goroutine that waits for the channel
	})
}
