package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is not read of the sitemaps of a site is told, and how to get it.
func TestSitemapsThatAreNotRead(t *testing.T) {
	in(t, func(d *desk) {
		rules := "user-agent: *\n"
		for i := range 6 {
			rules += fmt.Sprintf("sitemap: /%d.xml\n", i)
			d.web.Page("a.example", fmt.Sprintf("/%d.xml", i), typed("text/xml", fmt.Sprintf("<urlset><url><loc>/page%d</loc></url></urlset>", i)))
		}
		d.web.Robots("a.example", origintest.Text(rules))
		text, refused := d.call("check", arguments{"url": "https://a.example/"})
		require.Nil(d, refused)
		assert.True(d, strings.HasSuffix(text, "Its sitemaps: https://a.example/0.xml https://a.example/1.xml https://a.example/2.xml https://a.example/3.xml https://a.example/4.xml\n"), text)
		text, refused = d.call("check", arguments{"url": "https://none.example/"})
		require.Nil(d, refused)
		assert.NotContains(d, text, "sitemaps")
		text, refused = d.call("sitemap", arguments{"url": "https://a.example/", "contains": "page1"})
		require.Nil(d, refused)
		assert.Contains(d, text, "4 of 4 URLs, of https://a.example/0.xml https://a.example/1.xml https://a.example/2.xml\n"+
			"Of these, 3 are further sitemaps, which were not read: use the tool for each.\n")
		assert.Contains(d, text, "]\nhttps://a.example/page1\nsitemap: https://a.example/3.xml\nsitemap: https://a.example/4.xml\nsitemap: https://a.example/5.xml\n[end")
	})
}

// So is what is wrong in a sitemap.
func TestSitemapsWithFaults(t *testing.T) {
	entry := func(url string) string { return "<url><loc>" + url + "</loc></url>" }
	in(t, func(d *desk) {
		for _, test := range []struct{ body, want string }{
			{"<urlset>" + entry("/a") + entry("/b") + "<url><loc>/c", "2 of 2 URLs, of AT\nNot read: the rest of AT (XML syntax error on line 1: unexpected EOF)\n"},
			{"<urlset>" + entry("/a") + entry("http://exa mple.com/") + entry("") + entry("http://[") + entry("/"+strings.Repeat("x", 9000)) + "</urlset>",
				"1 of 1 URLs, of AT\nNot read: entries of AT that are no URLs (3)\n"},
			{"<urlset>" + entry("https://a.example/100%/x") + entry("/[x] y") + entry("//b.example/ü") + "</urlset>", "3 of 3 URLs, of AT\nThe site"},
			{"<urlset>" + strings.Repeat(entry("/a"), 50_001) + "</urlset>", "100 of 50000 URLs, of AT\nFor more, ask with start=100.\nNot read: the rest of AT (it has more than 50000 URLs)\n"},
			{"<urlset>" + entry("/a") + strings.Repeat(" <!-- -->", 2<<20) + "</urlset>", "1 of 1 URLs, of AT\nNot read: the rest of AT (it has more than 16777216 octets)\n"},
			{"<urlset>" + strings.Repeat(entry("/a"), 50_000) + "</urlset>", "100 of 50000 URLs, of AT\nFor more, ask with start=100.\nThe site"},
			{"<urlset>" + entry("/a") + strings.Repeat(" <!---->", 2<<20-9) + strings.Repeat(" ", 72-len("<urlset>"+entry("/a")+"</urlset>")) + "</urlset>", "1 of 1 URLs, of AT\nThe site"},
			{"<?xml version='1.0' encoding='ISO-8859-1'?><urlset>" + entry("/caf\xe9") + "</urlset>", "1 of 1 URLs"},
			{"\xEF\xBB\xBFhttps://a.example/a\r\nhttps://a.example/b\r\n\r\n", "2 of 2 URLs, of AT\nThe site"},
			{"<rss></rss>", "could not be read as a sitemap: it is no sitemap: it begins with <rss>."},
		} {
			d.web.Page("a.example", "/s", typed("text/xml", test.body))
			at := fmt.Sprintf("https://a.example/s?%d", len(test.body))
			text, _ := d.call("sitemap", arguments{"url": at})
			assert.Contains(d, text, strings.ReplaceAll(test.want, "AT", at))
		}
	})
}

// The URLs of a sitemap come in pieces that fit each other.
func TestSitemapInPieces(t *testing.T) {
	in(t, func(d *desk) {
		var all strings.Builder
		for i := range 1001 {
			fmt.Fprintf(&all, "https://a.example/%d\n", i)
		}
		d.web.Page("a.example", "/s.txt", origintest.Text(all.String()))
		for _, test := range []struct {
			start, limit, n int
			next, first     string
		}{
			{0, 0, 100, "start=100.", "/0"},
			{100, 0, 100, "start=200.", "/100"},
			{0, 1000, 1000, "start=1000.", "/0"},
			{0, 1001, 1000, "start=1000.", "/0"},
			{1, 1000, 1000, "", "/1"},
			{1000, 1, 1, "", "/1000"},
			{1001, 1, 0, "", ""},
		} {
			text, refused := d.call("sitemap", arguments{"url": "https://a.example/s.txt", "start": test.start, "limit": test.limit})
			require.Nil(d, refused)
			assert.Contains(d, text, fmt.Sprintf("%d of 1001 URLs", test.n))
			assert.Equal(d, test.next != "", strings.Contains(text, "For more, ask with "+test.next))
			_, text, _ = strings.Cut(text, "]\n")
			urls := strings.Count(text, "https://")
			assert.Equal(d, test.n, urls)
			assert.True(d, test.n == 0 || strings.HasPrefix(text, "https://a.example"+test.first+"\n"), text)
		}
	})
}

// A "%" that begins no octet is sent as it is, and judged so.
func TestMalformedPercent(t *testing.T) {
	in(t, func(d *desk) {
		d.web.Robots("a.example", origintest.Text("user-agent: *\ndisallow: /100%/\n"))
		text, refused := d.fetch("https://a.example/100%/x")
		require.NotNil(d, refused)
		assert.Contains(d, text, `robots.txt disallows https://a.example/100%/x for ExampleAgent, by "disallow: /100%/", line 2`)
		text, refused = d.fetch("https://a.example/50%?a")
		require.NotNil(d, refused)
		assert.Contains(d, text, "https://a.example/50%?a answers 400 Bad Request", "net/http takes no such URL, so this one arrived as it is")
	})
}

// What a call holds while it works it gives back: there may be any number of calls, one after another.
func TestManyCalls(t *testing.T) {
	in(t, func(d *desk) {
		d.web.Page("a.example", "/x", html("<p>x"))
		d.web.Page("a.example", "/s", typed("text/xml", "<urlset><url><loc>/a</loc></url></urlset>"))
		for i := range 40 {
			_, refused := d.fetch(fmt.Sprintf("https://a.example/x?%d", i))
			require.Nil(d, refused)
			_, refused = d.call("sitemap", arguments{"url": fmt.Sprintf("https://a.example/s?%d", i)})
			require.Nil(d, refused)
		}
	})
}
