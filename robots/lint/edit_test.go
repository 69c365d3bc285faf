package lint_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-polite/polite/internal/lab/corpus"
	"github.com/go-polite/polite/robots"
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
		{"all of a line", "a\nb\nc", 2, &lint.Edit{To: 1}, "a\n\nc"},
		{"a whole line", "a\nb\nc", 2, &lint.Edit{To: 2}, "a\nc"},
		{"a whole line with CRLF", "a\r\nb\r\nc", 2, &lint.Edit{To: 3}, "a\r\nc"},
		{"half a line end", "a\r\nb\r\nc", 2, &lint.Edit{To: 2}, "a\r\nb\r\nc"},
		{"the last line", "a\rb", 2, &lint.Edit{To: 1}, "a\r"},
		{"one line becomes two", "ab\n", 1, &lint.Edit{From: 1, To: 1, Text: "\n"}, "a\nb\n"},
		{"the mark", "\uFEFFa\nb", 1, &lint.Edit{To: 3}, "a\nb"},
		{"after the mark", "\uFEFFa\nb", 1, &lint.Edit{From: 3, To: 4, Text: "x"}, "\uFEFFx\nb"},
		{"the mark alone", "\uFEFF", 1, &lint.Edit{To: 3}, ""},
		{"below the mark", "\uFEFFa\nb", 2, &lint.Edit{To: 1, Text: "x"}, "\uFEFFa\nx"},
		{"longer than the line", "ab\nc", 1, &lint.Edit{To: 4}, "ab\nc"},
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

// A second byte order mark is a part of the first key. Who takes it away changes what is read.
func TestEditOfTwoMarks(t *testing.T) {
	for text, changes := range map[string]bool{"\uFEFFuser-agent: *\ndisallow: /": false, "\uFEFF\uFEFFuser-agent: *\ndisallow: /": true} {
		body := []byte(text)
		findings := lint.Lint(body)
		i := slices.IndexFunc(findings, func(f lint.Finding) bool { return f.ID == "byte-order-mark" })
		require.GreaterOrEqual(t, i, 0)
		assert.Equal(t, changes, findings[i].Edit.Changes)
		before, after := robots.Parse(body), robots.Parse(findings[i].Apply(body))
		assert.Equal(t, changes, before.Allowed("a", "/x") != after.Allowed("a", "/x"))
	}
}

