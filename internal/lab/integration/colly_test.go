package integration

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/gocolly/colly/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// A proxy belongs to the Base of polite: colly's SetProxy replaces every transport that is not an
// *http.Transport, and with it polite.
func TestCollyProxy(t *testing.T) {
	for name, test := range map[string]struct {
		set  func(c *colly.Collector, base *http.Transport, proxy *url.URL) error
		want []string // what arrives at the proxy
	}{
		"of Base": {func(_ *colly.Collector, base *http.Transport, proxy *url.URL) error {
			base.Proxy = http.ProxyURL(proxy)
			return nil
		}, []string{"http://example.com/robots.txt", "http://example.com/a"}},
		"of colly": {func(c *colly.Collector, _ *http.Transport, proxy *url.URL) error {
			return c.SetProxy(proxy.String())
		}, []string{"http://example.com/a", "http://example.com/private"}},
	} {
		t.Run(name, func(t *testing.T) {
			web := origintest.New(t)
			web.Robots("example.com", origintest.Text(rules))
			base := web.Transport(t)
			c := colly.NewCollector(colly.IgnoreRobotsTxt())
			c.WithTransport(&polite.Transport{UserAgent: userAgent, Base: base})
			c.SetRequestTimeout(0)
			require.NoError(t, test.set(c, base, &url.URL{Scheme: "http", Host: web.Address()}))
			for _, path := range []string{"/a", "/private"} {
				c.Visit("http://example.com" + path)
			}
			assert.Equal(t, test.want, web.Log().URIs())
		})
	}
}
