package integration

import (
	"context"
	"net/http"
	"testing"

	"github.com/gocolly/colly/v2"
)

// colly has a robots.txt of its own, which is switched off.
func TestColly(t *testing.T) {
	travel(t, func(base http.RoundTripper, wrap wrapper) fetch {
		c := colly.NewCollector(colly.IgnoreRobotsTxt(), colly.ParseHTTPErrorResponse())
		c.WithTransport(wrap(base))
		return func(ctx context.Context, url string) (status int, err error) {
			visit := c.Clone()
			visit.Context = ctx
			visit.OnResponse(func(resp *colly.Response) { status = resp.StatusCode })
			err = visit.Visit(url)
			return status, err
		}
	}, answeredOnce)
}
