package command

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// shownOn returns what a terminal with so many columns shows of a command.
func shownOn(t *testing.T, columns uint16, input string, args ...string) string {
	t.Helper()
	screen := newTerminal(t)
	screen.resize(t, columns)
	runTo(t.Context(), args, streams(strings.NewReader(input), screen.file, io.Discard))
	return screen.text()
}

// What is a line elsewhere fits on a terminal, and says the same.
func TestLinesFit(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	for _, args := range [][]string{
		{"lint", slips},
		{"crawlers"}, {"crawlers", "ImagesiftBot"},
		{"diff", "testdata/shop.txt", "testdata/shop-new.txt"},
	} {
		shown := shownOn(t, 80, "", args...)
		for line := range strings.Lines(shown) {
			assert.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), 80, "%v", args)
		}
		assert.Equal(t, strings.Fields(runCommand(t, args...).stdout), strings.Fields(shown))
	}
}

// A table is shown if it fits, and else a row for each crawler.
func TestTableWidths(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	args := []string{"check", "-f", "testdata/shop.txt", "-A", "GPTBot", "-A", "ExampleBot", "-A", "Googlebot", "/private", "/list?sort=1"}
	table := runCommand(t, args...).stdout
	assert.Equal(t, table, shownOn(t, 200, "", args...))
	assert.Equal(t, table, shownOn(t, 80, "", args...))
	const rows = "/private\n  disallowed 3     GPTBot\n  disallowed 12    ExampleBot\n  disallowed 3     Googlebot\n\n/list?sort=1\n"
	narrow := shownOn(t, 40, "", args...)
	assert.True(t, strings.HasPrefix(narrow, rows), narrow)
	for line := range strings.Lines(narrow) {
		assert.LessOrEqual(t, len(line), 41)
	}
	uses := shownOn(t, 40, "user-agent: *\ncontent-usage: train-ai=n\n", "check", "-f", "-", "-A", "a", "-A", "b", "-A", "c", "/x")
	assert.True(t, strings.HasPrefix(uses, "/x\n  allowed          a; use: train-ai no\n"), uses)
	assert.True(t, strings.HasPrefix(shownOn(t, 70, "/private\n", args[:9]...), "/private\n  disallowed"), "of a list the URLs are not known")
	assert.True(t, strings.HasPrefix(shownOn(t, 90, "/private\n", args[:9]...), "GPTBot  "))
}

// The line below a finding fits, and the mark is below the place.
func TestLintWidths(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	file := "user-agent: *\ndisallow: /" + strings.Repeat("a", 100) + "b c" + strings.Repeat("d", 100) + "\n"
	for columns, want := range map[uint16]string{
		40:  "     2 | ...aaaaaaaaaaaaaab ccccdddd...\n       |                   ^\n",
		80:  "",
		200: "",
	} {
		shown := shownOn(t, columns, strings.ReplaceAll(file, "cd", "ccccd"), "lint", "-")
		lines := strings.SplitAfter(shown, "\n")
		text, mark := "", ""
		for i, line := range lines {
			if strings.HasPrefix(line, "     2 | ") && text == "" {
				text, mark = line, lines[i+1]
			}
		}
		assert.Contains(t, text+mark, want)
		assert.LessOrEqual(t, utf8.RuneCountInString(text), int(columns))
		place := strings.Index(mark, "^")
		assert.Equal(t, "b ", text[place-1:place+1], "%d columns: the space", columns)
	}
}

// Colours are for whoever asks.
func TestColoursAsked(t *testing.T) {
	for _, test := range []struct {
		env     string
		screen  bool
		colours bool
	}{
		{"", false, false},
		{"", true, true},
		{"NO_COLOR=1", true, false},
		{"FORCE_COLOR=1", false, true},
		{"FORCE_COLOR=0", false, false},
		{"CLICOLOR_FORCE=1", false, true},
		{"CLICOLOR_FORCE=0", false, false},
	} {
		t.Run(fmt.Sprint(test.env, test.screen), func(t *testing.T) {
			for _, name := range []string{"NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"} {
				t.Setenv(name, "")
			}
			t.Setenv("TERM", "xterm")
			if name, value, ok := strings.Cut(test.env, "="); ok {
				t.Setenv(name, value)
			}
			for _, args := range [][]string{{"check", "-f", "testdata/shop.txt", "/private"}, {"lint", slips}, {"lint", "--explain", "html"}} {
				shown := runCommand(t, args...).stdout
				if test.screen {
					shown = shownOn(t, 80, "", args...)
				}
				assert.Equal(t, test.colours, strings.Contains(shown, "\x1b["), args)
			}
		})
	}
}
