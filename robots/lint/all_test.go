package lint

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each check finds what its examples say, and nothing in the files in which it should
// not.
func TestChecks(t *testing.T) {
	assert.Len(t, examples, len(all))
	for _, c := range all {
		tried := examples[c]
		assert.NotEmpty(t, tried.not, "%s has no example of what it does not find", c.ID)
		for _, e := range append(tried.finds, example{c.example, tried.place}) {
			assert.Contains(t, places(c, e.body), e.place, "%s in %.200q", c.ID, e.body)
		}
		for _, body := range tried.not {
			assert.Empty(t, places(c, body), "%s in %.200q", c.ID, body)
		}
	}
}

// places returns where a check finds something, each as "line:column".
func places(c *check, body string) []string {
	var places []string
	for _, f := range Lint([]byte(expand(body))) {
		if f.ID == c.ID {
			places = append(places, fmt.Sprintf("%d:%d", f.Line, f.Column))
		}
	}
	return places
}

// Every check that a file declares is in the list of all checks.
func TestNoCheckIsForgotten(t *testing.T) {
	source, err := os.ReadFile("checks.go")
	require.NoError(t, err)
	assert.Len(t, all, strings.Count(string(source), " = &check{Check{"))
}

func TestChecksAreNamed(t *testing.T) {
	ids := make(map[string]bool)
	for _, c := range Checks() {
		assert.Regexp(t, `^[a-z]+(-[a-z0-9]+)*$`, c.ID)
		assert.NotEmpty(t, c.Summary, c.ID)
		assert.False(t, ids[c.ID], c.ID)
		ids[c.ID] = true
	}
	Checks()[0].ID = ""
	assert.NotEmpty(t, Checks()[0].ID, "a slice of its own")
}
