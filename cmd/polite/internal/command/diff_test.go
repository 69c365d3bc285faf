package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDiffMisuse(t *testing.T) {
	const shop = "testdata/shop.txt"
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "which two?"},
		{[]string{shop}, "which two?"},
		{[]string{shop, shop, shop}, "which two?"},
		{[]string{"-", "-"}, `"-" twice`},
		{[]string{"--urls", "-", "-", shop}, `"-" twice`},
		{[]string{"--json", "--markdown", shop, shop}, "--json and --markdown do not go together"},
		{[]string{"ftp://example.com/", shop}, "begins with https:// or http://"},
		{[]string{"-A", "", shop, shop}, "write a name of letters from a to z, as in GPTBot"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) { assertMisuse(t, "diff", test.want, test.args...) })
	}
}

// Two files that are the same are silent, whatever they are.
func TestDiffOfTheSame(t *testing.T) {
	for _, body := range []string{"", "<html>", "user-agent: *\ndisallow: /\x1b[2J\u202e*\ncrawl-delay: x", strings.Repeat("user-agent: *\nallow: /*a\n", 20_000)} {
		file := filepath.Join(t.TempDir(), "robots.txt")
		require.NoError(t, os.WriteFile(file, []byte(body), 0o644))
		for _, form := range []string{"--json", "--no-cache"} {
			got := runCommand(t, "diff", form, file, file)
			assert.Zero(t, got.status)
			assert.Empty(t, got.stdout)
		}
	}
}

// Text of a file does nothing where it is shown.
func TestDiffIsPrintable(t *testing.T) {
	const evil = "\x1b[2J\u202e\u200b##[error]"
	old := "user-agent: *\ndisallow: /" + evil + "\n" + evil + ": " + evil
	for _, form := range []string{"--json", "--markdown", "--no-cache"} {
		got := runWithInput(t, old, "diff", form, "-", "testdata/shop.txt")
		assert.Equal(t, 3, got.status)
		assert.NotContains(t, got.stdout, "\x1b")
		assert.NotContains(t, got.stdout, "\u202e")
		assert.NotContains(t, got.stdout, "##[")
	}
}

// Of files that name thousands of crawlers not all are compared, which is a failure.
func TestDiffOfTooManyCrawlers(t *testing.T) {
	var b strings.Builder
	for i := range 12_000 {
		fmt.Fprintf(&b, "user-agent: a%d\n", i)
	}
	for i := range 20_000 {
		fmt.Fprintf(&b, "x%d: y\n", i)
	}
	file := filepath.Join(t.TempDir(), "robots.txt")
	require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	got := runWithInput(t, strings.ReplaceAll(b.String(), "y\n", "z\n"), "diff", "--json", file, "-")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "too many crawlers to compare all")
	assert.Equal(t, 40_000, strings.Count(got.stdout, "\n"))
	assert.Less(t, len(got.stdout), 5_000_000)
}

// A list of URLs is not kept in memory, and each URL takes little time.
func TestDiffOfManyURLs(t *testing.T) {
	urls := long.Or(5_000, 20_000)
	args := []string{"diff", "--urls", "-", "--json", "testdata/shop.txt", "testdata/shop-new.txt"}
	for i := range 10 {
		args = append(args, "-A", fmt.Sprint("Crawler", string(rune('a'+i))))
	}
	r, w := io.Pipe()
	go func() {
		for i := range urls {
			fmt.Fprintf(w, "https://shop.example/page/2%d\n", i)
		}
		w.Close()
	}()
	var out counter
	status := runTo(t.Context(), args, streams(r, &out, io.Discard))
	assert.Equal(t, 3, status)
	assert.Greater(t, out.lines, urls)
	assert.Less(t, out.most, 1000, "a line at a time")
}

// A counter counts the lines that are written, and how long the longest write is.
type counter struct{ lines, most int }

func (c *counter) Write(p []byte) (int, error) {
	c.lines += bytes.Count(p, []byte("\n"))
	c.most = max(c.most, len(p))
	return len(p), nil
}

// Of many URLs, those for which the same changes are told together.
func TestDiffSummary(t *testing.T) {
	var urls strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&urls, "https://shop.example/p/%d\n", i)
	}
	urls.WriteString("/other\n")
	old, list := filepath.Join(t.TempDir(), "old.txt"), filepath.Join(t.TempDir(), "urls.txt")
	require.NoError(t, os.WriteFile(old, []byte("user-agent: *\nallow: /\nuser-agent: a\nuser-agent: b\ndisallow: /other\n"), 0o644))
	require.NoError(t, os.WriteFile(list, []byte(urls.String()), 0o644))
	rules := "user-agent: *\ndisallow: /p/\nuser-agent: a\nuser-agent: b\ndisallow: /p\n"
	got := runWithInput(t, rules, "diff", "--urls", list, old, "-")
	assert.Equal(t, 3, got.status)
	assert.Contains(t, got.stdout, "allowed 2        disallowed 2     *                     https://shop.example/p/0 and 4999 more\n")
	assert.Contains(t, got.stdout, "allowed          disallowed 5     a, b                  https://shop.example/p/0 and 4999 more\n")
	assert.Contains(t, got.stdout, "disallowed 5     allowed          a, b                  /other\n")
	assert.Less(t, strings.Count(got.stdout, "\n"), 12)
	assert.Equal(t, "10001 verdicts change, for 3 of 3 crawlers\n", got.stderr)

	got = runWithInput(t, rules, "diff", "--markdown", "--urls", list, old, "-")
	assert.Contains(t, got.stdout, "and 4999 more |\n")
	assert.Contains(t, got.stdout, "**10001 verdicts change, for 3 of 3 crawlers.**")
	got = runWithInput(t, rules, "diff", "--json", "--urls", list, old, "-")
	assert.Less(t, strings.Count(got.stdout, `"kind":"verdict"`), 10_001, "the crawlers of a URL are told together when many are told")
	told := make(map[string]bool)
	for _, url := range regexp.MustCompile(`/p/\d+","crawlers":\["\*"`).FindAllString(got.stdout, -1) {
		told[url] = true
	}
	assert.Len(t, told, 5000)
}

