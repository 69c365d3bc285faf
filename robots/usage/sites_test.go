package usage_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// The files in testdata/sites are made up after files that sites and delivery networks
// publish. testdata/sites.tsv has the meaning of each.
func TestSites(t *testing.T) {
	told := make(map[string]bool)
	table, err := os.ReadFile("testdata/sites.tsv")
	require.NoError(t, err)
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSpace(line), "\t")
		require.Len(t, cells, 4, line)
		name, crawler, target, want := cells[0], cells[1], cells[2], cells[3]
		body, err := os.ReadFile(filepath.Join("testdata/sites", name))
		require.NoError(t, err)
		for _, lineEnd := range []string{"\n", "\r\n"} {
			f := robots.Parse(bytes.ReplaceAll(body, []byte("\n"), []byte(lineEnd)))
			assert.Equal(t, want, letters(usage.Of(f, target, crawler)), "%s: %s at %s", name, crawler, target)
		}
		told[name] = true
	}
	files, err := os.ReadDir("testdata/sites")
	require.NoError(t, err)
	assert.Len(t, files, 60)
	for _, file := range files {
		assert.True(t, told[file.Name()], "%s is not in the table", file.Name())
	}
}

// letters returns the meaning of a statement in the form of the table.
func letters(s usage.Statement) (text string) {
	for _, use := range []usage.Use{usage.Search, usage.AIInput, usage.TrainAI} {
		text += []string{"-", "y", "n"}[s.Allows(use)]
	}
	return text
}
