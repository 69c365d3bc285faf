package command

import (
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
	uses "github.com/go-polite/polite/robots/usage"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Help is asked for in many ways.
func TestHelp(t *testing.T) {
	for _, test := range []struct{ args, same []string }{
		{nil, []string{"help"}},
		{[]string{"-h"}, []string{"help"}},
		{[]string{"--help"}, []string{"help"}},
		{[]string{"get", "-h"}, []string{"help", "get"}},
		{[]string{"get", "http://127.0.0.1/", "--help"}, []string{"help", "get"}},
		{[]string{"help", "-h"}, []string{"help", "help"}},
		{[]string{"cache", "list", "-h"}, []string{"help", "cache", "list"}},
		{[]string{"help", "robots"}, []string{"help", "robots.txt"}},
		{[]string{"robots.txt"}, []string{"help", "robots.txt"}},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			got := runCommand(t, test.args...)
			assert.Equal(t, 0, got.status)
			assert.Empty(t, got.stderr)
			assert.NotEmpty(t, got.stdout)
			assert.Equal(t, runCommand(t, test.same...), got)
		})
	}
	assert.Equal(t, guide("robots")+"\n", runCommand(t, "help", "robots.txt").stdout)
}

// Every command has a help of its own that fits on a terminal, and says what each flag does.
func TestHelpOfEach(t *testing.T) {
	polite := newPolite(verb.Streams{}, io.Discard)
	overview := runCommand(t, "help").stdout
	for _, c := range polite.Commands() {
		assert.NotEmpty(t, c.Long, c.Name())
		assert.Contains(t, overview, c.Name(), "the overview")
		assertFits(t, runCommand(t, "help", c.Name()).stdout)
		for _, below := range c.Commands() {
			assertFits(t, runCommand(t, "help", c.Name(), below.Name()).stdout)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) { assert.NotEmpty(t, f.Usage, "%s --%s", c.Name(), f.Name) })
	}
	assertFits(t, overview)
	for _, name := range []string{"robots", "usage"} {
		assert.Less(t, strings.Count(guide(name), "\n"), 66, "a page")
	}
}

// guide returns a text of the help.
func guide(name string) string {
	text, err := texts.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	return string(text)
}

func assertFits(t *testing.T, text string) {
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
	}
}

// The guide's examples are true.
func TestGuideRules(t *testing.T) {
	lines := regexp.MustCompile(`(?m)^    (/\S+)  +(/\S+(?:, \S+)*)(?:  +not (\S+(?:, \S+)*))?`).FindAllStringSubmatch(guide("robots"), -1)
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
	_, text, _ := strings.Cut(guide("robots"), "have their own.\n\n")
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
	_, example, _ := strings.Cut(guide("usage"), "about fetching.\n\n")
	text, _, _ := strings.Cut(example, "    /news/1")
	text = strings.ReplaceAll(text, "    ", "")
	assert.Nil(t, lint.Lint([]byte(text)))
	lines := regexp.MustCompile(`(?m)^    (/\S+)  +(\S.*?\S)  +for (everyone else|ExampleBot)$`).FindAllStringSubmatch(guide("usage"), -1)
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
