package lint_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-polite/polite/robots/lint"
)

func TestApply(t *testing.T) {
	for _, test := range []struct {
		name, body string
		line       int
		edit       *lint.Edit
		want       string
	}{
		{"no edit", "a\nb\n", 1, nil, "a\nb\n"},
		{"a part", "a\nbcd\ne", 2, &lint.Edit{From: 1, To: 2, Text: "x"}, "a\nbxd\ne"},
		{"an insertion", "abc", 1, &lint.Edit{From: 1, To: 1, Text: "x"}, "axbc"},
		{"at the end", "a\r\nb", 1, &lint.Edit{From: 1, To: 1, Text: "x"}, "ax\r\nb"},
		{"a whole line", "a\nb\nc", 2, &lint.Edit{To: 1}, "a\n\nc"},
		{"the last line", "a\rb", 2, &lint.Edit{To: 1}, "a\r"},
		{"one line becomes two", "ab\n", 1, &lint.Edit{From: 1, To: 1, Text: "\n"}, "a\nb\n"},
		{"the mark", "\uFEFFa\nb", 1, &lint.Edit{To: 3}, "a\nb"},
		{"after the mark", "\uFEFFa\nb", 1, &lint.Edit{From: 3, To: 4, Text: "x"}, "\uFEFFx\nb"},
		{"the mark alone", "\uFEFF", 1, &lint.Edit{To: 3}, ""},
		{"below the mark", "\uFEFFa\nb", 2, &lint.Edit{To: 1, Text: "x"}, "\uFEFFa\nx"},
		{"longer than the line", "ab\nc", 1, &lint.Edit{To: 3}, "ab\nc"},
		{"less than the line", "ab", 1, &lint.Edit{From: -1, To: 1}, "ab"},
		{"backwards", "ab", 1, &lint.Edit{From: 2, To: 1}, "ab"},
		{"no such line", "ab\n", 2, &lint.Edit{Text: "x"}, "ab\n"},
		{"line 0", "ab\n", 0, &lint.Edit{Text: "x"}, "ab\n"},
		{"nothing", "", 2, &lint.Edit{}, ""},
	} {
		body := []byte(test.body)
		assert.Equal(t, test.want, string(lint.Finding{Line: test.line, Edit: test.edit}.Apply(body)), test.name)
		assert.Equal(t, test.body, string(body), test.name)
	}
}
