package integration

import (
	"net/http"
	"testing"
)

func TestNetHTTP(t *testing.T) {
	travel(t, func(base http.RoundTripper, wrap wrapper) fetch {
		return through(&http.Client{Transport: wrap(base)})
	}, answeredOnce)
}
