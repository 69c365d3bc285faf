package printable

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-polite/polite/robots/lint"
)

// shown are texts that stay, in any form.
var shown = []string{
	"", "disallow:/~x", `\u202e\x1b`, "%E2%80%AE%", "é,ツ,ة,ש,क्षि,ạ̈", "👍🏽", "[a]#[b]##", "##a-b[c]", "\uFFFD", "…",
}

func TestShown(t *testing.T) {
	for _, s := range shown {
		for name, escape := range map[string]func(string) string{"Text": Text, "Lines": Lines, "URL": URL, "JSON": JSON} {
			assert.Equal(t, s, escape(s), name)
		}
	}
}

func TestShownDoesNotAllocate(t *testing.T) {
	for _, s := range shown {
		for name, escape := range map[string]func(string) string{"Text": Text, "Lines": Lines, "URL": URL, "JSON": JSON} {
			assert.Zero(t, testing.AllocsPerRun(10, func() { escape(s) }), "%s of %q", name, s)
		}
	}
}

// An excerpt is no longer than asked for, but for its dots, and has whole characters.
func TestExcerpt(t *testing.T) {
	for _, test := range []struct {
		s    string
		most int
		want string
	}{
		{"", 4, ""}, {"abcd", 4, "abcd"}, {"abcde", 4, "abcd..."}, {"aéé", 4, "aé..."}, {"ééé", 4, "éé..."}, {"a👍", 4, "a..."}, {"👍", 3, "..."},
		{"\x1b", 4, `\x1b`}, {"a\x1b", 4, `a\x1...`}, {strings.Repeat("a", 100), 4, "aaaa..."},
	} {
		assert.Equal(t, test.want, Excerpt(test.s, test.most), "%q", test.s)
	}
}

