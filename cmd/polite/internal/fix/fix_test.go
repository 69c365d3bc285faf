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
	fixed(MostFindings)
	assert.Equal(t, few, rounds)
}
