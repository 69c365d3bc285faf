package robotstxt

import (
	"io"
	"net/http"
	"testing"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEverywhere(t *testing.T) {
	for _, url := range []string{"http://a.example/robots.txt", "https://b.example/robots.txt"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		require.NoError(t, err)
		resp, err := Everywhere("user-agent: *\n").RoundTrip(req)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, "user-agent: *\n", string(body))
		assert.Equal(t, int64(len(body)), resp.ContentLength)
		assert.LessOrEqual(t, len(body), robots.MaxSize)
	}
}
