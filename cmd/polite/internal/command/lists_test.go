package command

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// aSitemap returns the name of a sitemap of a shop, which is compressed.
func aSitemap(t *testing.T) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, "<urlset><url><loc>https://shop.example/</loc></url><url><loc>https://shop.example/private</loc></url></urlset>")
	require.NoError(t, w.Close())
	name := filepath.Join(t.TempDir(), "sitemap.xml.gz")
	require.NoError(t, os.WriteFile(name, b.Bytes(), 0o644))
	return name
}

// A sitemap is a list of URLs, wherever it is.
func TestSitemapAsList(t *testing.T) {
	file := aSitemap(t)
	packed, err := os.ReadFile(file)
	require.NoError(t, err)
	s := newSite(t, origintest.Text("user-agent: *\ndisallow: /no"), pages{
		"/s.xml.gz": origintest.Text(string(packed)), "/no.xml": origintest.Text(string(packed)),
		"/index.xml": origintest.Text("<sitemapindex><sitemap><loc>SITE/s.xml.gz</loc></sitemap></sitemapindex>"),
	})
	const want = "allowed      https://shop.example/ "
	for _, args := range [][]string{
		{"check", "-f", "testdata/shop.txt", "--urls", file},
		{"check", "-f", "testdata/shop.txt", "--urls", s.URL + "/s.xml.gz"},
	} {
		got := runCommand(t, args...)
		assert.Equal(t, 3, got.status, got.stderr)
		assert.Equal(t, 2, strings.Count(got.stdout, "\n"))
		assert.Contains(t, got.stdout, want)
		assert.Contains(t, got.stdout, "https://shop.example/private ")
	}
	assert.Contains(t, runWithInput(t, string(packed), "check", "-f", "testdata/shop.txt").stdout, want)
	got := runCommand(t, "diff", "--urls", s.URL+"/s.xml.gz", "testdata/shop.txt", "testdata/shop-new.txt")
	assert.Contains(t, got.stdout, "https://shop.example/private")

	expected := "sitemap:" + file + " * allowed\nsitemap:" + s.URL + "/s.xml.gz GPTBot allowed\n"
	got = runWithInput(t, expected, "check", "--expect", "-", "-f", "testdata/shop.txt")
	assert.Equal(t, 3, got.status, got.stderr)
	assert.Contains(t, got.stdout, "stdin:1: https://shop.example/private for * is disallowed, not allowed")
	assert.Contains(t, got.stderr, " of 4 verdicts are not as expected\n")

	got = runCommand(t, "check", "-f", "testdata/shop.txt", "--urls", s.URL+"/no.xml")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stdout, s.URL+"/no.xml is disallowed")
	assert.Equal(t, 2, strings.Count(got.stdout, "/no.xml"), got.stdout)
	assert.NotContains(t, s.arrivals(), "/no.xml", "a sitemap is fetched politely")
}

func TestListMisuse(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--urls", "x", "/a", "-f", "y"}, "--urls or URLs?"},
		{[]string{"--urls", "x", "--expect", "y"}, "--expect or URLs?"},
		{[]string{"--urls", "-", "-f", "-"}, "which URL? standard input is the file of -f"},
		{[]string{"--urls", "ftp://a.example/"}, "begins with https:// or http://"},
		{[]string{"-f", "testdata/shop.txt", "testdata/slips.txt"}, "write --urls before it to read URLs from it"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) { assertMisuse(t, "check", test.want, test.args...) })
	}
}
