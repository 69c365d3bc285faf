package report

import (
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
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
