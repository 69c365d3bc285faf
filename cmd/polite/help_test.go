package main

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every command has a help of its own that shows how to write it, and all of it
// fits on a terminal.
func TestHelpOfEach(t *testing.T) {
	for _, c := range commands() {
		assert.Contains(t, usage, "    polite "+c.name+" ", "the overview")
		if c.name != "help" {
			assert.True(t, strings.HasPrefix(c.usage, "usage: polite "+c.name), c.usage)
		}
		assertFits(t, c.usage)
	}
	assertFits(t, guide)
	assert.Less(t, strings.Count(guide, "\n"), 66, "a page")
}

func assertFits(t *testing.T, text string) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "    ") { // of what is listed, the code comes first
			assert.LessOrEqual(t, utf8.RuneCountInString(line), 85, line)
		}
	}
}

// The guide's examples are true.
func TestGuideRules(t *testing.T) {
	lines := regexp.MustCompile(`(?m)^    (/\S+)  +(/\S+(?:, \S+)*)(?:  +not (\S+(?:, \S+)*))?`).FindAllStringSubmatch(guide, -1)
	require.Len(t, lines, 5)
	for _, line := range lines {
		rule, match, miss := line[1], line[2], line[3]
		f := robots.Parse([]byte("user-agent: *\ndisallow: " + rule))
		for path := range strings.SplitSeq(match, ", ") {
			assert.False(t, f.Allowed("a", path), "%s matches %s", rule, path)
		}
		for path := range strings.SplitSeq(miss, ", ") {
			assert.True(t, miss == "" || f.Allowed("a", path), "%s does not match %s", rule, path)
		}
	}
}

func TestGuideFile(t *testing.T) {
	_, text, _ := strings.Cut(guide, "have their own.\n\n")
	text, _, _ = strings.Cut(text, "\nGROUPS")
	f := robots.Parse([]byte(strings.ReplaceAll(text, "    ", "")))
	assert.True(t, f.Allowed("a", "/drafts/public/1"))
	assert.False(t, f.Allowed("a", "/drafts/x"))
	assert.False(t, f.Allowed("ExampleBot", "/drafts/public/1"))
	assert.False(t, f.Allowed("otherbot", "/"))
	rule, _ := f.Rules("a").Match("/drafts/public/1")
	assert.Equal(t, 14, rule.Len())
	for sitemap := range f.Sitemaps() {
		assert.Equal(t, "https://example.com/sitemap.xml", sitemap)
	}
}

func TestClosest(t *testing.T) {
	for written, want := range map[string]string{
		"chekc": "check", "Lint": "lint", "site-maps": "sitemaps", "record": "records", "helpp": "help",
		"": "", "x": "", "robots": "", "something else": "",
	} {
		assert.Equal(t, want, closest(written, names()), written)
	}
}
