package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
)

// A file that is no robots.txt has only one finding.
func TestOtherFormat(t *testing.T) {
	for _, body := range []string{"<html>\nx\nnoindex: /", "\xFF\xFEx\nnoindex: /"} {
		assert.Len(t, lint.Lint([]byte(body)), 1)
	}
}

// However a long group is searched, its findings are in the order of its lines, and are
// the same each time.
func TestIsDeterministic(t *testing.T) {
	bodies := map[string]string{"many findings": "disallow: /a\n", "more than there is time for": ""}
	for i := range 300 {
		bodies["many findings"] += fmt.Sprintf("disallow: /a%d\nallow: /*.%d\ndisallow: /a%d\n", i, i, 300-i)
	}
	for i := range 3000 {
		bodies["more than there is time for"] += fmt.Sprintf("disallow: /*%d*%d\nallow: /%d\n", i, i%7, i)
	}
	for name, body := range bodies {
		body := []byte("user-agent: *\n" + body)
		want := lint.Lint(body)
		require.NotEmpty(t, want)
		for range 3 {
			require.Equal(t, want, lint.Lint(body), name)
		}
	}
	i := slices.IndexFunc(lint.Lint([]byte("user-agent: *\n"+bodies["many findings"])), func(f lint.Finding) bool { return f.ID == "redundant-rule" })
	assert.Zero(t, i, "the first finding is for line 3")
}

// For a pointless allow rule of a long group, the finding names the first line that makes
// it so.
func TestShorterAllowOfMany(t *testing.T) {
	for _, many := range []int{100, 3000} { // which are compared in another way
		body := "user-agent: *\nallow: *.js\n"
		for i := range many {
			body += fmt.Sprintf("disallow: /folder%d/\n", 9999-i)
		}
		found := lint.Lint([]byte(body + "disallow: /folder9990/x\n"))
		assert.Contains(t, found[0].Message, `"/folder9999/" in line 3 `)
		last := found[len(found)-1]
		assert.Equal(t, []any{"redundant-rule", many + 3}, []any{last.ID, last.Line})
	}
}

// The examples of RFC 9309 §5, and a typical file.
const (
	rfcSimple = `
            User-Agent: *
            Disallow: *.gif$
            Disallow: /example/
            Allow: /publications/

            User-Agent: foobot
            Disallow:/
            Allow:/example/page.html
            Allow:/example/allowed.gif

            User-Agent: barbot
            User-Agent: bazbot
            Disallow: /example/page.html

            User-Agent: quxbot
`
	rfcLongest = `
            User-Agent: foobot
            Allow: /example/page/
            Disallow: /example/page/disallowed.gif
`
	shop = "User-agent: *\nDisallow: /admin/\nDisallow: /cart\nAllow: /cart/help$\nDisallow: /*?sort=\nDisallow: /search\n\nSitemap: https://example.com/sitemap.xml\n"
)

func TestNothingToSay(t *testing.T) {
	for _, body := range []string{
		strings.TrimSpace(strings.TrimSuffix(rfcSimple, "User-Agent: quxbot\n")), rfcLongest, // quxbot may fetch everything
		"User-agent: *\nDisallow:\n",
		"User-agent: *\nAllow: /\n",
		"User-agent: a\nUser-agent: b\nDisallow: /\n\nUser-agent: *\nDisallow: /admin/\nAllow: /admin/help\nCrawl-delay: 10\n\nSitemap: https://example.com/sitemap.xml\n",
		"user-agent: a\nallow: /p\ndisallow: /",
		"user-agent: a\nallow: /page\ndisallow: /*.htm",
		"user-agent: a\nallow: /$\ndisallow: /",
		"User-agent: *\nContent-Signal: search=yes, ai-train=no\nDisallow: /x\n",
		shop,
	} {
		assert.Nil(t, lint.Lint([]byte(body)), body)
	}
}

