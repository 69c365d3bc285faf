package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExpectMisuse(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--expect", "x", "/a"}, "--expect or URLs?"},
		{[]string{"--expect", "x", "-A", "GPTBot"}, "--agent and --expect do not go together"},
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

// A file that is no list of expectations is told as what it is, in a few lines.
func TestExpectAnotherFile(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("user-agent: *\ndisallow: /x\n", 1000): "stdin expects nothing: it is a robots.txt; write -f -",
		strings.Repeat("https://a.example/\n", 1000):          "stdin expects nothing: it is a list of URLs",
		"# nothing\n": "stdin expects nothing\n",
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
		"/secret ChatGPT disallowed\n/secret Googlebot disallowed\n": "polite check: stdin:1: no crawler of OpenAI reads the name ChatGPT: \"polite crawlers ChatGPT\" lists its own\n" +
			"0 of 1 verdicts are not as expected, 1 error\n",
		"/secret Gogglebot disallowed\n/ok GPTBott allowed\n/secret Googlebot disallowed\n": "polite check: stdin:1: no crawler of the name Gogglebot is known: do you mean Googlebot?\n" +
			"polite check: stdin:2: no crawler of the name GPTBott is known: do you mean GPTBot?\n0 of 1 verdicts are not as expected, 2 errors\n",
		"/secret * open\n": "polite check: stdin:1: \"open\" is no verdict: write allowed or disallowed\n0 of 0 verdicts are not as expected, 1 error\n",
		"\xEF\xBB\xBF/secret * disallowed\n/100%/x * disallowed\n/100%25/x * allowed\n": "0 of 3 verdicts are not as expected\n",
	} {
		got := runWithInput(t, text, "check", "-f", "robots.txt", "--expect", "-")
		assert.Equal(t, want, got.stderr)
		assert.Equal(t, strings.Contains(want, "polite check: "), got.status == 1)
	}
}

// What would be as expected, and says nothing of what is meant, is an error that says what to write.
func TestExpectVets(t *testing.T) {
	t.Chdir(t.TempDir())
	const rules = "user-agent: *\ndisallow: /secret\n\nuser-agent: ShopBot\ndisallow: /x\n"
	for name, body := range map[string]string{
		"robots.txt": rules, "empty.txt": "\n \n", "page.txt": "<!DOCTYPE html>\n<title>x</title>", "wide.txt": "\xFF\xFEu\x00s\x00e\x00r\x00",
		"packed.txt": origintest.Compressed(rules), "maps.txt": "sitemap: https://shop.example/a.xml\n", "lost.txt": "disallow: /x\n", "open.txt": "user-agent: *\ndisallow:\n",
		"shop.txt": rules + "sitemap: /a.xml\nsitemap: https://Shop.example:443/s.xml\nsitemap: https://www.shop.example/s.xml\n",
		"cdn.txt":  rules + "sitemap: one.xml\nsitemap: https://cdn.example/s.xml\n",
		"none.xml": "<urlset></urlset>", "one.xml": "<urlset><url><loc>https://shop.example/a</loc></url></urlset>",
	} {
		require.NoError(t, os.WriteFile(name, []byte(body), 0o600))
	}
	for _, test := range []struct{ file, lines, want string }{
		{"robots.txt", "sitemap:none.xml Googlebot allowed\n/ok Googlebot allowed", "stdin:1: none.xml names no URL"},
		{"robots.txt", "sitemap:one.xml Googlebot allowed", ""},
		{"robots.txt", "https://shop.example/* Googlebot allowed", "stdin:1: \"https://shop.example/*\" has a *"},
		{"robots.txt", "/a%2Ab Googlebot allowed", ""},
		{"robots.txt", "/a.pdf$ Googlebot allowed", "stdin:1: \"/a.pdf$\" ends with a $, which stands for itself in a URL: leave it out, or write %24"},
		{"robots.txt", "/a$b Googlebot allowed\n/a%24 Googlebot allowed", ""},
		{"robots.txt", "/x Gogle allowed", "stdin:1: \"Gogle\" is no crawler that polite knows, and the robots.txt does not name it: write * for"},
		{"robots.txt", "/x all allowed", "stdin:1: \"all\" is no crawler"},
		{"robots.txt", "/x OAI-Search allowed", "stdin:1: \"OAI-Search\" is no crawler"},
		{"robots.txt", "/x ShopBot disallowed\n/y ShopBot-News,ShopBot allowed", ""},
		{"robots.txt", "https://shop.example/a Googlebot allowed\nhttp://shop.example/a Googlebot allowed", "stdin:2: robots.txt is for one site, a line above is about https://shop.example, and this about http://shop.example: write"},
		{"robots.txt", "https://shop.example/a Googlebot allowed\nhttps://www.shop.example/a Googlebot allowed", "stdin:2: robots.txt is for one site"},
		{"robots.txt", "https://shop.example/a Googlebot allowed\nhttps://SHOP.example:443/b Googlebot allowed\n/c * allowed", ""},
		{"robots.txt", "/s\u0435cret Googlebot allowed", "has 'е' (U+0435) in a word of Latin letters"},
		{"robots.txt", "/новости/a Googlebot allowed", ""},
		{"robots.txt", "//shop.example/a * allowed", `stdin:1: "//shop.example/a" is taken for a path: write "https:" before it, or one "/"`},
		{"robots.txt", "//press/x * allowed", `is taken for a path`},
		{"robots.txt", "https://shop.example/a\u200b * allowed", `has "\u200b", which nobody sees: leave it out, or write %E2%80%8B`},
		{"robots.txt", "/a\xFF * allowed", `has "\xff", which nobody sees: leave it out, or write %FF`},
		{"robots.txt", "/a%zz * allowed", `"/a%zz" has a "%" that begins no octet: write two digits from 0 to F after it, or %25`},
		{"robots.txt", "/a%20b%2 * allowed", `has a "%" that begins no octet`},
		{"robots.txt", "https://shop.example/a/../p/ * allowed", `"https://shop.example/a/../p/" has the path /p/ for clients`},
		{"robots.txt", "/a/./p * allowed", `has the path /a/p for clients`},
		{"robots.txt", "https://shop.example./a * allowed", `has a "." at the end of its host: leave it out`},
		{"robots.txt", "https://shop.example * allowed\n/.well-known/..x * allowed", ""},
		{"robots.txt", "\u201chttps://shop.example/a\u201d * allowed", "begins with '“' (U+201C): leave the quotation marks out"},
		{"robots.txt", `https://shop.example\a * allowed`, `has a "\": write "/", or %5C`},
		{"shop.txt", "https://shop.example:99999/a * allowed", "port 99999 of the URL is not between 0 and 65535"},
		{"robots.txt", "https:// * allowed", "the URL has no host: write it as in https://example.com/"},
		{"robots.txt", "/robots.txt Googlebot allowed", "stdin:1: /robots.txt is always allowed (RFC 9309 §2.2.2): write a URL on which a rule can decide"},
		{"robots.txt", "https://shop.example/robots.txt#x Googlebot disallowed", "stdin:1: https://shop.example/robots.txt#x is always allowed"},
		{"robots.txt", "/robots.txt?x Googlebot allowed\n/x/robots.txt Googlebot allowed", ""},
		{"shop.txt", "https://shop.exmaple/secret * disallowed", "stdin:1: shop.txt names sitemaps at shop.example, and none at shop.exmaple: write that host, or a path alone"},
		{"shop.txt", "https://shop.example:8443/secret * disallowed", "none at shop.example:8443"},
		{"shop.txt", "http://shop.example/secret * disallowed", ""},
		{"shop.txt", "https://www.shop.example/secret * disallowed\n/secret * disallowed\nsitemap:one.xml * allowed", "stdin:3: shop.txt is for one site"},
		{"shop.txt", "sitemap:one.xml * allowed", ""},
		{"cdn.txt", "https://shop.example/secret * disallowed", "names sitemaps at cdn.example, and none at shop.example"},
		{"cdn.txt", "/secret * disallowed", ""},
		{"empty.txt", "/a Googlebot allowed", "empty.txt is empty, so that everything is allowed"},
		{"maps.txt", "/a * allowed", "maps.txt is without groups, so that everything is allowed: serve the robots.txt that is meant, as text in UTF-8, or write \"User-agent: *\""},
		{"lost.txt", "/a Googlebot allowed", "lost.txt is without groups"},
		{"open.txt", "/a Googlebot allowed", ""},
		{"page.txt", "/a Googlebot allowed", "page.txt is a web page"},
		{"wide.txt", "/a Googlebot allowed", "wide.txt is UTF-16"},
		{"packed.txt", "/a Googlebot allowed", "packed.txt is compressed (gzip)"},
	} {
		t.Run(test.file+" "+test.lines, func(t *testing.T) {
			got := runWithInput(t, test.lines+"\n", "check", "-f", test.file, "--expect", "-")
			if test.want == "" {
				assert.Equal(t, 0, got.status, got.stderr)
				return
			}
			assert.Equal(t, 1, got.status, got.stderr)
			assert.Contains(t, got.stderr, test.want)
		})
	}
}

