package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/internal/printable"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostileFile has text in all places of a robots.txt, with lines that the next
// command of a pipe, or a log, could obey.
func hostileFile(text string) string {
	return strings.ReplaceAll("user-agent: *\nuser-agent: TEXT\ndisallow: /*TEXT*\ndisallow: /private TEXT\nallow: TEXT\ndisallow: /*\n"+
		"crawl-delay: TEXT\nnoise TEXT: TEXT\nnoise TEXT\nTEXT\nTEXT: ::stop-commands::x\n::stop-commands::x\n--output=x: y\n"+
		"disallow: /* # TEXT\nsitemap: TEXT\nsitemap: /a/TEXT\nsitemap: a?TEXT\nsitemap: https://a.example/TEXT?TEXT\nsitemap: https://TEXT.example/\n"+
		"sitemap: ::stop-commands::x\nsitemap: --output=/home/x\nsitemap: /[1-9]/{a,b}?[1-9]\nsitemap: https://a.example/%\n", "TEXT", text)
}

// hostileSite has text in its robots.txt, in its pages, and in where these lead.
func hostileSite(t *testing.T, text string) *site {
	raw := func(answer string) http.HandlerFunc { return origintest.Raw("HTTP/1.1 " + answer + "\r\n\r\n") }
	return newSite(t, origintest.Text(hostileFile(text)), map[string]http.HandlerFunc{
		"/robots.txt?status": raw(text),
		"/robots.txt?moved":  raw("302 Found\r\nContent-Length: 0\r\nLocation: /robots.txt?" + text),
		"/robots.txt?header": raw("200 OK\r\n" + text),
		"/robots.txt?length": raw("200 OK\r\nContent-Length: " + text),
	})
}

// In nothing that the commands print, wherever it comes from, anything acts.
func TestHostile(t *testing.T) {
	for name, text := range origintest.Hostile() {
		t.Run(name, func(t *testing.T) {
			site := hostileSite(t, text).URL
			broken := newSite(t, origintest.Raw("HTTP/1.1 "+text+"\r\n\r\n"), nil).URL
			file := filepath.Join(t.TempDir(), "robots.txt")
			require.NoError(t, os.WriteFile(file, []byte(hostileFile(text)), 0o600))
			query := strings.NewReplacer("#", "%23").Replace(text)
			for _, args := range [][]string{
				{"check", site + "/x"},
				{"check", "-v", site + "/x?" + query, broken + "/x"},
				{"check", site + "/x", site + "/x?" + text, broken, text},
				{"check", "-A", "a", "-A", "b", site + "/x?" + query, broken + "/" + text},
				{"check", "--json", site + "/x?" + query, broken + "/x"},
				{"check", "-f", file, "/x" + query}, {"check", "-v", "-f", file, "/x" + text, "/y"},
				{"check", "-f", "-", "/x"}, {"check", "-f", file}, {"check", "-A", "a", "-A", "b", "-f", file}, {"check", "--json", "-f", file}, {"check", "-f", text, "/x"},
				{"lint", file}, {"lint", "--json", file}, {"lint", "--sarif", file}, {"lint", site, broken}, {"lint", "--sarif", broken, text}, {"lint", text, file + text},
				{"records", file}, {"records", "--json", site}, {"records", broken}, {"records", text},
				{"sitemaps", file}, {"sitemaps", "--json", file}, {"sitemaps", site}, {"sitemaps", text}, {"sitemaps", file, text},
				{"get", "-o", os.DevNull, site + "/robots.txt?status", site + "/robots.txt?moved", site + "/robots.txt?header", site + "/robots.txt?length", site + "/x?" + query, broken},
				{"get", "-o", os.DevNull, "--json", site + "/robots.txt?status", site + "/robots.txt?moved", site + "/robots.txt?header", site + "/x?" + query, broken},
				{"get", "-o", filepath.Join(t.TempDir(), text, "x"), site + "/robots.txt"},
				{"get", text}, {"get", "http://a.example:" + text}, {"get", "-A", text, site}, {"get", "-" + text, site},
				{"check", "-A", text, site}, {"lint", "--ignore", text, file}, {"lint", "--" + text, file}, {text}, {"help", text}, {"help", "help", text}, {"demo", text}, {"https://a.example/" + text},
			} {
				got := runWithInput(t, hostileFile(text), args...)
				assert.NotEmpty(t, got.stdout+got.stderr, "%q", args)
				assertHarmless(t, got.stdout, args)
				assertHarmless(t, got.stderr, args)
			}
		})
	}
}

// assertHarmless checks that nothing in text acts: on a terminal, on the next
// command of a pipe, or in the log of a CI system.
func assertHarmless(t *testing.T, text string, args []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		assert.Equal(t, printable.Text(line), line, "%q", args)
		assert.NotRegexp(t, `^(-| *::)`, line, "%q", args)
	}
}

// aURL is what can be taken for nothing but a URL.
var aURL = regexp.MustCompile(`^https?://[a-z0-9.:-]+(/[A-Za-z0-9._~!$&'()*+,;=:@/?%-]*)?$`)

func TestHostileSitemaps(t *testing.T) {
	for name, text := range origintest.Hostile() {
		t.Run(name, func(t *testing.T) {
			site := hostileSite(t, text).URL
			got := runCommand(t, "sitemaps", site)
			assert.Equal(t, 0, got.status)
			for line := range strings.Lines(got.stdout) {
				assert.Regexp(t, aURL, strings.TrimSuffix(line, "\n"))
			}
			assert.Contains(t, got.stdout, site+"/--output=/home/x\n"+site+"/%5B1-9%5D/%7Ba,b%7D?%5B1-9%5D\n")
			assert.Contains(t, got.stderr, "left out, as it is no absolute http or https URL: ::stop-commands::x\n")

			asJSON := runCommand(t, "sitemaps", "--json", site)
			assert.Equal(t, got.stderr, asJSON.stderr)
			var lines []string
			for line := range strings.Lines(got.stdout) {
				lines = append(lines, `{"sitemap":"`+strings.TrimSuffix(line, "\n")+`"}`+"\n")
			}
			assert.Equal(t, strings.Join(lines, ""), asJSON.stdout)
		})
	}
}

