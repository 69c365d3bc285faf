package restart_test

import (
	"context"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A counted store counts its calls.
type counted struct {
	*boltstore.Store
	calls atomic.Int64
}

func (c *counted) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	c.calls.Add(1)
	return c.Store.Claim(ctx, key, seen, lease)
}

func (c *counted) Put(ctx context.Context, key, token string, record []byte, keep time.Duration) error {
	c.calls.Add(1)
	return c.Store.Put(ctx, key, token, record, keep)
}

func (c *counted) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	c.calls.Add(1)
	return c.Store.Take(ctx, lane, ask)
}

func (c *counted) Done(ctx context.Context, lane, token string, unused bool) error {
	c.calls.Add(1)
	return c.Store.Done(ctx, lane, token, unused)
}

func (c *counted) Break(ctx context.Context, lane string, wait time.Duration) error {
	c.calls.Add(1)
	return c.Store.Break(ctx, lane, wait)
}

// If a site is in memory and has no crawl-delay, a request costs the same with and
// without a store: it allocates nothing, and does not call the store.
func TestWarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept, err := boltstore.Open(filepath.Join(t.TempDir(), "remembered"), boltstore.Options{})
		require.NoError(t, err)
		defer kept.Close()
		asked, page := 0, &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}
		still := origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/robots.txt" {
				asked++
				return origintest.Response(req, http.StatusOK, "user-agent: *\ndisallow: /private\n"), nil
			}
			return page, nil
		})
		c := &counted{Store: kept}
		transport := &polite.Transport{UserAgent: "RestartBot/1.0", Base: still, Cache: &polite.Cache{Store: c}}
		req, err := http.NewRequest(http.MethodGet, "https://example.com/a/page.html", nil)
		require.NoError(t, err)
		req.Header.Set("User-Agent", "RestartBot/1.0")
		visit := func() {
			_, err := transport.RoundTrip(req)
			assert.NoError(t, err)
		}
		for range 2 {
			visit()
			time.Sleep(100 * time.Millisecond) // it listens for breaks
		}
		before := c.calls.Load()
		assert.Positive(t, before)
		assert.Zero(t, testing.AllocsPerRun(1000, visit))
		assert.Equal(t, before, c.calls.Load())
		assert.Equal(t, 1, asked)
	})
}
