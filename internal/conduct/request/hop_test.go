package request

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A hop of a redirect that comes too late is asked for itself: so the documented queue comes
// to its end, and no page is fetched again, whatever limits the waiting.
func TestRequeueRedirects(t *testing.T) {
	for name, test := range map[string]struct {
		pace    polite.Pace
		timeout time.Duration
	}{
		"MaxWait":  {pace: polite.Pace{MaxWait: 5 * time.Second}},
		"Timeout":  {timeout: 5 * time.Second},
		"MaxQueue": {pace: polite.Pace{MaxQueue: polite.NoQueue}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", conduct.Delayed(10))
				web.Robots("other.example", conduct.Delayed(20))
				var pages []string
				for i := range 20 {
					pages = append(pages, fmt.Sprintf("http://example.com/old/%d", i))
					web.Page("example.com", fmt.Sprintf("/old/%d", i), origintest.Redirect(fmt.Sprintf("/moved/%d?a=b&c=%%20", i)))
					web.Page("example.com", fmt.Sprintf("/moved/%d", i), origintest.Redirect(fmt.Sprintf("http://other.example/new/%d", i)))
				}
				transport := conduct.NewTransport(t, web)
				transport.Pace = test.pace
				start := time.Now()
				client := &http.Client{Timeout: test.timeout, Transport: origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
					if time.Since(start) > 24*time.Hour {
						return nil, conduct.ErrGivenUp // it comes to no end
					}
					return transport.RoundTrip(req)
				})}
				got := make(chan string, len(pages))
				conduct.Crawl(t, client, 4, polite.Forever, pages, func(page string, resp *http.Response, err error) {
					if assert.NoError(t, err, page) {
						io.Copy(io.Discard, resp.Body)
						resp.Body.Close()
						got <- page + " " + resp.Request.URL.String()
					}
				})
				close(got)
				for done := range got {
					page, last, _ := strings.Cut(done, " ")
					assert.Equal(t, strings.Replace(page, "example.com/old", "other.example/new", 1), last)
				}
				arrived := make(map[string]int)
				for _, page := range web.Log().Pages() {
					arrived[page.Host+page.URI]++
					assert.Equal(t, 1, arrived[page.Host+page.URI], page.URI)
				}
				assert.Len(t, arrived, 3*len(pages))
			})
		})
	}
}

// Redirects in a circle come to an end in the queue, too.
func TestRequeueCircle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", conduct.Delayed(10))
		web.Page("example.com", "/a", origintest.Redirect("/b"))
		web.Page("example.com", "/b", origintest.Redirect("/a"))
		transport := conduct.NewTransport(t, web)
		transport.Pace.MaxWait = 5 * time.Second
		var ended atomic.Int32
		conduct.Crawl(t, conduct.Client(transport), 2, polite.Forever, []string{"http://example.com/a"}, func(page string, _ *http.Response, err error) {
			ended.Add(1)
			assert.ErrorContains(t, err, "stopped after 10 redirects", "as http.Client says it")
			assert.Equal(t, "http://example.com/a", page)
		})
		assert.EqualValues(t, 1, ended.Load())
		assert.Len(t, web.Log().Pages(), 10)
	})
}

// A refused hop says how to go on: with which method, and where. A 303 makes a GET of a
// POST, and a 307 does not. What was asked for first may be some hops before.
func TestRefusedHop(t *testing.T) {
	for code, method := range map[int]string{http.StatusSeeOther: "GET", http.StatusTemporaryRedirect: "POST"} {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("example.com", conduct.Delayed(10))
			web.Page("other.example", "/first", origintest.Status(http.StatusTemporaryRedirect, "Location", "http://example.com/old"))
			web.Page("example.com", "/old", origintest.Status(code, "Location", "/new"))
			transport := conduct.NewTransport(t, web)
			transport.Pace.MaxWait = time.Second
			_, err := conduct.Client(transport).Post("http://other.example/first", "text/plain", strings.NewReader("a=b"))
			late, ok := errors.AsType[*polite.DelayError](err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, method, late.Method)
			assert.Equal(t, "http://example.com/new", late.URL)
			assert.Equal(t, "http://other.example/first", late.From)
			assert.Equal(t, 10*time.Second, late.Wait)
		})
	}
}
