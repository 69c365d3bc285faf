package request

import (
	"net/http"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bearer returns a transport that adds a token to the requests that it sends through base, but
// for those that spares names.
func bearer(base http.RoundTripper, spares func(*http.Request) bool) http.RoundTripper {
	return origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
		if !spares(req) {
			req = req.Clone(req.Context())
			req.Header.Set("Authorization", "Bearer secret")
		}
		return base.RoundTrip(req)
	})
}

func nothing(*http.Request) bool { return false }

// movedRobots is a web where the robots.txt of example.com is at another host, behind two hops.
func movedRobots(t *testing.T) *origintest.Server {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Redirect("/moved/again"))
	web.Page("example.com", "/moved/again", origintest.Redirect("http://example.org/file"))
	web.Page("example.org", "/file", origintest.Text(conduct.Rules))
	return web
}

// withToken returns what arrived with a token.
func withToken(log origintest.Log) (uris []string) {
	for _, arrival := range log {
		if arrival.Header.Get("Authorization") != "" {
			uris = append(uris, arrival.Host+arrival.URI)
		}
	}
	return uris
}

// What a transport above polite adds does not come to robots.txt. What a Base adds does, also at
// another host, unless it asks ForRobots.
func TestCredentials(t *testing.T) {
	pages := []string{"example.com/page", "example.com/robots.txt"}
	for name, test := range map[string]struct {
		client func(*polite.Transport) http.RoundTripper
		want   []string
	}{
		"above": {func(transport *polite.Transport) http.RoundTripper { return bearer(transport, nothing) }, pages},
		"Base that asks": {func(transport *polite.Transport) http.RoundTripper {
			transport.Base = bearer(transport.Base, polite.ForRobots)
			return transport
		}, pages},
		"Base that does not ask": {func(transport *polite.Transport) http.RoundTripper {
			transport.Base = bearer(transport.Base, nothing)
			return transport
		}, append([]string{"example.com/robots.txt", "example.com/moved/again", "example.org/file"}, pages...)},
	} {
		t.Run(name, func(t *testing.T) {
			web := movedRobots(t)
			client := &http.Client{Transport: test.client(conduct.NewTransport(t, web)), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			for _, url := range []string{"http://example.com/page", "http://example.com/robots.txt"} {
				_, err := conduct.Get(client, url)
				require.NoError(t, err)
			}
			assert.Equal(t, test.want, withToken(web.Log()))
			assert.Len(t, web.Log(), 5)
		})
	}
}
