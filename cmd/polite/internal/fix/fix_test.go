package fix

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-polite/polite/robots/lint"
	"github.com/stretchr/testify/assert"
)

func TestListed(t *testing.T) {
	edit := func(line, from, to int, text string) lint.Finding {
		return lint.Finding{Line: line, Edit: &lint.Edit{From: from, To: to, Text: text}}
	}
	for _, test := range []struct {
		name, body string
		found      []lint.Finding
		want       string
		edits      int
	}{
		{"in any order", "ab\ncd\r\nef", []lint.Finding{edit(3, 0, 1, "E"), edit(1, 1, 2, "B"), edit(1, 0, 1, "A"), edit(2, 2, 2, "!")}, "AB\ncd!\r\nEf", 4},
		{"a line goes with its end", "a\r\nb\rc\n", []lint.Finding{edit(1, 0, 3, ""), edit(2, 0, 2, "")}, "c\n", 2},
		{"a line becomes two", "ab\nc", []lint.Finding{edit(1, 1, 1, "\n"), edit(1, 0, 1, "A"), edit(2, 0, 1, "C")}, "A\nb\nC", 3},
		{"of two that overlap, the last", "abc", []lint.Finding{edit(1, 0, 2, "x"), edit(1, 1, 3, "y")}, "ay", 1},
		{"a mark alone", "\uFEFF", []lint.Finding{edit(1, 0, 3, "")}, "", 1},
		{"a line that is not there", "a\n", []lint.Finding{edit(3, 0, 1, "")}, "a\n", 0},
		{"no edit", "a\n", []lint.Finding{{Line: 1}}, "a\n", 0},
	} {
		after, edits := Listed([]byte(test.body), test.found)
		assert.Equal(t, test.want, string(after), test.name)
		assert.Equal(t, test.edits, edits, test.name)
	}
}

// A long file is not linted more often than a short one.
func TestLongFileIsFixedInFewRounds(t *testing.T) {
	var rounds int
	fixed := func(lines int) {
		var body strings.Builder
		for i := range lines {
			fmt.Fprintf(&body, "k%d: v\n", i)
		}
		rounds = 0
		_, edits := All(t.Context(), []byte(body.String()), func(body []byte) []lint.Finding {
			rounds++
			return lint.LintUpTo(body, MostFindings)
		})
		assert.GreaterOrEqual(t, edits, lines)
	}
	fixed(10)
	few := rounds
	fixed(10_000)
	assert.Equal(t, few, rounds)
}

func TestDiff(t *testing.T) {
	for _, test := range []struct{ before, after, want string }{
		{"a\nb\nc\n", "a\nB\nc\n", "@@ -2 +2,1 @@\n-b\n+B\n"},
		{"a\nb\nc\n", "a\nb1\nb2\nc\n", "@@ -2 +2,2 @@\n-b\n+b1\n+b2\n"},
		{"a\nb\nc\nd\n", "a\nd\n", "@@ -2 +1,0 @@\n-b\n@@ -3 +1,0 @@\n-c\n"},
		{"a\nb\n", "b\n", "@@ -1 +0,0 @@\n-a\n"},
		{"a\nb\n", "a\n", "@@ -2 +1,0 @@\n-b\n"},
		{"a\nb\nc\n", "a\nC\n", "@@ -2 +2,1 @@\n-b\n+C\n@@ -3 +2,0 @@\n-c\n"},
		{"b*\nx\ny\nb\n", "b\nx\ny\nb\n", "@@ -1 +1,1 @@\n-b*\n+b\n"},
		{"x\na\nx\nc\n", "x\nx\nc\n", "@@ -2 +1,0 @@\n-a\n"},
		{"a\na\na\n", "a\n", "@@ -2 +1,0 @@\n-a\n@@ -3 +1,0 @@\n-a\n"},
	} {
		assert.Equal(t, "--- f\n+++ f\n"+test.want, Diff("f", []byte(test.before), []byte(test.after)), test.before+test.after)
	}
}
