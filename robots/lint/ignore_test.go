package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-polite/polite/robots/lint"
)

func TestIgnore(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"none", "user-agent: *\ndisallow: x\n", "2 pattern-without-slash"},
		{"the line before", "user-agent: *\n# polite-lint: ignore pattern-without-slash\ndisallow: x\n", ""},
		{"the same line", "user-agent: *\ndisallow: x # polite-lint: ignore pattern-without-slash\n", ""},
		{"the same line, and not the next", "user-agent: *\ndisallow: x # polite-lint: ignore pattern-without-slash\ndisallow: y\n", "3 pattern-without-slash"},
		{"one line only", "user-agent: *\n# polite-lint: ignore pattern-without-slash\ndisallow: x\ndisallow: y\n", "4 pattern-without-slash"},
		{"two lines before", "user-agent: *\n# polite-lint: ignore pattern-without-slash\n\ndisallow: x\n", "4 pattern-without-slash"},
		{"another check", "user-agent: *\n# polite-lint: ignore trailing-star\ndisallow: x\n", "3 pattern-without-slash"},
		{"several checks", "user-agent: *\n# polite-lint: ignore trailing-star, pattern-without-slash\ndisallow: x*\n", ""},
		{"several findings", "user-agent: *\n# polite-lint: ignore trailing-star, non-ascii-pattern\ndisallow: /é*\n", ""},
		{"several comments", "user-agent: *\n# polite-lint: ignore trailing-star\ndisallow: /é* # polite-lint: ignore non-ascii-pattern\n", ""},
		{"a finding on a file", "# polite-lint: ignore no-group\nhello: x\n", "2 unknown-record"},
		{"an unknown check", "user-agent: *\n# polite-lint: ignore trailing\ndisallow: /\n# polite-lint: ignore everything-disallowed", "2 unknown-ignore, 3 everything-disallowed"},
		{"a check that reports once", "user-agent: * # polite-lint: ignore line-end\rdisallow: /x\rdisallow: /y\r", ""},
		{"a use", "user-agent: *\ncontent-signal: ai-train=perhaps # polite-lint: ignore usage-value\n# polite-lint: ignore misspelled-use\ncontent-signal: train-ai=no\n", ""},
		{"a check that reports later", "user-agent: *\ndisallow: /x\n# polite-lint: ignore duplicate-rule\ndisallow: /x\n", ""},
	} {
		var got []string
		for _, f := range lint.Lint([]byte(test.body)) {
			got = append(got, fmt.Sprint(f.Line, " ", f.ID))
		}
		assert.Equal(t, test.want, strings.Join(got, ", "), test.name)
	}
}

// No edit lets a comment ignore findings in a line for which it was not written.
func TestIgnoreStays(t *testing.T) {
	const comment = "# polite-lint: ignore trailing-star\n"
	for _, test := range []struct {
		name, body string
		line       int
		has        bool // an edit
	}{
		{"a rule that goes", "user-agent: *\ndisallow: /x\n" + comment + "disallow: /x/y*\ndisallow: /z*\n", 4, false},
		{"the last line", "user-agent: *\ndisallow: /x\n" + comment + "disallow: /x/y*", 4, false},
		{"a line before", comment + "disallow: /x*\nuser-agent: *\n", 2, false},
		{"a comment in the line", "user-agent: *\ndisallow: /x\ndisallow: /x/y* # polite-lint: ignore trailing-star\n", 3, true},
		{"a line between", "user-agent: *\ndisallow: /x\n" + comment + "\ndisallow: /x/y* # polite-lint: ignore trailing-star\n", 5, true},
		{"another comment", "user-agent: *\ndisallow: /x\n# why\ndisallow: /x\n", 4, true},
		{"a # before the line", "user-agent: *\n" + comment + "hello\n", 3, true},
		{"a change in the line", "user-agent: *\n" + comment + "dissallow: /x*\n", 3, true},
	} {
		found := lint.Lint([]byte(test.body))
		i := slices.IndexFunc(found, func(f lint.Finding) bool { return f.Line == test.line })
		if assert.GreaterOrEqual(t, i, 0, test.name) {
			assert.Equal(t, test.has, found[i].Edit != nil, "%s: %v", test.name, found[i])
		}
	}
}

// Findings that are ignored do not count.
func TestIgnoreMany(t *testing.T) {
	const line = "disallow: x%d # polite-lint: ignore pattern-without-slash\n"
	body := "user-agent: *\n"
	for i := range 300 {
		body += fmt.Sprintf(line, i)
	}
	assert.Empty(t, lint.Lint([]byte(body)))
	found := lint.Lint([]byte(body + strings.Repeat("disallow: y\n", 150)))
	more := 0
	for _, f := range found {
		if f.ID == "pattern-without-slash" {
			more += 1 + f.More
		}
	}
	assert.Equal(t, 150, more)
}
