package judge

import (
	"net/url"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a file says is what a transport does at a site with this file.
func TestFileAsSite(t *testing.T) {
	for _, body := range []string{
		"", "user-agent: *\ndisallow: /x\nallow: /x/y$\ncrawl-delay: 5\n", "user-agent: GPTBot\ncrawl-delay: 90\ndisallow: /*.pdf\ndisallow: /ä",
		"<!doctype html><title>x</title>", "user-agent: *\ndisallow: /robots.txt\ndisallow: //x\ndisallow: /%7Ea", "\xff\xfeu\x00", "user-agent: b\ndisallow: /",
	} {
		for _, tokens := range [][]string{{"GPTBot"}, {"polite"}, {"gptbot-news", "GPTBOT"}} {
			base := robotstxt.Everywhere(body)
			r := newReading(robotstxt.NewText([]byte(body)), &polite.Transport{Agents: tokens, Base: base, UserAgent: "polite"}, tokens)
			for _, u := range []string{
				"https://example.com/", "http://example.com", "https://user:secret@example.com:8443/x/y?z", "https://bücher.example/ä", "HTTPS://EXAMPLE.com./x/y",
				"https://example.com/robots.txt", "https://example.com/robots.txt?a", "https://example.com//x", "https://example.com/a.pdf", "https://example.com/~a",
				"https://[::1]:99/x#y", "https:///x", "https://a b/", "http://:80/", "https://example.com:99999/", "ftp://example.com/x", "https:x?y=://", "https://example.com/%zz", "http://exa_mple.com/x/y/",
			} {
				assertSame(t, r, u)
			}
		}
	}
}

func assertSame(t *testing.T, r *reading, written string) {
	t.Helper()
	u, err := url.Parse(written)
	if err != nil {
		return
	}
	want, wantErr := r.transport.Check(t.Context(), u)
	got, err := r.check(t.Context(), u)
	for _, d := range []*polite.Decision{&want, &got} {
		d.Fetched, d.Next, d.RobotsURL, d.Status = time.Time{}, time.Time{}, "", 0 // a file has none
	}
	require.Equal(t, wantErr, err, written)
	assert.Equal(t, want, got, written)
}
