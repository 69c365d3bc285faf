package integration

import (
	"net/http"
	"testing"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
)

// Spans that include the waiting.
func TestOtelHTTPOutside(t *testing.T) {
	travel(t, func(base http.RoundTripper, wrap wrapper) fetch {
		return through(&http.Client{Transport: otelhttp.NewTransport(wrap(base))})
	}, answeredOnce)
}

// Spans of what is sent, the requests for robots.txt included.
func TestOtelHTTPInside(t *testing.T) {
	travel(t, func(base http.RoundTripper, wrap wrapper) fetch {
		return through(&http.Client{Transport: wrap(otelhttp.NewTransport(base))})
	}, answeredOnce)
}
