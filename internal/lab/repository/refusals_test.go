package repository

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
)

// The errors that docs/guarantees.md shows are what such refusals say.
func TestRefusals(t *testing.T) {
	next := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	refusals := []error{
		&polite.DisallowedError{Decision: polite.Decision{
			URL: "https://example.com/private/diary", Agent: "ExampleBot", RobotsURL: "https://example.com/robots.txt",
			Group: "*", Rule: robots.Rule{Pattern: "/private", Line: 2},
		}},
		&polite.NoRulesError{Decision: polite.Decision{
			URL: "https://example.org/", RobotsURL: "https://example.org/robots.txt", Status: http.StatusServiceUnavailable, Next: next,
		}},
		&polite.DelayError{
			Decision: polite.Decision{URL: "https://example.net/"}, Turn: next.Add(30 * time.Second),
			Wait: 30 * time.Second, Why: "the request can only wait for 10s (its context, the client's Timeout, or MaxWait)",
		},
	}
	var text strings.Builder
	for _, refusal := range refusals {
		text.WriteString(refusal.Error() + "\n")
	}
	var shown []string
	for _, b := range BlocksOf(t, "docs/guarantees.md") {
		if b.Language == "text" {
			shown = append(shown, b.Text)
		}
	}
	assert.Equal(t, []string{text.String()}, shown)
}
