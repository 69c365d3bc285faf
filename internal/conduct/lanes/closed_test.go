package lanes

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// job opens a store, sends a request and closes the store, as a job of a program does.
func job(t *testing.T, web *origintest.Server, path string) *http.Client {
	kept, err := boltstore.Open(path, boltstore.Options{})
	require.NoError(t, err)
	transport := conduct.NewTransport(t, web)
	transport.Cache = &polite.Cache{Store: kept}
	client := conduct.Client(transport)
	_, err = conduct.Get(client, "http://example.com/")
	require.NoError(t, err)
	require.NoError(t, kept.Close())
	return client
}

// watching counts the goroutines that listen to a store.
func watching() int {
	stacks := make([]byte, 1<<20)
	return bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte("(*watch).listen("))
}

// A store that is closed leaves nothing behind, also without CloseIdleConnections.
func TestClosedStoreLeavesNoGoroutine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	synctest.Test(t, func(t *testing.T) { // which panics if a goroutine is left
		web := origintest.NewInMemory(t)
		for range 40 {
			client := job(t, web, path)
			synctest.Wait()
			assert.Zero(t, watching())
			_, err := conduct.Get(client, "http://example.com/")
			assert.ErrorIs(t, err, polite.ErrDelayed, "after Close")
			synctest.Wait()
			assert.Zero(t, watching())
		}
	})
}

// CloseIdleConnections ends the listening, and the next request begins it again.
func TestCloseIdleConnectionsEndsTheListening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		kept, err := boltstore.Open(filepath.Join(t.TempDir(), "cache"), boltstore.Options{})
		require.NoError(t, err)
		defer kept.Close()
		transport := conduct.NewTransport(t, web)
		transport.Cache = &polite.Cache{Store: kept}
		for i := range 2 {
			_, err := conduct.Get(conduct.Client(transport), fmt.Sprint("http://example.com/", i))
			require.NoError(t, err)
			time.Sleep(time.Second)
			assert.Equal(t, 1, watching())
			transport.CloseIdleConnections()
			synctest.Wait()
			assert.Zero(t, watching())
		}
	})
}
