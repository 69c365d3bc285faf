package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/robots/lint"
	"github.com/stretchr/testify/assert"
)

// On a terminal, findings that say the same are told once.
func TestGrouped(t *testing.T) {
	same := func(message string, lines ...int) (all []lint.Finding) {
		for _, line := range lines {
			all = append(all, lint.Finding{Line: line, Message: message, Severity: lint.Warning})
		}
		return all
	}
	more := same("a", 1, 2)
	more[1].More = 7
	for _, test := range []struct {
		name string
		all  []lint.Finding
		want []string
	}{
		{"one", same("a", 1), []string{"1 a"}},
		{"two", same("a", 1, 4), []string{"1 a (2 times: lines 1, 4)"}},
		{"five", same("a", 1, 2, 3, 4, 5), []string{"1 a (5 times: lines 1, 2, 3, 4, 5)"}},
		{"many", same("a", 3, 5, 7, 9, 11, 13, 15), []string{"3 a (7 times: lines 3, 5, 7, 9, 11 and others)"}},
		{"others between", slices.Concat(same("a", 1), same("b", 2), same("a", 3)), []string{"1 a (2 times: lines 1, 3)", "2 b"}},
		{"more than listed", more, []string{"1 a (2 times: lines 1, 2) (and 7 more like this)"}},
	} {
		var got []string
		for _, f := range grouped(test.all, true) {
			got = append(got, fmt.Sprint(f.Line, " ", f.Text()))
		}
		assert.Equal(t, test.want, got, test.name)
	}
	source := source{Name: "x", Findings: same("a", 1, 2)}
	assert.Equal(t, 1, strings.Count(options{}.told(source, terminal.Style{}, 80), "\n"))
	assert.Equal(t, 2, strings.Count(options{}.told(source, terminal.Style{}, 0), "\n"), "elsewhere each has a line")
}

// Notes that give other advice are told apart, whatever they quote.
func TestGroupedNotes(t *testing.T) {
	var got []string
	for _, f := range grouped(lint.Lint([]byte("User-agent: anthropic-ai\nUser-agent: Claude-Web\nUser-agent: msnbot\nUser-agent: FeedFetcher-Google\nUser-agent: ChatGPT-User\nDisallow: /a*\nDisallow: /b*\n")), false) {
		got = append(got, f.Text())
	}
	assert.Equal(t, []string{
		`no crawler has the name "anthropic-ai" any more, though ClaudeBot obeys its groups; for the same, Anthropic has ClaudeBot (ai-training)`,
		`no crawler has the name "Claude-Web" any more, though ClaudeBot obeys its groups; for the same, Anthropic has ClaudeBot (ai-training), Claude-User (ai-user)`,
		`no crawler has the name "msnbot" any more, though bingbot obeys its groups where a file has none for bingbot; for the same, Microsoft has bingbot (search)`,
		`"FeedFetcher-Google" does not obey, as its owner says (https://developers.google.com/crawling/docs/crawlers-fetchers/feedfetcher): robots.txt alone does not keep it out`,
		`"ChatGPT-User" does not always obey, as its owner says (https://developers.openai.com/api/docs/bots): robots.txt alone does not keep it out`,
		`a * at the end matches nothing more, as a pattern need not match a URL to its end; leave it out (2 times: lines 6, 7)`,
	}, got)
}

// On a terminal, all of a finding fits. Elsewhere it is a line, whatever its length.
func TestFindingFits(t *testing.T) {
	f := lint.Finding{ID: "never-wins", Line: 12, Column: 3, Message: strings.Repeat("some words, ", 20) + strings.Repeat("x", 70)}
	for line := range strings.Lines(finding(terminal.Style{}, "public/robots.txt", f, 80)) {
		assert.LessOrEqual(t, len(line), 81, line)
	}
	whole := finding(terminal.Style{}, "public/robots.txt", f, 0)
	assert.Equal(t, 1, strings.Count(whole, "\n"))
	assert.Equal(t, strings.Fields(whole), strings.Fields(finding(terminal.Style{}, "public/robots.txt", f, 80)))
	for line, want := range map[int]string{0: "x: note: ", 1: "x:1:3: note: "} {
		assert.True(t, strings.HasPrefix(finding(terminal.Style{}, "x", lint.Finding{Line: line, Column: 3}, 0), want), want)
	}
	long := strings.Repeat("x", 200)
	assert.Equal(t, pointed(terminal.Style{}, f, long, 100, 40), pointed(terminal.Style{}, f, long, 100, 4), "a place has room, however narrow the terminal is")
	t.Setenv("NO_COLOR", "")
	t.Setenv("FORCE_COLOR", "1")
	coloured := terminal.StyleFor(nil)
	assert.True(t, strings.HasPrefix(finding(coloured, "a b", f, 80), "\x1b[1ma b:12:3:\x1b[0m \x1b[1mnote:\x1b[0m some words"))
}
