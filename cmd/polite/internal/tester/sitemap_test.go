package tester

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func urlset(urls ...string) string {
	return "<?xml version=\"1.0\"?><urlset><url><loc>" + strings.Join(urls, "</loc></url><url><loc>") + "</loc></url></urlset>"
}

func packed(t *testing.T, text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

// A sitemap is a source of URLs, also one that is compressed, and an index. The sites obey
// their own rules: robots.txt is asked first.
func TestSitemap(t *testing.T) {
	page := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }
	}
	c := serve(t, Start{}, map[string]http.HandlerFunc{
		"http://a.example/robots.txt": page("user-agent: *\ndisallow: /closed"),
		"http://a.example/s.xml":      page(urlset("http://a.example/1", " http://a.example/2\n")),
		"http://a.example/s.xml.gz":   page(packed(t, urlset("http://a.example/3"))),
		"http://a.example/index.xml": page("<sitemapindex><sitemap><loc>http://a.example/s.xml</loc></sitemap><sitemap><loc>http://b.example/s.xml</loc></sitemap>" +
			"<sitemap><loc>http://a.example/s.xml.gz</loc></sitemap></sitemapindex>"),
	})
	for at, want := range map[string][]string{
		"http://a.example/s.xml":     {"http://a.example/1", "http://a.example/2"},
		"http://a.example/s.xml.gz":  {"http://a.example/3"},
		"http://a.example/index.xml": {"http://a.example/1", "http://a.example/2", "http://a.example/3"},
	} {
		var a sitemapAnswer
		c.ask("sitemap", &a, asked(t, map[string]string{"url": at}))
		assert.Equal(t, want, a.URLs, at)
		assert.Equal(t, strings.Contains(at, "index"), strings.Contains(a.Error, "b.example"), a.Error)
	}
	for _, at := range []string{"http://a.example/closed.xml", "/etc/hostname", "sitemap.go", "-", "file:///etc/hostname", "", "\u202e"} {
		resp, body := c.send(c.request("sitemap", asked(t, map[string]string{"url": at})))
		assert.Equal(t, http.StatusBadRequest, resp.StatusCode, "%s: %s", at, body)
		assert.NotContains(t, body, "\u202e")
	}
	for _, arrived := range c.web.Log() {
		assert.NotContains(t, arrived.URI, "closed")
		assert.Equal(t, "a.example", arrived.Host)
	}
}

// A sitemap that is a bomb, has no end or leads elsewhere costs little, and the page says why.
func TestHostileSitemap(t *testing.T) {
	comment := "<!--" + repeated("x", 1<<20) + "-->" // a long one is read quickly
	bomb := packed(t, "<urlset>"+repeated(comment, 66)+"</urlset>")
	space := packed(t, "<urlset>"+repeated(" ", 65<<20)+"</urlset>")
	var arrived atomic.Int64 // octets of what has no end
	c := serve(t, Start{}, map[string]http.HandlerFunc{
		"http://a.example/robots.txt": http.NotFound,
		"http://a.example/bomb.gz":    func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, bomb) },
		"http://a.example/space.gz":   func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, space) },
		"http://a.example/endless.xml": func(w http.ResponseWriter, _ *http.Request) {
			for {
				n, err := io.WriteString(w, comment)
				if arrived.Add(int64(n)); err != nil {
					return
				}
			}
		},
		"http://a.example/in.xml":   http.RedirectHandler("http://192.168.1.1/reboot", http.StatusFound).ServeHTTP,
		"http://a.example/loop.xml": http.RedirectHandler("http://a.example/loop.xml", http.StatusFound).ServeHTTP,
		"http://a.example/self.xml": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "<sitemapindex><sitemap><loc>http://a.example/self.xml</loc></sitemap></sitemapindex>")
		},
	})
	for at, want := range map[string]string{
		"bomb.gz": "larger than 64 MiB", "space.gz": "longer than 2097152 octets", "endless.xml": "larger than 64 MiB", "in.xml": "into a private network",
		"loop.xml": "more than 10 times", "self.xml": "an index within an index",
	} {
		if testing.Short() && at == "bomb.gz" {
			continue // what has no end is as large
		}
		resp, body := c.send(c.request("sitemap", asked(t, map[string]string{"url": "http://a.example/" + at})))
		assert.Equal(t, http.StatusBadRequest, resp.StatusCode, at)
		assert.Contains(t, body, want, at)
	}
	for _, request := range c.web.Log() {
		assert.Equal(t, "a.example", request.Host)
	}
	assert.Less(t, arrived.Load(), int64(128<<20), "octets of what has no end")
	assert.Less(t, len(c.web.Log()), 25, "requests")
}

// A file with URLs is read on this machine alone.
func TestListOfURLs(t *testing.T) {
	c := serve(t, Start{}, nil)
	for text, want := range map[string][]string{
		urlset("https://a.example/1"):            {"https://a.example/1"},
		packed(t, urlset("https://a.example/1")): {"https://a.example/1"},
		"/a\n# no\n\nhttps://a.example/b\n":      {"/a", "https://a.example/b"},
		packed(t, "/a\n/b"):                      {"/a", "/b"},
	} {
		var a sitemapAnswer
		c.ask("list", &a, part{"request", "{}"}, part{"text", text})
		assert.Equal(t, want, a.URLs)
	}
	resp, body := c.send(c.request("list", part{"request", "{}"}, part{"text", "<sitemapindex><sitemap><loc>http://a.example/s</loc></sitemap></sitemapindex>"}))
	assert.Equal(t, http.StatusBadRequest, resp.StatusCode)
	assert.Contains(t, body, "index of sitemaps")
	resp, body = c.send(c.request("list", part{"request", "{}"}, part{"text", "<html>"}))
	assert.Equal(t, http.StatusBadRequest, resp.StatusCode)
	assert.Contains(t, body, "no sitemap")
	assert.Empty(t, c.web.Log())
}

// No sitemap fills the memory, also one that is small while it is compressed.
func TestSitemapIsBounded(t *testing.T) {
	c := serve(t, Start{}, nil)
	var a sitemapAnswer
	c.ask("list", &a, part{"request", "{}"}, part{"text", packed(t, urlset(strings.Fields(strings.Repeat("/x ", mostURLs+5))...))})
	assert.Len(t, a.URLs, mostURLs)
	assert.True(t, a.More)

	var long []string
	for i := range 30 {
		long = append(long, fmt.Sprint("/", i, repeated("x", 1<<20)))
	}
	c.ask("list", &a, part{"request", "{}"}, part{"text", packed(t, urlset(long...))})
	assert.Len(t, a.URLs, 3)
	assert.True(t, a.More)
}
