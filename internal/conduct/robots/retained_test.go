package robots

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A heavy error is of a Base's own type, and keeps all that Base has read.
type heavy struct {
	host   string
	buffer []byte
}

func (e *heavy) Error() string { return "lost " + e.host }

var errLost = errors.New("lost")

// Errors of a Base's own types are not kept, only what they say. This is counted.
func TestErrorsOfBaseAreNotKept(t *testing.T) {
	cache := new(polite.Cache)
	transport := &polite.Transport{UserAgent: conduct.UserAgent, Cache: cache, Base: origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
		err := &heavy{req.URL.Host, make([]byte, 1<<20)}
		return nil, errors.Join(errLost, err, strange{err})
	})}
	before := conduct.Heap()
	for i := range 50 {
		_, err := conduct.Get(&http.Client{Transport: transport}, fmt.Sprintf("http://%d.example/", i))
		require.ErrorContains(t, err, fmt.Sprintf("lost %d.example", i))
		require.ErrorIs(t, err, errLost)
	}
	grown := conduct.Heap() - before
	counted := cache.Stats().Bytes
	t.Logf("%d bytes for an origin, %d counted", grown/50, counted/50)
	assert.Greater(t, counted/50, int64(400))
	assert.Less(t, grown, 2*counted+64<<10)
	runtime.KeepAlive(transport)
}

// A strange error wraps another, and has the text of another.
type strange struct{ error }

func (s strange) Unwrap() error { return s.error }

// What lanes keep of long keys is bounded, and counted. Equal keys take turns with each other, and no others do.
func TestLongKeys(t *testing.T) {
	const lanes = 400
	synctest.Test(t, func(t *testing.T) {
		transport, cache := conduct.NewTransport(t, origintest.NewInMemory(t)), new(polite.Cache)
		transport.Cache, transport.Pace = cache, polite.Pace{MinDelay: time.Hour, Key: func(req *http.Request) string {
			return strings.Repeat("x", 100_000) + req.URL.Path
		}}
		c := conduct.Client(transport)
		_, err := conduct.Get(c, "http://example.com/")
		require.NoError(t, err)
		bare, before := cache.Stats().Bytes, conduct.Heap()
		for i := range lanes {
			_, err := conduct.Get(c, fmt.Sprintf("http://example.com/%d", i))
			require.NoError(t, err)
		}
		grown, counted := conduct.Heap()-before, cache.Stats().Bytes-bare
		assert.Less(t, grown/lanes, int64(3<<10), "with the log of the server")
		assert.Greater(t, counted, int64(lanes-256)*(520+70))
		start := time.Now()
		_, err = conduct.Get(c, "http://example.com/7")
		require.NoError(t, err)
		assert.Greater(t, time.Since(start), 59*time.Minute)
		transport.CloseIdleConnections()
	})
}
