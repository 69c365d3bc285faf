package integration

import (
	"net/http"
	"testing"

	"github.com/gregjones/httpcache"
)

// Pages that are kept take no turn.
func TestHTTPCache(t *testing.T) {
	travel(t, func(base http.RoundTripper, wrap wrapper) fetch {
		cache := httpcache.NewMemoryCacheTransport()
		cache.Transport = wrap(base)
		return through(cache.Client())
	}, answeredOnce)
}
