package sitemap

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEntries(t *testing.T) {
	const head = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">`
	for _, test := range []struct{ name, text, want string }{
		{"URLs", head + "<url><loc> /a?b&amp;c </loc><lastmod>2026</lastmod></url><url><loc><![CDATA[/b?c&d]]></loc></url></urlset>", "/a?b&c /b?c&d"},
		{"images", head + "<url><loc>/a</loc><image:image><image:loc>/a.png</image:loc></image:image></url></urlset>", "/a"},
		{"an index", "<sitemapindex><sitemap><loc>/s.xml</loc></sitemap></sitemapindex>", "sitemap:/s.xml"},
		{"a raw &", "<urlset><url><loc>/a?b&c=d</loc></url></urlset>", "/a?b&c=d"},
		{"none", "<urlset/>", ""},
		{"nothing", "", ""},
		{"cut short", "<urlset><url><loc>/a</loc></url><url><lo", "/a error: XML syntax error on line 1: unexpected EOF"},
		{"a web page", "<!DOCTYPE html><html><loc>/a</loc>", "error: it is no sitemap: it begins with <html>"},
		{"nested", "<urlset>" + strings.Repeat("<url>", 1<<20), "error: it is no sitemap: its elements are nested too deeply"},
		{"ends alone", "<urlset></urlset></a></b>", "error: XML syntax error on line 1: unexpected end element </a>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for e, err := range Entries(strings.NewReader(test.text)) {
				switch {
				case err != nil:
					got = append(got, "error: "+err.Error())
				case e.Sitemap:
					got = append(got, "sitemap:"+e.URL)
				default:
					got = append(got, e.URL)
				}
			}
			assert.Equal(t, test.want, strings.Join(got, " "))
		})
	}
}

// What unpacks to more than a sitemap may have is read no further.
func TestUnpackBounded(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	zeros := make([]byte, 1<<20)
	for range MaxSize>>20 + 1 {
		w.Write(zeros)
	}
	w.Close()
	assert.Less(t, packed.Len(), 1<<20)
	r, err := Unpack(bufio.NewReader(&packed))
	require.NoError(t, err)
	n, err := io.Copy(io.Discard, r)
	assert.EqualError(t, err, "it is larger than 64 MiB")
	assert.EqualValues(t, MaxSize, n)
	_, err = Unpack(bufio.NewReader(strings.NewReader("\x1f\x8bx")))
	assert.ErrorContains(t, err, "it cannot be unpacked")
}

func FuzzEntries(f *testing.F) {
	f.Add("<urlset><url><loc>/a</loc></url></urlset>")
	f.Add("<sitemapindex><sitemap><loc>")
	f.Fuzz(func(t *testing.T, text string) {
		for range Entries(strings.NewReader(text)) {
		}
	})
}
