package robots

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/hashicorp/go-retryablehttp"
	"github.com/stretchr/testify/assert"
)

// A Base that tries again asks a robots.txt that fails five times, as docs/guarantees.md says, unless
// it leaves robots.txt to polite. It tries pages again in both cases.
func TestRetrierInside(t *testing.T) {
	for name, test := range map[string]struct {
		robots http.HandlerFunc
		base   func(web, retrying http.RoundTripper) http.RoundTripper
		want   []int // requests for robots.txt, and for the page
	}{
		"for all, robots.txt fails":   {origintest.Status(503), forAll, []int{5, 0}},
		"for all":                     {origintest.Text(conduct.Rules), forAll, []int{1, 5}},
		"for pages, robots.txt fails": {origintest.Status(503), forPages, []int{1, 0}},
		"for pages":                   {origintest.Text(conduct.Rules), forPages, []int{1, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", test.robots)
				web.Page("example.com", "/page", origintest.Status(503))
				client := retryablehttp.NewClient()
				client.Logger = nil
				client.ErrorHandler = retryablehttp.PassthroughErrorHandler
				client.HTTPClient = &http.Client{Transport: web.Transport(t)}
				transport := &polite.Transport{UserAgent: conduct.UserAgent, Base: test.base(client.HTTPClient.Transport, &retryablehttp.RoundTripper{Client: client})}
				conduct.Get(&http.Client{Transport: transport}, "http://example.com/page")
				log := web.Log()
				assert.Equal(t, test.want, []int{len(log.Robots()), len(log.Pages())})
			})
		})
	}
}

func forAll(_, retrying http.RoundTripper) http.RoundTripper { return retrying }

// forPages is pagesOnly of docs/guarantees.md.
func forPages(web, retrying http.RoundTripper) http.RoundTripper {
	return origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
		if polite.ForRobots(req) {
			return web.RoundTrip(req)
		}
		return retrying.RoundTrip(req)
	})
}
