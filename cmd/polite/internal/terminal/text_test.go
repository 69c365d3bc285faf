package terminal

import (
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/internal/printable"
	"github.com/stretchr/testify/assert"
)

func TestPointed(t *testing.T) {
	for _, test := range []struct {
		line           string
		octet, columns int
		want           string
	}{
		{"Disallow: tmp/", 10, 70, "Disallow: tmp/\n          ^"},
		{"Disallow: tmp/", 0, 70, "Disallow: tmp/\n^"},
		{"Disallow: tmp/", 14, 70, "Disallow: tmp/\n              ^"},
		{"Disallow: tmp/", 99, 70, "Disallow: tmp/\n              ^"},
		{"Disallow: tmp/", -1, 70, "Disallow: tmp/\n^"},
		{"", 0, 70, "\n^"},
		{"\tAllow:\tx", 8, 70, " Allow: x\n        ^"},
		{"é: x", 4, 70, "é: x\n   ^"},
		{"aaaa: é: x", 7, 70, "aaaa: é: x\n      ^"},
		{"日本: x", 8, 70, "日本: x\n      ^"},
		{"e\u0301: x", 5, 70, "e\u0301: x\n   ^"},
		{"👍: x", 6, 70, "👍: x\n    ^"},
		{"a\x1b[2J: x", 7, 70, `a\x1b[2J: x` + "\n          ^"},
		{"\u202ex", 3, 70, `\u202ex` + "\n      ^"},
		{"\u202ex", 1, 70, `\u202ex` + "\n^"},
		{"x##[y", 3, 70, `x##\x5by` + "\n   ^"},
		{"\xe9x", 1, 70, `\xe9x` + "\n    ^"},
		{strings.Repeat("a", 30) + "bc" + strings.Repeat("d", 30), 30, 20, "...aaaaaaaaaabcdd...\n             ^"},
		{strings.Repeat("a", 500_000) + "b", 500_000, 20, "...aaaaaaaaaab\n             ^"},
		{"b" + strings.Repeat("a", 500_000), 0, 20, "baaaaaaaaaaaaaaaa...\n^"},
	} {
		text, spaces := Pointed(test.line, test.octet, test.columns)
		assert.Equal(t, test.want, text+"\n"+spaces+"^", "%.60q at %d", test.line, test.octet)
	}
}

// Wherever it points, what is shown fits, and does nothing.
func TestPointedHostile(t *testing.T) {
	for name, text := range origintest.Hostile() {
		line := text + "日" + strings.Repeat(text, 200)
		for octet := range len(text) * 3 {
			shown, spaces := Pointed(line, octet, 31)
			assert.Equal(t, printable.Text(shown), shown, name)
			assert.LessOrEqual(t, Cells(shown), 31, name)
			assert.LessOrEqual(t, len(spaces), Cells(shown), name)
		}
	}
}

func TestFold(t *testing.T) {
	for _, test := range []struct {
		line            string
		columns, indent int
		want            string
	}{
		{"a b c", 0, 2, "a b c"},
		{"a b c", 5, 2, "a b c"},
		{"aa bb cc", 5, 1, "aa bb\n cc"},
		{"aa bb cc", 4, 1, "aa\n bb\n cc"},
		{"a  b   c d", 8, 2, "a  b   c\n  d"},
		{"x aaaaaaaaaa b", 5, 2, "x\n  aaaaaaaaaa\n  b"},
		{"日本 語", 6, 1, "日本\n 語"},
		{"", 5, 2, ""},
	} {
		assert.Equal(t, test.want, Fold(test.line, test.columns, test.indent), test.line)
	}
}

// Behind a head, the lines of a text stand below each other.
func TestFoldBehindHead(t *testing.T) {
	long := strings.Repeat("x", 80)
	assert.Equal(t, "- "+long[:76]+" c", Fold("- "+long[:76]+" c", 80, 2), "80 columns")
	assert.Equal(t, "- "+long[:77]+"\n  c", Fold("- "+long[:77]+" c", 80, 2))
	assert.Equal(t, "日本 "+long[:75]+"\n     c", Fold("日本 "+long[:75]+" c", 80, 5), "a wide character takes two columns")
	assert.Equal(t, long+"\n  c", Fold(long+" c", 80, 2), "a word stays whole")
}
