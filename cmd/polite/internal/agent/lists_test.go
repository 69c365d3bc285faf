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
		text, refused := d.call("sitemap", arguments{"url": "https://a.example/", "contains": "page1"})
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
