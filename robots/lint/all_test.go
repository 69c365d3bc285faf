package lint

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each check finds something in its examples, and nothing in the files in which it should not.
func TestChecks(t *testing.T) {
	assert.Len(t, examples, len(all))
	for _, c := range all {
		finds := func(body string) bool {
			return slices.ContainsFunc(Lint([]byte(expand(body))), func(f Finding) bool { return f.ID == c.ID })
		}
		assert.NotEmpty(t, examples[c].not, "%s has no example of what it does not find", c.ID)
		assert.Equal(t, expand(c.example), Example(c.ID))
		for _, body := range append(examples[c].finds, c.example) {
			assert.True(t, finds(body), "%s in %.200q", c.ID, body)
		}
		for _, body := range examples[c].not {
			assert.False(t, finds(body), "%s in %.200q", c.ID, body)
		}
	}
	assert.Empty(t, Example("nothing"))
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
