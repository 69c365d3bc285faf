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

// A list has a summary, and --disallowed leaves out what is allowed.
func TestListSummary(t *testing.T) {
	down := downSite(t)
	const list = "/x\n/\n/private\n/privately\n"
	for _, test := range []struct {
		list, args string
		told       int // lines
		summary    string
		status     int
	}{
		{list, "-f testdata/shop.txt", 4, "2 allowed, 2 disallowed\n", 3},
		{list, "-f testdata/shop.txt --disallowed", 2, "2 allowed, 2 disallowed\n", 3},
		{"/x\n", "-f testdata/shop.txt --disallowed", 0, "1 allowed, 0 disallowed\n", 0},
		{list, "-f testdata/shop.txt --disallowed -A GPTBot -A Empty", 3, "6 allowed, 2 disallowed\n", 3},
		{list, "-f testdata/shop.txt --disallowed --csv", 3, "", 3},
		{list, "-f testdata/shop.txt -q", 0, "", 3},
		{"x\n" + down.URL + "\n", "--disallowed", 2, "0 allowed, 0 disallowed, 1 unreachable, 1 failed\n", 1},
		{"", "-f testdata/shop.txt /private /x", 2, "", 3},
		{"", "-f testdata/shop.txt /private /x --disallowed", 1, "", 3},
	} {
		got := runWithInput(t, test.list, append([]string{"check"}, strings.Fields(test.args)...)...)
		assert.Equal(t, []any{test.told, test.summary, test.status}, []any{strings.Count(got.stdout, "\n"), got.stderr, got.status}, test)
	}
}

// A list without a URL is most likely not the one that was meant.
func TestEmptyList(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, []byte("# nothing\n\n"), 0o600))
	for _, args := range [][]string{{"check"}, {"check", "-"}, {"check", "--json"}, {"check", "--urls", empty}, {"get", "-"}, {"get", "-q", "-"}} {
		got := runWithInput(t, "\n# no URL\n", args...)
		assert.Equal(t, 2, got.status, args)
		assert.Empty(t, got.stdout)
		assert.Contains(t, got.stderr, "polite "+args[0]+": the list is empty: write a URL a line\n", args)
	}
	got := runWithInput(t, "", "get", "--json", "-")
	assert.Equal(t, result{2, "", `{"error":"the list is empty: write a URL a line"}` + "\n"}, got)
}

func TestListMisuse(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--urls", "x", "/a", "-f", "y"}, "--urls or URLs?"},
		{[]string{"--urls", "x", "--expect", "y"}, "--expect and --urls do not"},
		{[]string{"--urls", "-", "-f", "-"}, "which URL? standard input is the file of -f"},
		{[]string{"--disallowed", "--expect", "y"}, "--disallowed and --expect do not"},
		{[]string{"--urls", "ftp://a.example/"}, "begins with https:// or http://"},
		{[]string{"-f", "testdata/shop.txt", "testdata/slips.txt"}, "write --urls before it to read URLs from it"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) { assertMisuse(t, "check", test.want, test.args...) })
	}
}
