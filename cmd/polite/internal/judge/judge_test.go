package judge

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The verdict on a crawler is the same whoever else is judged.
func TestEachIsJudgedAlike(t *testing.T) {
	const body = "user-agent: *\ndisallow: /a\ncrawl-delay: 5\n\nuser-agent: GPTBot\nuser-agent: Googlebot\ndisallow: /b\n"
	crawlers := [][]string{{"One"}, {"GPTBot"}, {"Two", "Three"}, {"Four", "GPTBot"}, {"Googlebot-Image", "Googlebot"}, {"GoogleOther"}, {"AdsBot-Google"}, {"Five"}}
	options := Options{Crawlers: crawlers, File: "robots.txt", Body: []byte(body), Explain: true}
	for _, path := range []string{"/a", "/b", "/c", "/robots.txt"} {
		u, err := url.Parse("https://example.com" + path)
		require.NoError(t, err)
		together := New(options).Judge(t.Context(), Question{Name: path, URL: u})
		for i := range crawlers {
			alone := options
			alone.Crawlers = crawlers[i : i+1]
			assert.Equal(t, New(alone).Judge(t.Context(), Question{Name: path, URL: u})[0], together[i], "%v: %s", crawlers[i], path)
		}
	}
}
