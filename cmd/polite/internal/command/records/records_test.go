package records

import (
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/stretchr/testify/assert"
)

func TestSitemapURL(t *testing.T) {
	for _, test := range []struct{ written, ofSite, ofFile string }{
		{"https://a.example/s.xml", "https://a.example/s.xml", "https://a.example/s.xml"},
		{"HTTP://A.example:8080/s.xml?a=b&c", "http://A.example:8080/s.xml?a=b&c", "http://A.example:8080/s.xml?a=b&c"},
		{"https://a.example/é s.xml?é \"<'>", "https://a.example/%C3%A9%20s.xml?%C3%A9%20%22%3C%27%3E", "https://a.example/%C3%A9%20s.xml?%C3%A9%20%22%3C%27%3E"},
		{"https://bücher.example/", "https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"},
		{"https://[2001:DB8::1]/[a]", "https://[2001:DB8::1]/%5Ba%5D", "https://[2001:DB8::1]/%5Ba%5D"},
		{"https://a.example/%2Fa%5b?%5b", "https://a.example/%2Fa%5b?%5b", "https://a.example/%2Fa%5b?%5b"},
		{"https://a.example/\u202e?\u3164", "https://a.example/%E2%80%AE?%E3%85%A4", "https://a.example/%E2%80%AE?%E3%85%A4"},
		{"https://a.example/it's.xml", "https://a.example/it%27s.xml", "https://a.example/it%27s.xml"},
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
		assert.Equal(t, test.ofFile, strings.TrimSuffix(sitemaps(input.Source{Body: []byte(file)}, input.TellOptions{}, io.Discard), "\n"), "%q of a file", test.written)
		got, ok := sitemapURL(test.written, &url.URL{Scheme: "https", Host: "site.example", Path: "/robots.txt"})
		assert.Equal(t, test.ofSite, got, "%q of a site", test.written)
		assert.Equal(t, test.ofSite != "", ok)
	}
}
