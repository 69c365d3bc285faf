package request

import (
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/provenance"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A Base that leads back to its Transport is an error, whatever is between them.
func TestLoop(t *testing.T) {
	targets := map[string]string{
		"page": "http://example.com/", "robots.txt": "http://example.com/robots.txt",
		"exempt": "http://example.com/exempt", "another scheme": "file:///etc/passwd",
	}
	for name, target := range targets {
		t.Run(name, func(t *testing.T) {
			transport := &polite.Transport{UserAgent: conduct.UserAgent, Policy: polite.Policy{
				Exempt: func(req *http.Request) bool { return req.URL.Path == "/exempt" },
			}}
			calls := 0
			transport.Base = origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
				calls++
				return transport.RoundTrip(req)
			})
			u, err := url.Parse(target)
			require.NoError(t, err)
			for tries := range 3 {
				_, err = transport.RoundTrip(&http.Request{Method: "GET", URL: u, Header: http.Header{}})
				assert.ErrorContains(t, err, "Base leads back to the Transport")
				assert.LessOrEqual(t, calls, 2*(tries+1))
			}
		})
	}
}

// A Base that is the Transport itself has no connections to close, either.
func TestLoopAtOnce(t *testing.T) {
	loop := &polite.Transport{UserAgent: conduct.UserAgent}
	loop.Base = loop
	for _, url := range []string{"http://example.com/", "ftp://example.com/"} {
		_, err := conduct.Get(&http.Client{Transport: loop}, url)
		assert.ErrorContains(t, err, "Base leads back to the Transport itself")
	}
	loop.CloseIdleConnections()
}

// A Transport whose Base has another with the same Cache waits for nothing that it
// has to fetch itself.
func TestNestedWithOneCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Redirect("/r.txt"))
		cache := new(polite.Cache)
		inner := &polite.Transport{UserAgent: conduct.UserAgent, Base: web.Transport(t), Cache: cache}
		outer := &polite.Transport{UserAgent: conduct.UserAgent, Base: inner, Cache: cache}
		start := time.Now()
		_, err := conduct.Get(&http.Client{Transport: outer}, "http://example.com/")
		assert.ErrorContains(t, err, "give it a Cache of its own")
		assert.Zero(t, time.Since(start))
	})
}

// A URL that is nil is an error, and no panic.
func TestNoURL(t *testing.T) {
	transport := &polite.Transport{UserAgent: conduct.UserAgent}
	_, err := transport.Check(t.Context(), nil)
	assert.ErrorContains(t, err, "URL")
	_, err = provenance.Of(t.Context(), transport, nil, nil)
	assert.ErrorContains(t, err, "URL")
}
