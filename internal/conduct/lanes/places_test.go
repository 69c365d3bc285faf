package lanes

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Names that never answer hold up no other, while those who asked for them still wait.
func TestTarPits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		transport := conduct.NewTransport(t, web)
		transport.Policy.Timeout = time.Hour
		client := &http.Client{Transport: transport}
		ctx, cancel := context.WithCancel(t.Context())
		var crowd sync.WaitGroup
		for i := range 500 {
			host := fmt.Sprintf("pit-%d.example", i)
			web.Robots(host, origintest.Hang)
			crowd.Go(func() { assert.Error(t, conduct.Visit(ctx, client, "http://"+host+"/")) })
		}
		synctest.Wait()
		assert.Len(t, web.Log().Robots(), 100)
		start := time.Now()
		_, err := conduct.Get(client, "http://example.com/")
		require.NoError(t, err)
		// 100 are in the places, and 400 in the queue: 50 give way each 3 s.
		assert.LessOrEqual(t, time.Since(start), 30*time.Second)
		cancel()
		crowd.Wait()
	})
}

// A site that is slow, but answers, has its time while others are quick.
func TestSlowSiteAmongQuick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("slow.example", origintest.Delay(20*time.Second, origintest.Text(conduct.Rules)))
		transport := conduct.NewTransport(t, web)
		transport.Policy.Timeout = 30 * time.Second
		transport.Cache = &polite.Cache{MaxFetches: 4}
		client := &http.Client{Transport: transport}
		var crowd sync.WaitGroup
		crowd.Go(func() {
			_, err := conduct.Get(client, "http://slow.example/private")
			assert.ErrorAs(t, err, new(*polite.DisallowedError))
		})
		for i := range 200 {
			host := fmt.Sprintf("quick-%d.example", i)
			web.Robots(host, origintest.Delay(500*time.Millisecond, origintest.Text(conduct.Rules)))
			crowd.Go(func() {
				_, err := conduct.Get(client, "http://"+host+"/")
				assert.NoError(t, err)
			})
		}
		crowd.Wait()
	})
}
