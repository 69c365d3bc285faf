package report

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
)

// Without the text, the story has what the decision has.
func TestStoryWithoutText(t *testing.T) {
	d := polite.Decision{
		Allowed: true, Reason: polite.ReasonRule, Group: "*", Rule: robots.Rule{Allow: true, Pattern: "/x", Line: 2},
		RobotsURL: "https://example.com/robots.txt", Status: 200, Fetched: time.Now().Add(-time.Minute),
	}
	story := StoryOf(judge.Verdict{URL: "https://example.com/x", Tokens: []string{"a"}, Decision: d})
	assert.Len(t, story.Entries, 4, "none is empty")
	assert.Equal(t, `allowed  https://example.com/x

  crawler     a
  robots.txt  https://example.com/robots.txt
              200 OK, fetched 1m0s ago
  group       "*": no group is for a
  rules       line 2: allow: /x
`, story.paint(terminal.Style{}))
}

// Of lines and rules, a few are told.
func TestStoryIsShort(t *testing.T) {
	for want, lines := range map[string][]int{"": nil, ", line 7": {7}, ", lines 1, 2, 3, 4, 5": {1, 2, 3, 4, 5}, ", lines 1, 2, 3, 4, 5, ...": {1, 2, 3, 4, 5, 6}} {
		assert.Equal(t, want, lineNumbers(lines))
	}
	for matches, want := range map[int]string{1: "", mostMatches: "", mostMatches + 1: "and 6 more", mostMatches + 2: "and 7 more"} {
		v := judge.Verdict{Decision: polite.Decision{Reason: polite.ReasonRule, Group: "*"}}
		v.Matches, v.MoreMatches = make([]robots.Rule, matches), 5
		told := rules(v)
		assert.Equal(t, want != "", told[len(told)-1] == want, told)
		assert.Len(t, told, 1+min(matches, mostMatches+1))
		assert.Contains(t, told[1], "<- decides")
		assert.Equal(t, 1, strings.Count(strings.Join(told, ""), "<- decides"))
	}
}

func TestDelay(t *testing.T) {
	for _, test := range []struct {
		token string
		d     polite.Decision
		want  string
	}{
		{"a", polite.Decision{}, ""},
		{"a", polite.Decision{CrawlDelay: time.Second}, ""},
		{"a", polite.Decision{Gap: time.Second, CrawlDelay: time.Second}, "1s between requests (crawl-delay)"},
		{"a", polite.Decision{Gap: 2 * time.Second, CrawlDelay: time.Second}, "2s between requests (set for the site)"},
		{"a", polite.Decision{Gap: 30 * time.Second, CrawlDelay: time.Minute}, "30s between requests, of the 1m0s that crawl-delay asks for"},
		{"Googlebot", polite.Decision{CrawlDelay: time.Second}, "a crawl-delay of 1s, which Googlebot ignores"},
		{"Googlebot", polite.Decision{Gap: time.Second}, "1s between requests (set for the site)"},
	} {
		assert.Equal(t, test.want, Delay(judge.Verdict{Tokens: []string{test.token}, Decision: test.d}))
	}
}

// An answer that is not asked for again during a long break is told with its age.
func TestUnasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		d := polite.Decision{Status: 200, Fetched: now.Add(-2 * time.Minute), Start: now.Add(verb.LongBreak)}
		assert.Empty(t, old(d))
		assert.Equal(t, []string{"200 OK, fetched 2m0s ago"}, answers(d))
		d.Start = d.Start.Add(1)
		why := "not asked again: the site wants no requests until " + d.Start.Format(time.RFC3339)
		assert.Equal(t, "  fetched 2m0s ago; "+why, old(d))
		d.Reason, d.Status = polite.ReasonUnavailable, 404
		assert.Equal(t, []string{"answered 404 Not Found, 2m0s ago", why}, answers(d))
		d.Start = now
		assert.Equal(t, []string{"answered 404 Not Found"}, answers(d))
		d.Reason, d.Failing, d.Err, d.Fetched = "", now, errors.New("no host"), now
		assert.Equal(t, []string{"fetched now; since then it could not be fetched: no host"}, answers(d))
		d.Start, d.Err = now.Add(time.Hour), polite.ErrBreak
		assert.Empty(t, old(d), "the break is told")
		assert.Empty(t, old(polite.Decision{Start: d.Start}), "there is no answer")
	})
}