// A site that answers with a page in place of its robots.txt allows everything, and is not as anybody expects.
func TestExpectOfPage(t *testing.T) {
	s := newSite(t, origintest.Text("<!DOCTYPE html>\n<title>Welcome</title>"), nil)
	got := runWithInput(t, s.URL+"/a Googlebot allowed\n"+s.URL+"/b * allowed\n", "check", "--expect", "-")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "stdin:1: "+s.URL+"/robots.txt is a web page, so that everything is allowed")
	assert.Contains(t, got.stderr, "stdin:2: "+s.URL+"/robots.txt is a web page")
}

// A sitemap that the file names speaks for the host of its URLs, wherever it is.
func TestExpectBySitemapElsewhere(t *testing.T) {
	s := newSite(t, origintest.Text(""), pages{"/s.xml": origintest.Text("<urlset><url><loc>https://shop.example/a</loc></url></urlset>")})
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("robots.txt", []byte("user-agent: *\ndisallow: /x\nsitemap: "+s.URL+"/s.xml\n"), 0o600))
	got := runWithInput(t, "sitemap:"+s.URL+"/s.xml * allowed\n", "check", "-f", "robots.txt", "--expect", "-")
	assert.Equal(t, result{0, "", "0 of 1 verdicts are not as expected\n"}, got)
	got = runWithInput(t, "https://shop.example/a * allowed\n", "check", "-f", "robots.txt", "--expect", "-")
	assert.Contains(t, got.stderr, "none at shop.example")
}

// What could not be found out is counted apart from what is not as expected.
func TestExpectCountsWhatIsNotKnown(t *testing.T) {
	s := newSite(t, origintest.Text("user-agent: *\ndisallow: /x\n"), pages{"/s.xml": origintest.Status(404)})
	down := newSite(t, origintest.Status(500), nil)
	got := runWithInput(t, down.URL+"/a * allowed\nsitemap:"+s.URL+"/s.xml * allowed\n"+s.URL+"/a * allowed\n"+s.URL+"/b * allowed\n", "check", "--expect", "-")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "0 of 3 verdicts are not as expected, 1 not known, 1 error\n")
}
