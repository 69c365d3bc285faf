package input

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLines(t *testing.T) {
	var got []string
	for line, err := range Lines(strings.NewReader(" a \r\n\n# x\n /b#c # d\n#\n/e\t#f\n" + strings.Repeat("b", maxLine+1) + "\nc\n" + strings.Repeat("d", 3*maxLine))) {
		if err != nil {
			line = err.Error()
		}
		got = append(got, line)
	}
	assert.Equal(t, []string{"a", "/b#c", "/e", "a line is longer than any URL", "c", "a line is longer than any URL"}, got)
}

const sitemap = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc> https://example.com/a?b=1&amp;c=2 </loc><lastmod>2026-01-01</lastmod></url>
<url><loc>https://example.com/ü</loc></url></urlset>`

func TestURLsIn(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte(sitemap))
	w.Close()
	urls := []string{"https://example.com/a?b=1&c=2", "https://example.com/ü"}
	for _, test := range []struct {
		name, text string
		want       []string // URLs, or a part of an error
	}{
		{"lines", "/a\n\n  https://example.com/b \n", []string{"/a", "https://example.com/b"}},
		{"nothing", "", nil},
		{"a sitemap", sitemap, urls},
		{"with a mark", "\xEF\xBB\xBF\n" + sitemap, urls},
		{"compressed", packed.String(), urls},
		{"cut short", sitemap[:len(sitemap)-10], append(urls[:2:2], "EOF")},
		{"an index", `<sitemapindex><sitemap><loc>https://example.com/s.xml</loc></sitemap></sitemapindex>`, []string{"index of sitemaps"}},
		{"not what it seems", "\x1f\x8bx", []string{"EOF"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for text, err := range urlsIn(strings.NewReader(test.text)) {
				if err != nil {
					text = err.Error()
				}
				got = append(got, text)
			}
			assert.Len(t, got, len(test.want))
			for i := range got {
				assert.Contains(t, got[i], test.want[i])
			}
		})
	}
}
