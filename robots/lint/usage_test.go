package lint_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-polite/polite/robots/lint"
)

// In files like those of sites and delivery networks, Lint finds nothing that is not
// true.
func TestSites(t *testing.T) {
	files, err := filepath.Glob("../usage/testdata/sites/*.txt")
	require.NoError(t, err)
	require.Len(t, files, 60)
	found := make(map[string][]string) // files, by check
	for _, name := range files {
		body, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, f := range lint.Lint(body) {
			found[f.ID] = append(found[f.ID], filepath.Base(name)[:2])
		}
	}
	assert.Equal(t, map[string][]string{
		"byte-order-mark":       {"09"},
		"signal-outside-group":  {"10", "11", "12", "49", "60"},
		"disobeying-crawler":    {"46"},
		"repeated-group":        {"06", "07"},       // the network's group, and the site's own
		"everything-disallowed": {"35", "55", "56"}, // 35 but for the home page
	}, found)
}
