package wire

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// Two Transports share a Cache, and one of them asks for nothing. The gap of the other counts from
// the write of a request that was alone and had to connect.
func TestMixedGapsOfOneCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const gap = time.Second
		web := origintest.NewInMemory(t)
		cache := new(polite.Cache)
		free, spaced := conduct.NewTransport(t, web), conduct.NewTransport(t, web)
		free.Cache, spaced.Cache, spaced.Pace.MinDelay = cache, cache, gap
		dials := &conduct.Connects{Takes: conduct.Always(0)}
		dials.Slowing(free.Base.(*http.Transport))
		conduct.Know(t, free, "example.com")
		conduct.Know(t, spaced, "example.com")
		for range 20 {
			assert.NoError(t, conduct.Read(t.Context(), conduct.Client(free), "http://example.com/free"))
			time.Sleep(5 * time.Second)
			free.CloseIdleConnections()
			dials.Change(conduct.Always(254 * time.Millisecond))
			go conduct.Read(t.Context(), conduct.Client(free), "http://example.com/free")
			time.Sleep(time.Millisecond)
			assert.NoError(t, conduct.Read(t.Context(), conduct.Client(spaced), "http://example.com/spaced"))
			time.Sleep(5 * time.Second)
		}
		log := web.Log().Pages()
		for i := 1; i < len(log); i++ {
			if log[i].URI == "/spaced" {
				assert.GreaterOrEqual(t, log[i].Time.Sub(log[i-1].Time), gap)
			}
		}
	})
}