func TestSeverity(t *testing.T) {
	assert.Equal(t, "note, warning, error, severity 3", strings.Join([]string{lint.Note.String(), lint.Warning.String(), lint.Error.String(), lint.Severity(3).String()}, ", "))
}

// However bad a file is, it has few findings, and comparing its rules takes a limited
// number of steps.
func TestHostile(t *testing.T) {
	long.NotShort(t)
	const maxSteps = int64(4_000_000_000) // the worst case of a pattern: the product of both lengths, 32 octets at once
	bodies := map[string]string{
		"NUL":              "a" + strings.Repeat("\x00", robots.MaxSize),
		"one line":         "user-agent: *\ndisallow: /" + strings.Repeat("*a", robots.MaxSize/2),
		"one word":         strings.Repeat("a", robots.MaxSize),
		"carriage returns": strings.Repeat("\r", robots.MaxSize),
		"names":            "user-agent: a" + strings.Repeat(",a", robots.MaxSize/2),
		"patterns":         "user-agent: *\ndisallow: /" + strings.Repeat(" /", robots.MaxSize/2-20),
	}
	size := long.Or(robots.MaxSize/16, robots.MaxSize)
	for name, line := range hostileLines {
		var body strings.Builder
		body.WriteString("user-agent: *\n")
		for i := 0; body.Len() < size; i++ {
			body.WriteString(line(i))
		}
		bodies[name] = body.String()
	}
	for name, body := range bodies {
		size, edits := 0, 0
		findings := lint.Lint([]byte(body))
		for _, f := range findings {
			size += len(f.Message)
			if f.Edit != nil {
				edits += len(f.Edit.Text)
			}
		}
		steps := lint.Steps([]byte(body))
		t.Logf("%-20s %9d steps, %5d findings of %6d bytes", name, steps, len(findings), size)
		assert.Less(t, size, 500_000, name)
		assert.Less(t, edits, 8*robots.MaxSize, name)
		assert.LessOrEqual(t, int64(steps), maxSteps, name)
	}
}

func TestCountsTheRest(t *testing.T) {
	findings := lint.Lint([]byte(strings.Repeat("disallow: /\n", 150)))
	findings = slices.DeleteFunc(findings, func(f lint.Finding) bool { return f.ID != "rule-outside-group" })
	require.Len(t, findings, 100)
	assert.NotContains(t, findings[99].Message, "more like this")
	assert.Equal(t, findings[99].Message+" (and 50 more like this)", findings[99].Text())
	assert.Contains(t, findings[99].String(), "(and 50 more like this) [rule-outside-group]")
	assert.Equal(t, 50, findings[99].More)
	assert.Zero(t, findings[98].More)
	assert.Equal(t, findings[98].Message, findings[98].Text())
}

func TestLintUpTo(t *testing.T) {
	body := []byte("user-agent: *\n" + strings.Repeat("foo: bar\n", 300))
	for most, want := range map[int]struct{ listed, more int }{-1: {1, 299}, 0: {1, 299}, 1: {1, 299}, 299: {299, 1}, 300: {300, 0}, 301: {300, 0}} {
		found := slices.DeleteFunc(lint.LintUpTo(body, most), func(f lint.Finding) bool { return f.ID != "unknown-record" })
		require.Len(t, found, want.listed, most)
		assert.Equal(t, want.more, found[len(found)-1].More, most)
	}
}

// What the check of brackets says is what package robots does.
func TestBracketsDiffer(t *testing.T) {
	for pattern, other := range map[string]string{"/a[0": "/a%5B0", "/a%5B0": "/a[0", "/x?a]": "/x?a%5D", "/x?a%5D": "/x?a]"} {
		assert.Contains(t, lint.Lint([]byte("user-agent: *\ndisallow: " + pattern))[0].Message, " does not match ")
		f := robots.Parse([]byte("user-agent: *\ndisallow: " + pattern))
		assert.False(t, f.Allowed("a", pattern))
		assert.True(t, f.Allowed("a", other), other)
	}
}