func TestEscaped(t *testing.T) {
	for _, test := range []struct{ name, s, text, url, json string }{
		{"ANSI", "\x1b[31m", `\x1b[31m`, "%1B[31m", `\u001b[31m`},
		{"OSC", "\x1b]0;x\a", `\x1b]0;x\a`, "%1B]0;x%07", `\u001b]0;x\u0007`},
		{"C1", "\u009b2J\u0085", `\u009b2J\u0085`, "%C2%9B2J%C2%85", `\u009b2J\u0085`},
		{"DEL", "\x7f", `\x7f`, "%7F", `\u007f`},
		{"not UTF-8", "a\x9b\xe2\x80", `a\x9b\xe2\x80`, "a%9B%E2%80", `a\ufffd\ufffd\ufffd`},
		{"a surrogate", "\xed\xa0\x80", `\xed\xa0\x80`, "%ED%A0%80", `\ufffd\ufffd\ufffd`},
		{"carriage return", "a\rb", `a\rb`, "a%0Db", `a\u000db`},
		{"override", "\u202egnp.exe", `\u202egnp.exe`, "%E2%80%AEgnp.exe", `\u202egnp.exe`},
		{"isolate and mark", "\u2066\u200f\u061c", `\u2066\u200f\u061c`, "%E2%81%A6%E2%80%8F%D8%9C", `\u2066\u200f\u061c`},
		{"no width", "\u200b\ufeff\u00ad", `\u200b\ufeff\u00ad`, "%E2%80%8B%EF%BB%BF%C2%AD", `\u200b\ufeff\u00ad`},
		{"separators", "\u2028\u2029", `\u2028\u2029`, "%E2%80%A8%E2%80%A9", `\u2028\u2029`},
		{"no character", "\uffff", `\uffff`, "%EF%BF%BF", `\uffff`},
		{"tags", "\U000E0041", `\U000e0041`, "%F3%A0%81%81", `\udb40\udc41`},
		{"fillers", "\u3164\u115f\uffa0\u2800", `\u3164\u115f\uffa0\u2800`, "%E3%85%A4%E1%85%9F%EF%BE%A0%E2%A0%80", `\u3164\u115f\uffa0\u2800`},
		{"blank letters", "\U00013441\U00013442\U00016FE4\U0001D159", `\U00013441\U00013442\U00016fe4\U0001d159`, "%F0%93%91%81%F0%93%91%82%F0%96%BF%A4%F0%9D%85%99", `\ud80d\udc41\ud80d\udc42\ud81b\udfe4\ud834\udd59`},
		{"variation selectors", "\ufe0f\U000E0100", `\ufe0f\U000e0100`, "%EF%B8%8F%F3%A0%84%80", `\ufe0f\udb40\udd00`},
		{"private and not assigned", "\ue000\u0378", `\ue000\u0378`, "%EE%80%80%CD%B8", `\ue000\u0378`},
		{"a command in a log", "x ##[stop-commands]y", `x ##\x5bstop-commands]y`, "x%20##%5Bstop-commands]y", `x ##\u005bstop-commands]y`},
		{"with another bracket", "##[[x]", `##\x5b[x]`, "##%5B[x]", `##\u005b[x]`},
		{"with any letters", "##azAZ[x]", `##azAZ\x5bx]`, "##azAZ%5Bx]", `##azAZ\u005bx]`},
		{"another's", "##vso[task.setvariable]", `##vso\x5btask.setvariable]`, "##vso%5Btask.setvariable]", `##vso\u005btask.setvariable]`},
		{"after what only looks empty", "##\u200b[x]", `##\u200b[x]`, "##%E2%80%8B[x]", `##\u200b[x]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.text, Text(test.s))
			assert.Equal(t, test.text, Lines(test.s))
			assert.Equal(t, test.url, URL(test.s))
			assert.Equal(t, test.json, JSON(test.s))
		})
	}
}

// The forms differ in white space.
func TestWhiteSpace(t *testing.T) {
	const s = "a b\tc\u00a0d\u3000e\nf"
	assert.Equal(t, `a b\tc\u00a0d\u3000e\nf`, Text(s))
	assert.Equal(t, s, Lines(s))
	assert.Equal(t, "a%20b%09c%C2%A0d%E3%80%80e%0Af", URL(s))
	assert.Equal(t, `a b\u0009c\u00a0d\u3000e`+"\nf", JSON(s))
}

func TestError(t *testing.T) {
	assert.NoError(t, Error(nil))
	assert.Same(t, io.EOF, Error(io.EOF))
	err := Error(fmt.Errorf("\x1b[2J: %w", io.EOF))
	assert.EqualError(t, err, `\x1b[2J: EOF`)
	assert.ErrorIs(t, err, io.EOF)
	assert.Same(t, err, Error(err))
	assert.EqualError(t, errors.Join(err), err.Error())
}

// Package robots can import nothing, and has a table of its own.
func TestLintIsPrintable(t *testing.T) {
	quoted := regexp.MustCompile(`^".*" is ignored`)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) || r == '\r' || shows(r) || !unicode.IsPrint(r) && r > 0x300 && r%61 != 0 { // one in 61 of a million
			continue
		}
		for _, f := range lint.Lint([]byte("user-agent: *\ndisallow:\na" + string(r) + "a")) {
			require.Equal(t, Text(f.Message), f.Message, "%U", r)
			require.True(t, f.ID != "missing-colon" || quoted.MatchString(f.Message), f.Message)
		}
	}
}

// acting finds characters that must not be in an output. It has a definition of its own.
var acting = regexp.MustCompile(`##[a-zA-Z]*\[|[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\x{A0}\x{1680}\x{2000}-\x{200F}\x{202F}\x{205F}\x{3000}` +
	`\x{34F}\x{115F}\x{1160}\x{17B4}\x{17B5}\x{180B}-\x{180F}\x{2060}-\x{206F}\x{2800}\x{3164}\x{FE00}-\x{FE0F}\x{FFA0}\x{E0000}-\x{E0FFF}]`)

var whiteSpace = regexp.MustCompile(`[\n\t\p{Zs}]`)

func FuzzPrintable(f *testing.F) {
	for _, s := range shown {
		f.Add(s)
	}
	for _, s := range []string{"\x1b[2J\x9b\u009b", "\u202e\u2066\r\n\t", "##[x]##a[", "\U000e0041\ufe0f\u3164", "\xff\xed\xa0\x80", `"\u202e"`, "%zz \u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		requireSafe(t, Text(s))
		requireSafe(t, URL(s))
		requireSafe(t, whiteSpace.ReplaceAllString(Lines(s), " "))
		require.NotContains(t, URL(s), " ")
		for _, escape := range []func(string) string{Text, Lines, URL} {
			require.Equal(t, escape(s), escape(escape(s)), "once is enough")
			require.LessOrEqual(t, len(escape(s)), 4*len(s))
		}
		requireReadable(t, s)
	})
}

func requireSafe(t *testing.T, s string) {
	require.True(t, utf8.ValidString(s), "%q", s)
	require.False(t, acting.MatchString(s), "%q", s)
}

// requireReadable checks that the original can be read from the escaped text.
func requireReadable(t *testing.T, s string) {
	if !strings.Contains(s, `\`) {
		back, err := strconv.Unquote(`"` + strings.ReplaceAll(Text(s), `"`, `\"`) + `"`)
		require.NoError(t, err)
		require.Equal(t, s, back)
	}
	if !strings.Contains(s, "%") {
		back, err := url.PathUnescape(URL(s))
		require.NoError(t, err)
		require.Equal(t, s, back)
	}
	line, err := json.Marshal(s)
	require.NoError(t, err)
	var want, got string
	require.NoError(t, json.Unmarshal(line, &want))
	require.NoError(t, json.Unmarshal([]byte(JSON(string(line))), &got))
	require.Equal(t, want, got)
	requireSafe(t, JSON(string(line)))
}

func TestDuration(t *testing.T) {
	for given, want := range map[string]string{
		"46.123456s": "46s", "1h0m0.6s": "1h0m1s", "10s": "10s", "9.96s": "10s", "2.34s": "2.3s", "987.654321ms": "988ms", "400ns": "0s", "-1.5ms": "-2ms",
	} {
		d, err := time.ParseDuration(given)
		require.NoError(t, err)
		assert.Equal(t, want, Duration(d).String(), given)
	}
}
