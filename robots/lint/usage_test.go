package lint_test

import (
	"os"
	"path/filepath"
	"slices"
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

// A mistake in a statement is found at its position, and the message says what to write.
func TestUsageText(t *testing.T) {
	var got []string
	for _, f := range lint.Lint([]byte("User-agent: *\nContent-Signal: search=y, ai_train=no\nContent-Usage: /x search=n, train-ai\nContent-Usage: Search=n\nContent-Signal: /x search=no\nDisallow: /y\n")) {
		got = append(got, f.String())
	}
	assert.Equal(t, []string{
		`2:17: error: this says neither yes nor no; write "search=no" or "search=yes" [usage-value]`,
		`2:27: error: Content-Signal has no use "ai_train" that crawlers are known to read; write "ai-train" [misspelled-use]`,
		`3:29: error: this says neither yes nor no; write "train-ai=n" or "train-ai=y" [usage-value]`,
		`4:16: error: nothing of the line counts, as it is malformed; write uses in lower case and with commas between them, as in "train-ai=n, search=y" [malformed-usage]`,
		`5:17: error: Content-Signal is for all paths, so "/x search=no" says nothing; leave the path out, or write "Content-Usage: /x search=n" [path-in-signal]`,
	}, got)
	assert.True(t, slices.IsSorted(got))
}

// A content-signal with a path is told what it would say as a content-usage.
func TestPathInSignal(t *testing.T) {
	for signal, want := range map[string]string{
		"/blog/ ai-train=yes":          `"/blog/ ai-train=yes" says nothing; leave the path out, or write "Content-Usage: /blog/ train-ai=y"`,
		"/a ai-train=no, ai-input=Yes": `"/a ai-train=no" says nothing; leave the path out, or write "Content-Usage: /a train-ai=n, ai-use=y"`,
		"*.pdf search=no":              `"*.pdf search=no" says nothing; leave the path out, or write "Content-Usage: /*.pdf search=n"`,
		"/a use=full":                  `"/a use=full" says nothing; leave the path out, or write a line "Content-Usage" with it`,
		"/a ai-train=maybe":            `"/a ai-train=maybe" says nothing; leave the path out, or write a line "Content-Usage" with it`,
		"/a":                           `"/a" says nothing; leave the path out, or write a line "Content-Usage" with it`,
	} {
		assert.Contains(t, find(lint.Lint([]byte("user-agent: *\ncontent-signal: "+signal)), "path-in-signal").Message, want)
	}
}

// Slips that say nothing at all are found, too.
func TestUsageSlips(t *testing.T) {
	var got []string
	body := []byte("User-agent: *\nContent-Signal: search=yes, ai-train:no\nContent-Signal search=yes, ai-train=no\nContent-Usage: ai-use=n\nContent-Usage: ai_use=n\nContent-Signals: ai-train=no\nContent-Signal: search=yes; ai-input=no\nContent-Signal: use=full, ai-train=no search=yes\nContent-Usage: /a ai-use=n, train-ai=y; search=n\nDisallow: /y\n")
	for _, f := range lint.Lint(body) {
		got = append(got, f.String())
		if f.Edit != nil {
			assert.NotContains(t, ids(lint.Lint(f.Apply(body)))[f.Line], f.ID, f.Message)
		}
	}
	assert.Equal(t, []string{
		`2:29: error: this says nothing: there is a ":" where crawlers read "=" [usage-value]`,
		`3:1: error: the line has no colon, so it says nothing about use; write "Content-Signal:" [missing-colon]`,
		`5:16: error: Content-Usage has no use "ai_use" that crawlers are known to read; write "ai-use" [misspelled-use]`,
		`6:1: error: crawlers ignore the record "Content-Signals"; did you mean "content-signal"? [mistyped-record]`,
		`7:17: error: no comma stands between this use and the next, so they do not both count; separate uses by a comma [usage-value]`,
		`8:27: error: no comma stands between this use and the next, so they do not both count; separate uses by a comma [usage-value]`,
		`9:29: error: no comma stands between this use and the next, so they do not both count; separate uses by a comma [usage-value]`,
	}, got)
}

// ids returns the checks that have found something, by line.
func ids(findings []lint.Finding) map[int][]string {
	all := make(map[int][]string)
	for _, f := range findings {
		all[f.Line] = append(all[f.Line], f.ID)
	}
	return all
}
