package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExpectMisuse(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--expect", "x", "/a"}, "--expect or URLs?"},
		{[]string{"--expect", "x", "-A", "GPTBot"}, "--expect or -A?"},
		{[]string{"--expect", "-", "-f", "-"}, "standard input twice"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) { assertMisuse(t, "check", test.want, test.args...) })
	}
}

// A long list is compared as it comes.
func TestExpectMany(t *testing.T) {
	const lines = 20_000
	r, w := io.Pipe()
	go func() {
		for i := range lines {
			fmt.Fprintf(w, "/private/%d %s disallowed\n", i, []string{"GPTBot", "Googlebot", "*"}[i%3])
		}
		fmt.Fprintln(w, "/private * allowed")
		w.Close()
	}()
	var out counter
	var stderr strings.Builder
	status := runTo(t.Context(), []string{"check", "--expect", "-", "-f", "testdata/shop.txt"}, streams(r, &out, &stderr))
	assert.Equal(t, 3, status)
	assert.Equal(t, 1, out.lines)
	assert.Equal(t, "1 of 20001 verdicts are not as expected\n", stderr.String())
}

// A hostile list does nothing but be told.
func TestExpectHostile(t *testing.T) {
	evil := "/\x1b[2J\u202e Googlebot allowed\n\x00\n" + strings.Repeat("x", 2<<20) + "\n\"\"\",,\n/private ::error::, allowed\n/private GPTBot allowed\n"
	got := runWithInput(t, evil, "check", "--expect", "-", "-f", "testdata/shop.txt")
	assert.Equal(t, 1, got.status)
	assert.NotContains(t, got.stdout+got.stderr, "\x1b")
	assert.NotContains(t, got.stdout+got.stderr, "\u202e")
	assert.Contains(t, got.stderr, "stdin:3: a line is longer than any URL")
	assert.Contains(t, got.stdout, "stdin:6: /private for GPTBot is disallowed, not allowed")
}

// What check asks of a list takes little time, and memory that does not grow with the list.
func TestCheckOfManyURLs(t *testing.T) {
	urls := long.Or(5_000, 20_000)
	args := []string{"check", "-f", "testdata/shop.txt"}
	for i := range 10 {
		args = append(args, "-A", fmt.Sprint("Crawler", string(rune('a'+i))))
	}
	r, w := io.Pipe()
	go func() {
		for i := range urls {
			fmt.Fprintf(w, "https://shop.example/private%d/page?sort=%d\n", i, i)
		}
		w.Close()
	}()
	var out counter
	status := runTo(t.Context(), args, streams(r, &out, io.Discard))
	assert.Equal(t, 3, status)
	assert.Equal(t, urls+1, out.lines)
	assert.Less(t, out.most, 2000, "a line at a time")
}

// A file that is no list of expectations is told as what it is, in a few lines.
func TestExpectAnotherFile(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("user-agent: *\ndisallow: /x\n", 1000): "stdin expects nothing: it is a robots.txt; write -f -",
		strings.Repeat("https://a.example/\n", 1000):          "stdin expects nothing: it is a list of URLs",
		"# nothing\n":                      "stdin expects nothing\n",
		"https://a.example/ GPTBot open\n": "stdin expects nothing\n",
		"https://a.example/,GPTBot,open\n": "stdin expects nothing\n",
	} {
		got := runWithInput(t, text, "check", "--expect", "-", "-f", "testdata/shop.txt")
		assert.Equal(t, 1, got.status)
		assert.Contains(t, got.stderr, "polite check: "+want)
		assert.NotContains(t, got.stderr, "0 of 0")
		assert.LessOrEqual(t, strings.Count(got.stderr, "\n"), 11)
	}
}

// In a step of GitHub Actions, what is not as expected is shown at its line.
func TestExpectAnnotates(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "true")
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("a,b%.txt", []byte("/private%2F::x GPTBot allowed\n/x GPTBot\n"+strings.Repeat("/private GPTBot allowed\n", 20)), 0o644))
	rules := "user-agent: *\ndisallow: /private"
	got := runWithInput(t, rules, "check", "-f", "-", "--expect", "a,b%.txt")
	assert.Equal(t, 1, got.status)
	lines := strings.Split(got.stderr, "\n")
	assert.Equal(t, `::error file=a%2Cb%25.txt,line=1::/private%252F::x for GPTBot is disallowed, not allowed  by "disallow: /private", line 2 of stdin (group "*")`, lines[0])
	assert.Equal(t, "::error file=a%2Cb%25.txt,line=2::write a URL, a crawler and a verdict, as in: https://example.com/ Googlebot allowed", lines[2])
	assert.Equal(t, 10, strings.Count(got.stderr, "::error"))
	assert.NotContains(t, got.stdout, "::error")
	assert.NotContains(t, runWithInput(t, rules, "check", "-q", "-f", "-", "--expect", "a,b%.txt").stderr, "::error")
}

// A crawler that is misspelt, or that nobody is, is no crawler that is as expected. A byte order mark and a "%" that
// begins no octet are no faults.
func TestExpectAsks(t *testing.T) {
	t.Chdir(t.TempDir())
	const rules = "user-agent: *\ndisallow: /secret\ndisallow: /100%/\n"
	require.NoError(t, os.WriteFile("robots.txt", []byte(rules), 0o600))
	for text, want := range map[string]string{
		"/secret ChatGPT disallowed\n/secret Googlebot disallowed\n": "polite check: stdin:1: no crawler reads the name ChatGPT: \"polite crawlers ChatGPT\" lists those of its owner\n" +
			"0 of 1 verdicts are not as expected\n",
		"/secret Gogglebot disallowed\n/ok GPTBott allowed\n/secret Googlebot disallowed\n": "polite check: stdin:1: no crawler of the name Gogglebot is known: do you mean Googlebot?\n" +
			"polite check: stdin:2: no crawler of the name GPTBott is known: do you mean GPTBot?\n0 of 1 verdicts are not as expected\n",
		"\xEF\xBB\xBF/secret AnyBot disallowed\n/100%/x AnyBot disallowed\n/100%25/x AnyBot allowed\n": "0 of 3 verdicts are not as expected\n",
	} {
		got := runWithInput(t, text, "check", "-f", "robots.txt", "--expect", "-")
		assert.Equal(t, want, got.stderr)
		assert.Equal(t, strings.Contains(want, "polite check: "), got.status == 1)
	}
}
