package robotstxt

import (
	"io"
	"net/http"
	"testing"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A text that speaks to nobody is told from one that speaks to others.
func TestLack(t *testing.T) {
	for body, want := range map[string]string{
		"user-agent: b\ndisallow: /\n":      "",
		"# none\n\nUSERAGENT b":             "",
		"<!doctype html><title>x</title>\n": "a web page",
		"\xff\xfeu\x00s\x00":                "UTF-16",
		"":                                  NoGroups,
		"sitemap: https://a/s.xml":          NoGroups,
		"disallow: /\n":                     NoGroups,
		"user-agent:\ndisallow: /":          NoGroups,
		"# user-agent: b\n":                 NoGroups,
	} {
		assert.Equal(t, want, NewText([]byte(body)).Lack(), body)
	}
}

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
