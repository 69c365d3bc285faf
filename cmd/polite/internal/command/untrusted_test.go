package command

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
func hostileSite(t *testing.T, text string) site {
	raw := func(answer string) http.HandlerFunc { return origintest.Raw("HTTP/1.1 " + answer + "\r\n\r\n") }
	return newSite(t, origintest.Text(hostileFile(text)), pages{
		"/robots.txt?status": raw(text),
		"/robots.txt?moved":  raw("302 Found\r\nContent-Length: 0\r\nLocation: /robots.txt?" + text),
		"/robots.txt?header": raw("200 OK\r\n" + text),
		"/robots.txt?length": raw("200 OK\r\nContent-Length: " + text),
	})
}

// In nothing that the commands print, wherever it comes from, anything acts.
func TestHostile(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(origintest.Hostile())) {
		if testing.Short() && i%3 != 0 {
			continue // each takes ninety runs
		}
		text := origintest.Hostile()[name]
		site := hostileSite(t, text).URL
		broken := newSite(t, origintest.Raw("HTTP/1.1 "+text+"\r\n\r\n"), nil).URL
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
				{"records", "--json", site}, {"records", broken}, {"records", text},
				{"records", text}, {"records", "--sitemaps", file, text},
				{"get", "-o", os.DevNull, site + "/robots.txt?status", site + "/robots.txt?moved", site + "/robots.txt?header", site + "/robots.txt?length", site + "/x?" + query, broken},
				{"get", "-o", os.DevNull, "--json", site + "/robots.txt?status", site + "/robots.txt?moved", site + "/robots.txt?header", site + "/x?" + query, broken},
				{"get", "-o", filepath.Join(t.TempDir(), text, "x"), site + "/robots.txt"},
				{"lint", "--explain", text}, {"records", file, site}, {"records", "--sitemaps", "--json", file, site}, {"completion", text},
				{"check", "--max-time", text, site}, {"get", "-"}, {"get", "-I", site + "/robots.txt?header", site + "/robots.txt?moved", site + "/robots.txt?length"},
				{"get", "-H", text, site}, {"get", "-H", "X: " + text, site}, {"get", "--max-time", text, site},
				{"get", text}, {"get", "http://a.example:" + text}, {"get", "-A", text, site}, {"get", "-" + text, site},
				{"check", "-A", text, site}, {"lint", "--ignore", text, file}, {"lint", "--" + text, file}, {text}, {"help", text}, {"help", "help", text}, {"crawlers", text}, {"https://a.example/" + text},
			} {
				got := runWithInput(t, hostileFile(text), hurried(t, args...)...)
				assert.NotEmpty(t, got.stdout+got.stderr, "%q", args)
				assertHarmless(t, got.stdout, args)
				assertHarmless(t, got.stderr, args)
			}
		})
	}
}

// acting is how a line begins that acts.
var acting = regexp.MustCompile(`^(-| *::)`)

// assertHarmless checks that nothing in text acts: on a terminal, on the next
// command of a pipe, or in the log of a CI system.
func assertHarmless(t *testing.T, text string, args []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		assert.Equal(t, printable.Text(line), line, "%q", args)
		assert.NotRegexp(t, acting, line, "%q", args)
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
