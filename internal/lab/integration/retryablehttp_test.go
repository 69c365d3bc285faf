package integration

import (
	"net/http"
	"testing"

	"github.com/go-polite/polite"
	"github.com/hashicorp/go-retryablehttp"
)

// Each try is judged and takes its turn; a refusal is not tried again.
func TestRetryableHTTPOutside(t *testing.T) {
	travel(t, func(base http.RoundTripper, wrap wrapper) fetch {
		client := retryablehttp.NewClient()
		client.Logger = nil
		client.HTTPClient = &http.Client{Transport: wrap(base)}
		client.CheckRetry = polite.CheckRetry(retryablehttp.DefaultRetryPolicy)
		return through(client.StandardClient())
	}, retried("0s /busy, 3s /busy"))
}

// A request is judged once, and all its tries are one turn. Redirects are left to
// the client outside, so that each hop is judged.
func TestRetryableHTTPInside(t *testing.T) {
	travel(t, func(base http.RoundTripper, wrap wrapper) fetch {
		retrying := retryablehttp.NewClient()
		retrying.Logger = nil
		retrying.ErrorHandler = retryablehttp.PassthroughErrorHandler
		retrying.HTTPClient = &http.Client{
			Transport:     base,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		return through(&http.Client{Transport: wrap(&retryablehttp.RoundTripper{Client: retrying})})
	}, retried("0s /busy, 3s /busy"))
}
