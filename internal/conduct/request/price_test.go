package request

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A price reaches the caller as the site sent it, and is told once. polite does not pay,
// does not ask again, and makes no break.
func TestPriceIsNotPaid(t *testing.T) {
	conduct.OnBothNets(t, func(t *testing.T, web *origintest.Server) {
		web.Robots("a.example", origintest.Text(conduct.Rules))
		web.Page("a.example", "/paid", origintest.Status(402, "Crawler-Price", "USD 0.01", "Retry-After", "60", "X-More", "kept"))
		web.Page("a.example", "/moved", origintest.Redirect("/paid"))
		web.Page("a.example", "/unpriced", origintest.Status(402))
		web.Page("a.example", "/free", origintest.Status(200, "Crawler-Price", "USD 0.01"))
		d, transport := new(conduct.Diary), conduct.NewTransport(t, web)
		trace := d.Trace()
		transport.Trace = polite.Trace{Answered: trace.Answered, BreakBegan: trace.BreakBegan, Waits: trace.Waits}
		c := conduct.Client(transport)

		resp, err := c.Get("http://a.example/paid")
		require.NoError(t, err)
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, 402, resp.StatusCode)
		assert.Equal(t, "USD 0.01", resp.Header.Get("Crawler-Price"))
		assert.Equal(t, "kept", resp.Header.Get("X-More"))
		assert.Equal(t, "user-agent: *\ndisallow: /\n", string(text))
		for _, path := range []string{"/moved", "/unpriced", "/free"} {
			_, err := conduct.Get(c, "http://a.example"+path)
			assert.NoError(t, err, path)
		}

		assert.Equal(t, []string{"priced /paid USD 0.01", "priced /paid USD 0.01"}, d.Take())
		assert.Equal(t, strings.Join([]string{
			"GET http://a.example/robots.txt", "GET http://a.example/paid", "GET http://a.example/moved",
			"GET http://a.example/paid", "GET http://a.example/unpriced", "GET http://a.example/free", "",
		}, "\n"), web.Log().String())
		assertNothingPaid(t, web.Log())
	})
}

// assertNothingPaid checks that no request agreed to a price.
func assertNothingPaid(t *testing.T, log origintest.Log) {
	t.Helper()
	for _, arrival := range log {
		for name := range arrival.Header {
			assert.False(t, strings.HasPrefix(name, "Crawler-"), "%s: %s", arrival.URI, name)
		}
	}
}

// A robots.txt that has a price is unavailable, as with any other 4xx, and not bought. What
// the caller agrees to pay for a page is not paid for it.
func TestPriceOfRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, d := origintest.NewInMemory(t), new(conduct.Diary)
		web.Robots("a.example", origintest.Status(402, "Crawler-Price", "USD 0.01"))
		transport := conduct.NewTransport(t, web)
		trace := d.Trace()
		transport.Trace = polite.Trace{Answered: trace.Answered, Judged: trace.Judged, Asked: trace.Asked}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://a.example/private", nil)
		require.NoError(t, err)
		req.Header.Set("Crawler-Max-Price", "USD 0.02")
		resp, err := transport.RoundTrip(req)
		require.NoError(t, err)
		defer resp.Body.Close()

		assert.Equal(t, []string{"asked http://a.example/robots.txt 402 <nil> 0", "judged /private true unavailable miss"}, d.Take())
		assert.Len(t, web.Log().Robots(), 1)
		assertNothingPaid(t, web.Log().Robots())
		assert.Equal(t, "USD 0.02", web.Log().Pages()[0].Header.Get("Crawler-Max-Price"))
	})
}

// Requests that are exempt are told of, too.
func TestPriceOfExempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, d := origintest.NewInMemory(t), new(conduct.Diary)
		web.Page("a.example", "/paid", origintest.Status(402, "Crawler-Price", "USD 0.01"))
		transport := conduct.NewTransport(t, web)
		transport.Policy.Exempt = func(*http.Request) bool { return true }
		transport.Trace = polite.Trace{Answered: d.Trace().Answered}
		conduct.Get(conduct.Client(transport), "http://a.example/paid")
		assert.Equal(t, []string{"priced /paid USD 0.01"}, d.Take())
	})
}