// Edits of findings that no example of a check has.
func TestEdits(t *testing.T) {
	for _, test := range []struct{ name, body, id, want string }{
		{"a line that is indented, with a comment", "user-agent: *\n  disalow: /x # y\n", "misspelled-record", "user-agent: *\n  Disallow: /x # y\n"},
		{"after the mark", "\uFEFFuseragent: *\n", "misspelled-record", "\uFEFFUser-agent: *\n"},
		{"two marks", "\uFEFF\uFEFFuser-agent: *\n", "byte-order-mark", "user-agent: *\n"},
		{"a character that begins as a mark", "\uFEEC\n", "byte-order-mark", ""},
		{"a mark, and such a character", "\uFEFF\uFEEC\n", "byte-order-mark", ""},
		{"a line above such a character", "\uFEEC\n", "no-group", ""},
		{"a part of a mark", "\xEF\xBBuser-agent: *\n", "byte-order-mark", "user-agent: *\n"},
		{"a line more, as other lines end", "user-agent: *\r\ndisallow: /a /b\r\n", "two-patterns", "user-agent: *\r\ndisallow: /a\r\ndisallow: /b\r\n"},
		{"a line above the only one", "disallow: /x\r\n", "rule-outside-group", "User-agent: *\r\ndisallow: /x\r\n"},
		{"a line above, after the mark", "\uFEFFdisallow: /x", "rule-outside-group", "\uFEFFUser-agent: *\ndisallow: /x"},
		{"a line above all, after the mark", "\uFEFFhello\r\n", "no-group", "\uFEFFUser-agent: *\r\nhello\r\n"},
		{"many names", "user-agent: a,b ; c,\ndisallow: /x", "user-agent-list", "user-agent: a\nUser-agent: b\nUser-agent: c\ndisallow: /x"},
		{"names, one of them none", "user-agent: a, b, (c)\ndisallow: /x", "user-agent-list", ""},
		{"many sitemaps", "sitemap: https://a.example/, https://b.example/ https://c.example/", "bad-sitemap", "sitemap: https://a.example/\nSitemap: https://b.example/\nSitemap: https://c.example/"},
		{"sitemaps, one of them none", "sitemap: https://a.example/ https://b.example/ x", "bad-sitemap", ""},
		{"many patterns", "user-agent: *\nDisallow:\t/a /b\t*c", "two-patterns", "user-agent: *\nDisallow:\t/a\nDisallow: /b\nDisallow: *c"},
		{"patterns, one of them none", "user-agent: *\nDisallow: /a /b c", "two-patterns", ""},
		{"patterns with commas", "user-agent: *\nDisallow: /g/, /h/", "two-patterns", "user-agent: *\nDisallow: /g/\nDisallow: /h/"},
		{"patterns with nothing but commas", "user-agent: *\nDisallow: /a,/b;/c,", "two-patterns", "user-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /c"},
		{"patterns, one of them with a comma", "user-agent: *\nDisallow: /a /b,c", "two-patterns", ""},
		{"a comment of another language", "user-agent: *\nDisallow: /a // b\n", "two-patterns", "user-agent: *\nDisallow: /a # // b\n"},
		{"all of a pattern", "user-agent: *\ndisallow: /é{%c3%a9", "non-ascii-pattern", "user-agent: *\ndisallow: /%C3%A9%7B%c3%a9"},
		{"all octets", "user-agent: *\ndisallow: /%c3%a9/%2f%", "lower-case-hex", "user-agent: *\ndisallow: /%C3%A9/%2F%"},
		{"all stars", "user-agent: *\ndisallow: /a**b***c", "repeated-star", "user-agent: *\ndisallow: /a*b*c"},
		{"all invisible characters", "user-agent: *\ndisallow: \u200b\u00a0/x", "invisible-character", "user-agent: *\ndisallow: /x"},
		{"an expression", "user-agent: *\ndisallow: ^/x", "pattern-without-slash", "user-agent: *\ndisallow: /x"},
		{"any folder or none", "user-agent: *\ndisallow: .php", "pattern-without-slash", ""},
		{"the home page", "user-agent: *\ndisallow: $", "pattern-without-slash", "user-agent: *\ndisallow: /$"},
		{"quotation marks alone", "user-agent: *\ndisallow: \"\"", "pattern-without-slash", ""},
		{"a long URL", "user-agent: *\ndisallow: https://example.com/" + strings.Repeat("x", 90), "url-as-pattern", ""},
		{"what is not UTF-8", "user-agent: *\ndisallow: \\\xff", "pattern-without-slash", ""},
		{"octets that may stand for something else", "user-agent: *\ndisallow: /x{2,3}", "raw-octet", ""},
		{"the same, with others", "user-agent: *\ndisallow: /é{2,3}", "non-ascii-pattern", ""},
		{"a bar in a query", "user-agent: *\ndisallow: /?a=b|c", "raw-octet", "user-agent: *\ndisallow: /?a=b%7Cc"},
		{"a comma", "user-agent: *\ncrawl-delay: 0,5", "bad-delay", "user-agent: *\ncrawl-delay: 0.5"},
		{"a key that may be meant", "user-agent: *\nDisallowed: /x", "longer-key", ""},
		{"a name or a folder", "user-agent: *\ndisallow: about", "pattern-without-slash", ""},
		{"a NUL that makes a line no rule", "user-agent: *\ndis\x00allow: /", "nul", ""},
		{"all or nothing", "user-agent: *\ndisallow: /", "everything-disallowed", ""},
		{"a crawler that may be another", "user-agent: Googlebto\ndisallow: /x", "misspelled-crawler", ""},
		{"paths like robots.txt", "user-agent: *\ndisallow: /robots.txt\ndisallow: /x", "robots-txt-rule", ""},
		{"a second name within a list", "user-agent: a\nuser-agent: a\nuser-agent: b\ndisallow: /", "repeated-user-agent", "user-agent: a\nuser-agent: b\ndisallow: /"},
		{"a line within a group", "user-agent: *\r\ndisallow: /x/y # z\r\ndisallow: /x\r\n", "redundant-rule", "user-agent: *\r\ndisallow: /x\r\n"},
		{"the last line", "user-agent: *\ndisallow: /x\ndisallow: /x", "duplicate-rule", "user-agent: *\ndisallow: /x\n"},
		{"a first line", "\uFEFFhost: a\nuser-agent: *\ndisallow: /x", "stale-host", "\uFEFFuser-agent: *\ndisallow: /x"},
		{"a first line above another mark", "host: a\n\uFEFFuser-agent: *\ndisallow: /x", "stale-host", "\n\uFEFFuser-agent: *\ndisallow: /x"},
		{"the last rule", "user-agent: *\nallow: /robots.txt$\nuser-agent: b\ndisallow: /", "robots-txt-rule", "user-agent: *\nDisallow:\nuser-agent: b\ndisallow: /"},
		{"a label that is a part of another", "content-signal: ai-train=no, train=no", "misspelled-use", "content-signal: ai-train=no, ai-train=no"},
		{"a record after another", "user-agent: *\ncrawl-delay: 1 \t disallow: /x", "joined-lines", "user-agent: *\ncrawl-delay: 1\ndisallow: /x"},
		{"a % that would match other paths", "user-agent: *\ndisallow: /100%", "malformed-percent", ""},
		{"a line between quotation marks", "\"User-agent: *\"\ndisallow: /x", "mistyped-record", "User-agent: *\ndisallow: /x"},
		{"a slip between them", "user-agent: *\n \"D1sallow\": “/x” # y", "mistyped-record", "user-agent: *\n Disallow: /x # y"},
		{"one of them", "user-agent: *\n\"Disallow: /x", "mistyped-record", ""},
		{"a third", "user-agent: *\n\"Disallow: /x\",\"\"", "mistyped-record", ""},
		{"one behind a pattern", "user-agent: *\ndisallow: /x\"", "raw-octet", ""},
		{"a list", "user-agent: *\n- Disallow: /", "mistyped-record", ""},
		{"a list with another mark", "user-agent: *\n• Allow: /x", "mistyped-record", ""},
		{"a list of sitemaps", "* Sitemap: https://example.com/", "mistyped-record", ""},
		{"a mark and quotation marks", "user-agent: *\n\"- Disallow: /x\"", "mistyped-record", ""},
		{"a comment of another language before a rule", "user-agent: *\n//Disallow: /", "mistyped-record", ""},
		{"a colon behind a path", "content-usage: /a/: train-ai=n", "malformed-usage", "content-usage: /a/ train-ai=n"},
		{"encoded slashes", "user-agent: *\ndisallow: %2Fadmin%2f", "pattern-without-slash", "user-agent: *\ndisallow: /admin/"},
		{"a full-width slash", "user-agent: *\ndisallow: ／admin", "pattern-without-slash", "user-agent: *\ndisallow: /admin"},
		{"an alternative", "user-agent: *\ndisallow: /x\nallow: /x", "never-wins", ""},
	} {
		f := find(lint.Lint([]byte(test.body)), test.id)
		require.NotZero(t, f, test.name)
		if test.want == "" {
			assert.Nil(t, f.Edit, test.name)
		} else {
			assert.Equal(t, test.want, string(f.Apply([]byte(test.body))), test.name)
		}
	}
}

