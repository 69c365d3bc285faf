package integration

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/gocolly/colly/v2"
	"github.com/stretchr/testify/assert"
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

// colly's client has a timeout of 10 seconds, which includes the waiting. Without
// SetRequestTimeout, polite refuses at once what would wait for longer.
func TestCollyTimeout(t *testing.T) {
	for name, test := range map[string]struct {
		set  func(*colly.Collector)
		want int // of 12 pages
	}{
		"of colly": {func(*colly.Collector) {}, 2},
		"of none":  {func(c *colly.Collector) { c.SetRequestTimeout(0) }, 12},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", origintest.Text("user-agent: *\ncrawl-delay: 8\n"))
				c := colly.NewCollector(colly.IgnoreRobotsTxt(), colly.Async())
				c.WithTransport(wrap(web.Transport(t)))
				test.set(c)
				for i := range 12 {
					assert.NoError(t, c.Visit(fmt.Sprint("http://example.com/", i)))
				}
				c.Wait()
				assert.Len(t, web.Log().Pages(), test.want)
			})
		})
	}
}
