package robots

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The page goes over the connection that robots.txt came over, whatever came.
func TestPageUsesTheConnection(t *testing.T) {
	for name, answers := range map[string][]http.HandlerFunc{
		"rules":    {origintest.Text(conduct.Rules)},
		"404":      {origintest.Status(404)},
		"403":      {origintest.Status(403)},
		"redirect": {origintest.Redirect("/404")},
	} {
		t.Run(name, func(t *testing.T) {
			web := origintest.New(t)
			web.Robots("example.com", answers...)
			web.Page("example.com", "/404", origintest.Status(404))
			_, err := conduct.Get(&http.Client{Transport: conduct.NewTransport(t, web)}, "http://example.com/page")
			require.NoError(t, err)
			from := make(map[string]bool)
			for _, arrival := range web.Log() {
				from[arrival.From] = true
			}
			assert.Len(t, from, 1, "connections")
		})
	}
}

// Policy.Timeout holds for a Base that does not heed the context.
func TestTimeoutOfDeafBase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := origintest.RoundTripper(func(*http.Request) (*http.Response, error) {
			time.Sleep(time.Hour)
			return &http.Response{StatusCode: 404, Header: http.Header{}, Body: http.NoBody}, nil
		})
		client := &http.Client{Transport: &polite.Transport{
			UserAgent: conduct.UserAgent, Base: deaf, Policy: polite.Policy{Timeout: 2 * time.Second},
		}}
		start := time.Now()
		_, err := conduct.Get(client, "http://example.com/")
		assert.Equal(t, 2*time.Second, time.Since(start))
		require.ErrorAs(t, err, new(*polite.NoRulesError))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "no answer within 2s")
		time.Sleep(time.Hour) // on the bubble's clock, until Base has returned
	})
}