// find returns the first finding of a check.
func find(findings []lint.Finding, id string) (f lint.Finding) {
	if i := slices.IndexFunc(findings, func(f lint.Finding) bool { return f.ID == id }); i >= 0 {
		f = findings[i]
	}
	return f
}

// revealed are errors that Lint cannot find before an edit makes a line readable.
var revealed = map[string]string{
	"Crawl delay: 3": "delay-outside-group",
	"user-agent: *\ndisallow: x user-agent: b": "pattern-without-slash",
	"user-agent: a, b Disallow: /":             "user-agent-list",
}

// withEdits are the checks of which some or all findings have edits.
var withEdits = []string{
	"allow-without-effect", "bad-delay", "bad-sitemap", "byte-order-mark", "cut-user-agent", "duplicate-rule", "empty-rule",
	"index-page", "invisible-character", "joined-lines", "left-out-colon", "lower-case-hex",
	"malformed-usage", "missing-colon", "misspelled-record", "misspelled-use", "mistyped-record", "no-group",
	"non-ascii-pattern", "pattern-without-slash", "raw-octet", "redundant-rule", "repeated-star", "repeated-user-agent",
	"robots-txt-rule", "rule-outside-group", "stale-host", "trailing-star", "two-patterns", "unknown-ignore", "unknown-record",
	"user-agent-list", "version-in-user-agent", "wide-colon",
}

