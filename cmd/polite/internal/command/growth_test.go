package command

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shapes make lines of files that are slow to read, or have much to tell.
var shapes = map[string]func(i int) string{
	"one rule again":  func(int) string { return "disallow: /a\n" },
	"rules":           func(i int) string { return fmt.Sprintf("disallow: /%d\n", i) },
	"wildcards":       func(i int) string { return fmt.Sprintf("%sallow: /*%d\n", []string{"", "dis"}[i%2], i) },
	"longer rules":    func(i int) string { return "disallow: /" + strings.Repeat("a", i%2000) + "\n" },
	"stars":           func(i int) string { return "allow: /" + strings.Repeat("*", i%2000) + "\n" },
	"groups":          func(i int) string { return fmt.Sprintf("user-agent: a%d\ndisallow: /\n", i) },
	"one group again": func(int) string { return "user-agent: a\nallow: /\n" },
	"groups, both":    func(i int) string { return fmt.Sprintf("user-agent: a%d\nuser-agent: b\nallow:/\n", i) },
	"groups for *": func(i int) string {
		return fmt.Sprintf("user-agent: *\ndisallow: /%d\nuser-agent: a%d\ndisallow: /b%d\n", i, i, i)
	},
	"agents":            func(i int) string { return fmt.Sprintf("user-agent: a%d\n", i) },
	"agents and delays": func(i int) string { return fmt.Sprintf("user-agent: a%d\ncrawl-delay: %d\n", i, i%20) },
	"agents and uses":   func(i int) string { return fmt.Sprintf("user-agent: a%d\ncontent-signal: ai-train=no\n", i) },
	"uses":              func(i int) string { return fmt.Sprintf("content-usage: /%d* train-ai=%d, search=y\n", i%7, i) },
	"signals":           func(i int) string { return "content-signal: ai-train=no" + strings.Repeat(",ai-trai=n", i%200) + "\n" },
	"records":           func(i int) string { return fmt.Sprintf("x%d: y\n", i) },
	"sitemaps":          func(i int) string { return fmt.Sprintf("sitemap: https://example.com/%d.xml\n", i) },
	"colons":            func(int) string { return ":\n" },
	"delays":            func(int) string { return "crawl-delay: x\n" },
	"no text":           func(int) string { return "disallow: /\xFF\x1b[2J\n" },
	"agents, rules":     func(i int) string { return fmt.Sprintf("user-agent: a%d\n", i) },
	"agents, records":   func(i int) string { return fmt.Sprintf("user-agent: a%d\n", i) },
	"policies": func(i int) string {
		return fmt.Sprintf("user-agent: __usage_%s\nallow: /\n", strings.Repeat("a", i%2000))
	},
	// Lines without an end are as long as half of the file.
	"an agent, rules":   func(int) string { return "user-agent: a" },
	"an agent, records": func(int) string { return "user-agent: a" },
	"a rule, rules":     func(int) string { return "allow: /*" },
	"a use, uses":       func(int) string { return "content-usage: train-ai=n, a" },
}

// seconds make the lines of the second half of files.
var seconds = map[string]func(i int) string{
	"an agent, rules":   shapes["rules"],
	"a rule, rules":     shapes["rules"],
	"a use, uses":       shapes["uses"],
	"an agent, records": func(i int) string { return fmt.Sprintf("x%d: y\n", i) },
	"agents, rules":     shapes["rules"],
	"agents, records":   func(i int) string { return fmt.Sprintf("x%d: y\n", i) },
}

// Whatever a file says, what a verb tells of it grows no faster than the file.
func TestToldIsNoLongerThanFile(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("empty.txt", nil, 0o600))
	const size = 3_000
	for shape, line := range shapes {
		for name, size := range map[string]int{"small.txt": size, "large.txt": 4 * size} {
			line := line
			if begin := line(0); !strings.HasSuffix(begin, "\n") {
				long := begin + strings.Repeat(begin[len(begin)-1:], size/2) + "\n"
				line = func(int) string { return long }
			}
			body := "user-agent: *\n"
			for i := 0; len(body) < size; i++ {
				if second := seconds[shape]; second != nil && len(body) > size/2 {
					line = second
				}
				body += line(i)
			}
			require.NoError(t, os.WriteFile(name, []byte(body), 0o600))
			var urls string
			for i := 0; len(urls) < size; i++ {
				urls += fmt.Sprintf("/a/%d * allowed\n", i)
			}
			require.NoError(t, os.WriteFile(name+".expect", []byte(urls), 0o600))
			require.NoError(t, os.WriteFile(name+".urls", []byte(strings.ReplaceAll(urls, " * allowed", "")), 0o600))
		}
		for verb, args := range map[string][]string{
			"lint": {"lint", "FILE"}, "lint --json": {"lint", "--json", "FILE"}, "records": {"records", "FILE"}, "records --json": {"records", "--json", "FILE"},
			"sitemaps": {"records", "--sitemaps", "FILE"}, "check": {"check", "-f", "FILE", "-A", "a1", "/a"}, "check --json": {"check", "--json", "-f", "FILE", "-A", "a1", "-A", "b", "/a"},
			"check --urls": {"check", "--json", "--urls", "FILE.urls", "-f", "FILE"}, "check --csv": {"check", "--csv", "--urls", "FILE.urls", "-f", "FILE"},
			"expect": {"check", "--json", "--expect", "FILE.expect", "-f", "FILE"}, "diff --urls": {"diff", "--json", "-A", "a1", "--urls", "FILE.urls", "empty.txt", "FILE"},
			"sarif": {"lint", "--sarif", "FILE"}, "check -v": {"check", "-v", "-f", "FILE", "-A", "a1", "-A", "a", "/a"}, "diff text": {"diff", "FILE", "empty.txt"},
			"diff": {"diff", "--json", "empty.txt", "FILE"}, "diff --markdown": {"diff", "--markdown", "FILE", "empty.txt"},
		} {
			told := func(file string) int {
				var out bytes.Buffer
				runTo(t.Context(), strings.Fields(strings.ReplaceAll(strings.Join(args, " "), "FILE", file)), streams(strings.NewReader(""), &out, &out))
				return out.Len()
			}
			small, large := told("small.txt"), told("large.txt")
			// Four times the input: the output of what grows by its square is sixteen times as long.
			assert.LessOrEqual(t, large, 8*small+20_000, "%s of %s: %d and %d octets", verb, shape, small, large)
		}
	}
}
