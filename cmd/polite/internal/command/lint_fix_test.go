package command

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const faulty = "User-agent: *\r\nuseragent: Bot # x\r\nDisallow: /a*\r\n# caf\xE9\r\nDisallow: /b**c\r\nDisallow /d\r\ndissallow: /e\r\nDisallow: \"/f\"\r\n"

// Edits that change no verdict are made, and all other octets stay. With --fix=all, so are the others.
func TestLintFix(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, test := range []struct{ flag, want string }{
		{"--fix", "User-agent: *\r\nUser-agent: Bot # x\r\nDisallow: /a\r\n# caf\xE9\r\nDisallow: /b*c\r\nDisallow: /d\r\nDisallow: /e\r\nDisallow: \"/f\"\r\n"},
		{"--fix=all", "User-agent: *\r\nUser-agent: Bot # x\r\nDisallow: /a\r\n# caf\xE9\r\nDisallow: /b*c\r\nDisallow: /d\r\nDisallow: /e\r\nDisallow: /f\r\n"},
	} {
		t.Run(test.flag, func(t *testing.T) {
			require.NoError(t, os.WriteFile("robots.txt", []byte(faulty), 0o640))
			got := runCommand(t, "lint", test.flag, "robots.txt")
			after, err := os.ReadFile("robots.txt")
			require.NoError(t, err)
			assert.Equal(t, test.want, string(after), got.stdout)
			assert.True(t, strings.HasPrefix(got.stdout, "--- robots.txt\n+++ robots.txt\n@@ -2 +2,1 @@\n-useragent: Bot # x\n+User-agent: Bot # x\n@@ -3 +3,1 @@\n"), got.stdout)
			assert.NotContains(t, got.stdout, "caf", "what stays is not shown")
			info, err := os.Stat("robots.txt")
			require.NoError(t, err)
			assert.Equal(t, os.FileMode(0o640), info.Mode())
			again := runCommand(t, "lint", test.flag, "robots.txt")
			assert.NotContains(t, again.stdout, "---", "there is nothing left to do")

			got = runWithInput(t, faulty, "lint", test.flag, "-")
			assert.Equal(t, test.want, got.stdout)
		})
	}
}

// What a comment or --ignore names stays as it is, and a file that is too large to read is not cut.
func TestLintFixLeaves(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, test := range map[string]struct {
		body string
		args []string
	}{
		"a comment":  {"user-agent: *\n# polite-lint: ignore trailing-star\ndisallow: /a*\n", nil},
		"--ignore":   {"user-agent: *\ndisallow: /a*\n", []string{"--ignore", "trailing-star"}},
		"--level":    {"user-agent: *\ndisallow: /a*\n", []string{"--level", "warning"}},
		"too large":  {"user-agent: *\ndisallow: /a*\n" + strings.Repeat("#\n", 256_000), nil},
		"a web page": {"<html>\ndisallow: /a*\n", nil},
	} {
		require.NoError(t, os.WriteFile("robots.txt", []byte(test.body), 0o600))
		runCommand(t, append([]string{"lint", "--fix=all", "robots.txt"}, test.args...)...)
		after, err := os.ReadFile("robots.txt")
		require.NoError(t, err)
		assert.Equal(t, test.body, string(after), name)
	}
}

func TestLintFixMisuse(t *testing.T) {
	assertMisuse(t, "lint", "--fix edits files: save the robots.txt of the site first", "--fix", "https://example.com/")
	assertMisuse(t, "lint", "write --fix, or --fix=all", "--fix=some", "robots.txt")
	assertMisuse(t, "lint", `--fix writes the text of "-" to standard output`, "--fix", "--json", "-")
}

// Notes that say the same take one line, however many there are.
func TestLintCountsNotes(t *testing.T) {
	got := runWithInput(t, "user-agent: *\n"+strings.Repeat("disallow: /a*\ndisallow: /b*\n", 12), "lint", "--ignore", "duplicate-rule", "-")
	assert.Equal(t, 1, strings.Count(got.stdout, "[trailing-star]"), got.stdout)
	assert.Contains(t, got.stdout, "(24 times: lines 2, 3, 4, 5, 6 and others)")
	assert.Equal(t, 24, strings.Count(runWithInput(t, "user-agent: *\n"+strings.Repeat("disallow: /a*\ndisallow: /b*\n", 12), "lint", "--json", "--ignore", "duplicate-rule", "-").stdout, "trailing-star"))
}
