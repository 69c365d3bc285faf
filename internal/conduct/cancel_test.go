package conduct_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The old way to cancel a request is heard while it waits for rules and for its
// turn.
func TestCancelChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("slow.example", origintest.Hang)
		web.Robots("example.com", delayed(30))
		client := &http.Client{Transport: newTransport(t, web)}
		_, err := get(client, "http://example.com/")
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
	})
}