// A web page in place of the file is told: it allows everything.
func TestDiffOfAPage(t *testing.T) {
	for file, want := range map[string]string{
		"<!DOCTYPE html>": "polite diff: new is a web page, in which crawlers find nothing: see polite lint\n",
		"user-agent: *\n": "",
	} {
		t.Chdir(t.TempDir())
		require.NoError(t, os.WriteFile("old", []byte("user-agent: *\ndisallow: /x\n"), 0o600))
		require.NoError(t, os.WriteFile("new", []byte(file), 0o600))
		assert.Equal(t, want+"1 verdict changes, for 1 of 1 crawler\n", runCommand(t, "diff", "old", "new").stderr)
	}
}

// A preference that changes fails a build, and what text says in its headlines JSON says, too.
func TestDiffOfPreferences(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, body := range map[string]string{
		"old": "user-agent: *\ncontent-signal: ai-train=no\ndisallow: /x\n", "new": "user-agent: *\ncontent-signal: ai-train=yes\ndisallow: /x\n",
		"moved": "\n\nuser-agent: *\ncontent-signal: ai-train=no\ndisallow: /x\n", "shut": "user-agent: *\ncontent-signal: ai-train=no\ndisallow: /\n",
	} {
		require.NoError(t, os.WriteFile(name, []byte(body), 0o600))
	}
	got := runCommand(t, "diff", "old", "new")
	assert.Equal(t, 3, got.status)
	assert.Contains(t, got.stderr, "no verdict changes for 1 crawler, and 2 preferences about the use of pages")
	assert.Equal(t, 0, runCommand(t, "diff", "old", "moved").status)
	got = runCommand(t, "diff", "--json", "old", "shut")
	assert.Equal(t, 3, got.status)
	assert.True(t, strings.HasPrefix(got.stdout, `{"kind":"headline","change":"now","text":"may now fetch nothing`), got.stdout)
	got = runCommand(t, "diff", "--markdown", "old", "new")
	assert.Contains(t, got.stdout, "- record new: <code>content-signal&#58; ai-train=yes</code> (line 2, for &#42;)\n")
}

// Crawlers × rules and crawlers × URLs are told in nine times the octets of files that are not small, and what is left out
// is counted. Each URL is told, as long as two of its crawlers would not take more than it.
func TestDiffIsBounded(t *testing.T) {
	t.Chdir(t.TempDir())
	var names, rules, groups, urls strings.Builder
	for i := range 150 {
		fmt.Fprintf(&names, "user-agent: a%d\n", i)
		fmt.Fprintf(&groups, "user-agent: a%d\ndisallow: /\ndisallow: /%d\n", i, i)
	}
	for i := range 4_000 {
		fmt.Fprintf(&rules, "%sallow:/%d\n", []string{"", "dis"}[i%2], i)
	}
	for i := range 2_000 {
		fmt.Fprintf(&urls, "https://shop.example/page/%d\n", i)
	}
	allows, disallows := "user-agent: *\nallow: /"+strings.Repeat("*a", 400), "user-agent: *\ndisallow: /"+strings.Repeat("*b", 400)
	for name, body := range map[string]string{"none": "", "names": names.String() + rules.String(), "groups": groups.String(), "allows": allows, "disallows": disallows, "urls": urls.String()} {
		require.NoError(t, os.WriteFile(name, []byte(body), 0o600))
	}
	for _, test := range []struct {
		args   []string
		size   int
		untold bool
		status int
		told   string // on standard error
	}{
		{[]string{"--json", "names", "none"}, names.Len() + rules.Len(), true, 3, ""},
		{[]string{"none", "names"}, names.Len() + rules.Len(), true, 3, ""},
		{[]string{"--json", "--urls", "urls", "none", "groups"}, groups.Len() + urls.Len(), false, 3, ""},
		{[]string{"--urls", "urls", "none", "groups"}, groups.Len() + urls.Len(), false, 3, ""},
		{[]string{"--json", "allows", "disallows"}, len(allows) + len(disallows), false, 1, "polite diff: the files have too many rules to compare all: changes may be missing\n"},
	} {
		got := runCommand(t, append([]string{"diff"}, test.args...)...)
		assert.Equal(t, test.status, got.status)
		assert.Contains(t, got.stderr, test.told)
		assert.LessOrEqual(t, len(got.stdout), 9*test.size+500_000, "%v", test.args)
		assert.Equal(t, test.untold, strings.Contains(got.stderr, "polite diff: there are too many changes to tell all: "), got.stderr)
		if test.args[1] == "--urls" {
			assert.Contains(t, got.stdout, `"url":"https://shop.example/page/1999"`)
		}
	}
}
