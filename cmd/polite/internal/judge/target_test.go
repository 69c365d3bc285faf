package judge

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The rule for a target is the one of the verdict, also for crawlers that ignore a group and
// for URLs on which more than rules decides.
func TestRuleIsThatOfTheVerdict(t *testing.T) {
	const body = "user-agent: *\ndisallow: /a\nallow: /a/b\n\nuser-agent: GPTBot\ndisallow: /*?\ndisallow: /robots.txt\n"
	crawlers := [][]string{{"One"}, {"GPTBot"}, {"AdsBot-Google"}, {"Googlebot-Image", "Googlebot"}}
	j := New(Options{Crawlers: crawlers, File: "robots.txt", Body: []byte(body)})
	decided := 0
	for _, written := range []string{
		"https://example.com/a", "https://example.com/a/b", "https://example.com/c?d", "https://example.com/robots.txt", "https://example.com",
		"ftp://example.com/a", "https:/a", "https:a", "https://a b/a", "http://:80/a", "https://user:secret@bücher.example/%61",
	} {
		u, err := url.Parse(written)
		q := Question{Name: written, URL: u, Err: err}
		for n, v := range j.Judge(t.Context(), q) {
			rule, err := j.Rule(t.Context(), TargetOf(q), n)
			assert.Equal(t, v.Err, err, "%s for %v", written, crawlers[n])
			assert.Equal(t, v.Decision.Rule, rule, "%s for %v", written, crawlers[n])
			if v.Err == nil {
				assert.Equal(t, v.Decision.Allowed, rule.Line == 0 || rule.Allow, "%s for %v", written, crawlers[n])
			}
			decided += min(rule.Line, 1)
		}
	}
	assert.Greater(t, decided, 5, "rules decide")
}