// In the examples, an edit does what it should, and no harm.
func TestEditsOfExamples(t *testing.T) {
	long.NotShort(t)
	edited := make(map[string]bool)
	for body := range lint.Bodies() {
		findings := lint.Lint([]byte(body))
		for _, f := range findings {
			if f.Edit == nil {
				continue
			}
			edited[f.ID] = true
			requireEdit(t, []byte(body), f)
			if !f.Edit.Changes && len(body) < 2000 {
				newSaid(body).require(t, string(f.Apply([]byte(body))))
			}
			for _, after := range lint.Lint(f.Apply([]byte(body))) {
				known := after.Severity < lint.Error || find(findings, after.ID).ID != "" || revealed[body] == after.ID
				assert.True(t, known, "%s leads to %s: %q", f.ID, after.ID, body)
			}
		}
	}
	assert.Equal(t, withEdits, slices.Sorted(maps.Keys(edited)))
}

// An edit that lets a line count says so.
func TestEditChanges(t *testing.T) {
	for body, want := range map[string]bool{
		"user-agent: *\ndsallow: /x":      true,
		"disallow: /x":                    true,
		"user-agent: *\ndisallow: \"/x\"": true,
		"user-agent: *\nuseragent: a":     false,
		"user-agent: *\ndisallow: /a*":    false,
		"user-agent: *\nfoo: bar":         false,
	} {
		edited := slices.DeleteFunc(lint.Lint([]byte(body)), func(f lint.Finding) bool { return f.Edit == nil })
		require.NotEmpty(t, edited, body)
		assert.Equal(t, want, edited[0].Edit.Changes, body)
	}
}

// requireEdit requires that an edit is within its line, and that the edit ends the
// finding.
func requireEdit(t *testing.T, body []byte, f lint.Finding) {
	line, start := lineOf(body, f.Line)
	whole := len(line) + len(endOf(string(body[start+len(line):])))
	require.True(t, 0 <= f.Edit.From && f.Edit.From <= f.Edit.To && (f.Edit.To <= len(line) || f.Edit.To == whole), "%v in %q", f, body)
	require.True(t, utf8.ValidString(f.Edit.Text), "%v in %q", f, body)
	after := f.Apply(body)
	require.NotEqual(t, body, after)
	require.True(t, bytes.HasPrefix(after, body[:start+f.Edit.From]))
	require.True(t, bytes.HasSuffix(after, body[start+f.Edit.To:]))
	if f.Edit.To > len(line) {
		return // another line follows in its place
	}
	changed := line[:f.Edit.From] + f.Edit.Text + line[f.Edit.To:]
	require.True(t, utf8.ValidString(changed) || !utf8.ValidString(line), "%v in %q", f, body)
	added := strings.Count(f.Edit.Text, "\n")
	for _, left := range lint.Lint(after) {
		same := left.ID == f.ID && left.Column == f.Column && f.Line <= left.Line && left.Line <= f.Line+added
		require.False(t, same, "%v in %q is still there in %q", f, body, after)
	}
}

// lineOf returns a line of body, and where it begins. The first begins with the mark.
func lineOf(body []byte, number int) (line string, start int) {
	rest := string(body)
	for n := 1; ; n++ {
		end := strings.IndexAny(rest, "\r\n")
		if end < 0 {
			end = len(rest)
		}
		if n == number {
			return rest[:end], len(body) - len(rest)
		}
		rest = rest[end+len(endOf(rest[end:])):]
	}
}

// endOf returns the line end that text begins with, or "".
func endOf(text string) string {
	if strings.HasPrefix(text, "\r\n") {
		return "\r\n"
	}
	return text[:min(1, len(text))]
}

// Whatever the bytes, an edit fits, and does what it should, and nothing else.
func FuzzEdit(f *testing.F) {
	for body := range lint.Bodies() {
		if len(body) < 200 {
			f.Add(body, "x")
		}
	}
	for _, line := range hostileLines {
		f.Add("user-agent: *\n"+line(1)+line(2)+line(1), "\uFEFF"+line(3))
	}
	f.Fuzz(func(t *testing.T, body, other string) {
		if len(body) > 2000 {
			t.Skip()
		}
		requireEdits(t, body)
		for _, f := range lint.Lint([]byte(body)) {
			f.Apply([]byte(other))
		}
	})
}

func requireEdits(t *testing.T, body string) {
	said := newSaid(body)
	for i, f := range lint.Lint([]byte(body)) {
		if f.Edit == nil {
			continue
		}
		requireEdit(t, []byte(body), f)
		if i < 10 && !f.Edit.Changes {
			said.require(t, string(f.Apply([]byte(body))))
		}
	}
}

// The same for files of rules: random bytes are seldom rules.
func TestEditsOfRules(t *testing.T) {
	long.NotShort(t)
	for seed := range long.Or[uint64](50, 200) {
		requireEdits(t, randomRules(rand.New(rand.NewPCG(seed, 9309))))
	}
}

