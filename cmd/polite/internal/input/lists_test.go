package input

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

func packed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

// urlset returns a sitemap, and indexOf an index.
func urlset(urls ...string) string {
	return "<urlset><url><loc>" + strings.Join(urls, "</loc></url><url><loc>") + "</loc></url></urlset>"
}

func indexOf(urls ...string) string {
	return strings.ReplaceAll(strings.ReplaceAll(urlset(urls...), "urlset", "sitemapindex"), "url>", "sitemap>")
}

// listed returns what a list yields, errors included.
func listed(t *testing.T, l Lists, name string) (all []string) {
	for text, err := range l.URLs(t.Context(), name) {
		if err != nil {
			text = err.Error()
		}
		all = append(all, text)
	}
	return all
}

// listsOf returns Lists with a text as standard input, whose client reaches each host at one
// site.
func listsOf(text string) Lists {
	return Lists{Std: verb.Streams{In: strings.NewReader(text)}, Client: http.DefaultClient}
}

func TestLists(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string // URLs, or a part of an error
	}{
		{"lines", "/a\n\n  https://example.com/b \n", []string{"/a", "https://example.com/b"}},
		{"lines with a mark", "  /a\n/b", []string{"/a", "/b"}},
		{"lines with a byte order mark", "\xEF\xBB\xBF/a\r\n/b", []string{"/a", "/b"}},
		{"compressed lines with one", packed("\xEF\xBB\xBF/a\n/b"), []string{"/a", "/b"}},
		{"lines in UTF-16 without a mark", "/\x00a\x00\n\x00/\x00b\x00", []string{"save it in UTF-8"}},
		{"a cut file", packed(urlset("/a"))[:40], []string{"/a", "standard input: it ends too early: get all of it"}},
		{"the beginning of a file", packed(urlset("/a"))[:8], []string{"it cannot be unpacked: it ends too early: get all of it"}},
		{"lines in UTF-16", "\xff\xfe/\x00a\x00\n\x00/\x00b\x00", []string{"/a", "/b"}},
		{"nothing", "", nil},
		{"a sitemap", urlset("/a", "/b"), []string{"/a", "/b"}},
		{"with a mark", "\xEF\xBB\xBF\n" + urlset("/a"), []string{"/a"}},
		{"compressed", packed(urlset("/a", "/b")), []string{"/a", "/b"}},
		{"compressed lines", packed("/a\n/b"), []string{"/a", "/b"}},
		{"cut short", urlset("/a", "/b")[:40], []string{"/a", "standard input: XML syntax error on line 1: it ends too early: get all of it"}},
		{"a web page", "<html><p>", []string{"standard input: it is no sitemap: it begins with <html>"}},
		{"not what it seems", "\x1f\x8bx", []string{"standard input: it cannot be unpacked"}},
		{"an index of files", indexOf("file:///etc/passwd", "/s.xml"), []string{"cannot be fetched", "is no URL"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := listed(t, listsOf(test.text), "-")
			assert.Len(t, got, len(test.want))
			for i := range got {
				assert.Contains(t, got[i], test.want[i])
			}
		})
	}
}

// The sitemaps of an index are fetched, if they are those of its host. What one of them lacks
// holds up no other.
func TestIndex(t *testing.T) {
	web := origintest.New(t)
	site := "http://" + web.Address()
	web.Others(http.NotFound)
	for path, page := range map[string]string{
		"/index.xml": indexOf(site+"/1.xml.gz", site+"/none", site+"/page", "https://elsewhere.example/s.xml", site+"/index.xml", site+"/2.xml"),
		"/1.xml.gz":  packed(urlset("/a")),
		"/2.xml":     urlset("/b"),
		"/page":      packed("<html>"),
	} {
		web.Page("", path, origintest.Text(page))
	}
	assert.Equal(t, []string{
		"/a",
		site + "/none: the site answered 404 Not Found",
		site + "/page: it is no sitemap: it begins with <html>",
		site + "/index.xml: https://elsewhere.example/s.xml is not read, as the index is one of 127.0.0.1",
		site + "/index.xml: it is an index within an index, which is not read",
		"/b",
	}, listed(t, listsOf(""), site+"/index.xml"))
	asked := web.Log().URIs()
	assert.Equal(t, []string{"/index.xml", "/1.xml.gz", "/none", "/page", "/index.xml", "/2.xml"}, asked)
}

// A list ends with its context, and so does the file of --sites.
func TestListsEnd(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	_, err := Sites(ctx, "get", "none")
	assert.Equal(t, enough, err)
	for _, err := range listsOf("").URLs(ctx, "http://127.0.0.1:1/") {
		assert.ErrorContains(t, err, "enough")
	}
}

// What a file is is told from its beginning.
func TestHead(t *testing.T) {
	for text, want := range map[string]string{
		urlset("/a"):                  "write into one: sitemap:FILE Googlebot allowed",
		packed("x"):                   "write into one: sitemap:FILE Googlebot allowed",
		"user-agent: *\ndisallow: /x": "it is a robots.txt; write -f FILE",
		"# URLs\nhttps://a.example/x": "it is a list of URLs",
		"\n/x\n/y":                    "it is a list of URLs",
		"a\x00b":                      "it is no text",
		"\xff\xfe/\x00x\x00":          "", // its first line says it
		"\xfe\xff\x00/\x00x":          "",
		"/x GPTBot":                   "",
		"/x,GPTBot":                   "",
		"{}":                          "",
		"":                            "",
	} {
		var h Head
		io.Copy(io.Discard, io.TeeReader(strings.NewReader(text+strings.Repeat("\n", 10_000)), &h))
		got := h.Instead("FILE")
		assert.Equal(t, want == "", got == "", got)
		assert.Contains(t, got, want, fmt.Sprintf("%.20q", text))
		assert.LessOrEqual(t, len(h.start), longestHead)
	}
}