func TestSitemapURL(t *testing.T) {
	for _, test := range []struct{ written, ofSite, ofFile string }{
		{"https://a.example/s.xml", "https://a.example/s.xml", "https://a.example/s.xml"},
		{"HTTP://A.example:8080/s.xml?a=b&c", "http://A.example:8080/s.xml?a=b&c", "http://A.example:8080/s.xml?a=b&c"},
		{"https://a.example/é s.xml?é \"<'>", "https://a.example/%C3%A9%20s.xml?%C3%A9%20%22%3C'%3E", "https://a.example/%C3%A9%20s.xml?%C3%A9%20%22%3C'%3E"},
		{"https://bücher.example/", "https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"},
		{"https://[2001:DB8::1]/[a]", "https://[2001:DB8::1]/%5Ba%5D", "https://[2001:DB8::1]/%5Ba%5D"},
		{"https://a.example/%2Fa%5b?%5b", "https://a.example/%2Fa%5b?%5b", "https://a.example/%2Fa%5b?%5b"},
		{"https://a.example/\u202e?\u3164", "https://a.example/%E2%80%AE?%E3%85%A4", "https://a.example/%E2%80%AE?%E3%85%A4"},
		{"/s.xml", "https://site.example/s.xml", ""},
		{"s.xml", "https://site.example/s.xml", ""},
		{"//b.example/s.xml", "https://b.example/s.xml", ""},
		{"--output=/home/x", "https://site.example/--output=/home/x", ""},
		{"../../etc", "https://site.example/etc", ""},
		{"::stop-commands::x", "", ""},
		{"javascript:alert(1)", "", ""},
		{"file:///etc/passwd", "", ""},
		{"ftp://a.example/", "", ""},
		{"https:///s.xml", "", ""},
		{"https:s.xml", "", ""},
		{"https://a.example:99999/", "", ""},
		{"https://a\u202e.example/", "", ""},
		{"https://a\".example/", "", ""},
		{"https://[fe80::1%25e]/", "", ""},
		{"https://a.example/\x1b[2J", "", ""},
		{"https://a.example/%", "", ""},
	} {
		file := "sitemap: " + test.written
		assert.Equal(t, test.ofFile, strings.TrimSuffix(runWithInput(t, file, "sitemaps", "-").stdout, "\n"), "%q of a file", test.written)
		got, ok := sitemapURL(test.written, &url.URL{Scheme: "https", Host: "site.example", Path: "/robots.txt"})
		assert.Equal(t, test.ofSite, got, "%q of a site", test.written)
		assert.Equal(t, test.ofSite != "", ok)
	}
}

// JSON has the text itself, as far as that is UTF-8.
func TestHostileJSON(t *testing.T) {
	for name, text := range origintest.Hostile() {
		value := "a" + strings.NewReplacer("#", "", "\r", "").Replace(text) + "b"
		got := runWithInput(t, "x: "+value, "records", "--json", "-")
		var record struct{ Value string }
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &record))
		assert.Equal(t, string([]rune(value)), record.Value, name)
	}
}

// What a line of lint begins with is the name of a file.
func TestLintFileNames(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, want := range map[string]string{
		"::error::x": "./::error::x", " ::error::x": "./ ::error::x", "-x": "./-x", "\u2028::x": `\u2028::x`,
		"##[error]x": `##\x5berror]x`, "a:b": "a:b", "...x": "...x",
	} {
		require.NoError(t, os.WriteFile(name, []byte("user-agent: *\ndisallow: x\n"), 0o600))
		got := runCommand(t, "lint", "--", name)
		assert.True(t, strings.HasPrefix(got.stdout, want+":2:11: error: "), "%q", got.stdout)
	}
}

// Text cannot make a link of a message, which viewers of SARIF would show.
func TestHostileSARIF(t *testing.T) {
	for text, want := range map[string]string{
		"[a](https://evil.example)":    `[a\](https://evil.example)`,
		`[a\](https://evil.example)`:   `[a\](https://evil.example)`,
		`[a\\](https://evil.example)`:  `[a\\\](https://evil.example)`,
		`[a\\\](https://evil.example)`: `[a\\\](https://evil.example)`,
		"{0} [a] (b)":                  "{{0}} [a] (b)",
	} {
		assert.Equal(t, want, sarifText(text))
	}
}

// A page on a screen may come in any pieces.
func TestScreen(t *testing.T) {
	const page = "a\r\nb\rc\n\té\u3000ツ\x1b[2J\u202e\xe3\x83👍\x9b\r"
	const want = "a\nb\\rc\n\té\u3000ツ\\x1b[2J\\u202e\\xe3\\x83👍\\x9b\\r"
	for size := 1; size <= len(page); size++ {
		var shown strings.Builder
		s := &screen{w: &shown}
		for rest := page; rest != ""; {
			n := min(size, len(rest))
			written, err := s.Write([]byte(rest[:n]))
			require.NoError(t, err)
			require.Equal(t, n, written)
			rest = rest[n:]
		}
		require.NoError(t, s.Close())
		require.NoError(t, s.Close())
		assert.Equal(t, want, shown.String(), "in pieces of %d", size)
	}
	_, err := (&screen{w: failingWriter{}}).Write([]byte("x"))
	assert.Error(t, err)
	assert.Equal(t, io.Discard, onScreen(io.Discard))
}
