package main

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
	uses "github.com/go-polite/polite/robots/usage"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHelp(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, usage},
		{[]string{"help"}, usage},
		{[]string{"-h"}, usage},
		{[]string{"--help"}, usage},
		{[]string{"help", "-h"}, usage},
		{[]string{"help", "get"}, getUsage},
		{[]string{"get", "-h"}, getUsage},
		{[]string{"get", "http://127.0.0.1/", "--help"}, getUsage},
		{[]string{"help", "demo"}, demoUsage},
		{[]string{"demo", "-h"}, demoUsage},
		{[]string{"help", "version"}, versionUsage},
		{[]string{"help", "help"}, usage},
		{[]string{"help", "robots.txt"}, guide},
		{[]string{"help", "robots"}, guide},
		{[]string{"help", "sites"}, sitesGuide},
		{[]string{"help", "usage"}, usageGuide},
		{[]string{"check", "--help"}, checkUsage},
		{[]string{"help", "lint"}, lintUsage()},
		{[]string{"help", "records"}, recordsUsage},
		{[]string{"help", "diff"}, diffUsage},
		{[]string{"crawlers", "--help"}, crawlersUsage},
		{[]string{"sitemaps", "-h"}, sitemapsUsage},
		{[]string{"version", "-h"}, versionUsage},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			assert.Equal(t, result{0, test.want, ""}, runCommand(t, test.args...))
		})
	}
}

// Every command has a help of its own that shows how to write it, and all of it
// fits on a terminal.
func TestHelpOfEach(t *testing.T) {
	for _, v := range verbs() {
		assert.Contains(t, usage, "    polite "+v.Name+" ", "the overview")
		if v.Name != "help" {
			assert.True(t, strings.HasPrefix(v.Usage, "usage: polite "+v.Name), v.Usage)
		}
		assertFits(t, v.Usage)
	}
	assertFits(t, usage)
	assertFits(t, sitesGuide)
	for _, guide := range []string{guide, usageGuide} {
		assertFits(t, guide)
		assert.Less(t, strings.Count(guide, "\n"), 66, "a page")
	}
}

func assertFits(t *testing.T, text string) {
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
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

// What the guide to use says of its example is so, and lint finds nothing in it.
func TestUsageGuide(t *testing.T) {
	_, example, _ := strings.Cut(usageGuide, "about fetching.\n\n")
	text, _, _ := strings.Cut(example, "    /news/1")
	text = strings.ReplaceAll(text, "    ", "")
	assert.Nil(t, lint.Lint([]byte(text)))
	lines := regexp.MustCompile(`(?m)^    (/\S+)  +(\S.*?\S)  +for (everyone else|ExampleBot)$`).FindAllStringSubmatch(usageGuide, -1)
	require.Len(t, lines, 3)
	for _, line := range lines {
		said := uses.Of(robots.Parse([]byte(text)), line[1], strings.ReplaceAll(line[3], " ", "-"))
		var all []string
		for _, use := range said.Uses() {
			all = append(all, string(use)+" "+said.Allows(use).String())
		}
		assert.Equal(t, line[2], strings.Join(all, ", "), line[0])
	}
}