// In real files, edits do what they should. Made one after another, they come to an end.
func TestEditsOfCorpus(t *testing.T) {
	long.NotShort(t)
	bodies, err := corpus.Files(corpus.Dir(t))
	require.NoError(t, err)
	edits, steps := make(map[string]int), 0
	for host, body := range bodies {
		found := make(map[string]int)
		for _, f := range lint.Lint(body) {
			if f.Edit != nil {
				edits[f.ID]++
				if found[f.ID]++; found[f.ID] <= 3 {
					requireEdit(t, body, f)
				}
			}
		}
		steps += requireEnd(t, host, body)
	}
	t.Logf("%d steps; edits: %v", steps, edits)
}

// requireEnd requires that the edits of a file come to an end, within the number that its
// lines and octets can need. It returns the number of edits.
func requireEnd(t *testing.T, host string, body []byte) (steps int) {
	if len(body) > 5000 {
		return 0
	}
	for {
		findings := lint.Lint(body)
		i := slices.IndexFunc(findings, func(f lint.Finding) bool { return f.Edit != nil })
		if i < 0 {
			return steps
		}
		body = findings[i].Apply(body)
		steps++
		require.Less(t, steps, 5000, host)
	}
}

// Where a line of a group is in error, nobody knows what the group is meant to say: no edit removes a rule of it,
// and no finding asks for it before that line is mended.
func TestNoEditInDoubt(t *testing.T) {
	for _, line := range []string{
		"disallow= /x", "disalow: /x", "dsallow: /x", "deny: /x", "disallow /x y", ": /x", "disallow: x", "disallow: https://example.com/x",
		"disallow: /a /x", "disallow: /(x|z)/", "disallow: /{{ x }}/", "disallow: /example.com/x", "usr-agent: b", "crawl-delay: 1 disallow: /x",
		"disallow: /100%", "allow: /x/w\ndisallow: /x/w",
	} {
		for _, order := range []string{"user-agent: *\n%s\n%s\n", "user-agent: *\n%[2]s\n%[1]s\n"} {
			for _, f := range lint.Lint(fmt.Appendf(nil, order, line, "disallow: /q\nallow: /x/y\ndisallow: /q/r\ndisallow: /q")) {
				removes := slices.Contains([]string{"allow-without-effect", "redundant-rule", "duplicate-rule"}, f.ID)
				assert.False(t, removes && f.Edit != nil, "%q: %v", line, f)
				assert.Equal(t, removes, strings.Contains(f.Message, " if this is still found once "), "%q: %v", line, f)
			}
		}
	}
	for _, line := range []string{"disallow: x\n", "dsallow: /x\n"} { // many such lines are not listed
		found := lint.Lint([]byte("user-agent: a\n" + strings.Repeat(line, 250) + "disallow: /w\nuser-agent: *\n" + line + "disallow: /q\nallow: /x/y\n"))
		assert.Nil(t, find(found, "allow-without-effect").Edit, line)
		assert.NotZero(t, find(found, "allow-without-effect"))
	}
	for _, line := range []string{"sitemap: /s.xml", "crawl-delay: soon", "content-usage: Train-AI=n", "disallow: /w", "# x: y", "", "noindex: /x", "# polite-lint: ignore pattern-without-slash\ndisallow: x"} {
		found := lint.Lint([]byte("user-agent: *\n" + line + "\ndisallow: /q\nallow: /x/y\nuser-agent: b\ndisallow: x"))
		assert.NotNil(t, find(found, "allow-without-effect").Edit, line)
		assert.True(t, strings.HasSuffix(find(found, "allow-without-effect").Message, "; leave it out"), line)
	}
}

// A rule for everything is told of as such. What stood there before is not called redundant.
func TestNothingIsRedundantInClosedSite(t *testing.T) {
	for _, all := range []string{"/", "/*", "*"} {
		for _, agent := range []string{"*", "a"} {
			body := "user-agent: " + agent + "\ndisallow: " + all + "\ndisallow: /x\ndisallow: /y/z\nallow: /y"
			assert.Zero(t, find(lint.Lint([]byte(body)), "redundant-rule"), body)
		}
	}
	assert.Equal(t, 4, find(lint.Lint([]byte("user-agent: *\ndisallow: /\ndisallow: /x\ndisallow: /x/y")), "redundant-rule").Line, "because of line 3")
}
