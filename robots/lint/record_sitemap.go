package lint

import (
	"bytes"
	"unicode/utf8"
)

var recordSitemapChecks = []*check{badSitemap}

var badSitemap = &check{
	Check: Check{"bad-sitemap", Error, "a sitemap is not an absolute http or https URL"},
	finds: []example{
		{"sitemap: /s.xml", "1:10"},
		{"sitemap:", "1:9"},
		{"sitemap: https:///s.xml", "1:10"},
		{"sitemap: ftp://example.com/", "1:10"},
		{"sitemap: https://example.com/a, https://example.com/b", "1:31"},
		{"sitemap: https://example.com/a b", "1:31"},
		{"sitemap: https://example.com/a\tb c", "1:31"},
		{"sitemap: https:// example.com/", "1:10"},
	},
	not: []string{
		"sitemap: https://example.com/a,b",
		"sitemap: \u00a0https://example.com/",
		"sitemap: https://example.com/ sitemap: https://example.com/b",
		"sitemap: https://example.com/s.xml",
		"Sitemap: HTTP://other.example/",
	},
}

func (l *linter) checkSitemap(value []byte) {
	first, _ := utf8.DecodeRune(value)
	switch {
	case isInvisible(first):
	case len(value) == 0:
		l.say(badSitemap, value, `the line names no sitemap; write its URL, from "https://" on`)
	case isWebURL(value):
		l.checkURLEnd(value)
	case !l.findsJoined(value):
		l.sayf(badSitemap, value, `%v is not an absolute URL, so crawlers may ignore it; write it from "https://" on`, quoted(value))
	}
}

// checkURLEnd looks for something after the URL of a sitemap.
func (l *linter) checkURLEnd(value []byte) {
	at := bytes.IndexByte(value, ' ')
	if tab := bytes.IndexByte(value, '\t'); at < 0 || 0 <= tab && tab < at {
		at = tab
	}
	if comma := bytes.IndexByte(value, ','); at < 0 && comma >= 0 && isWebURL(value[comma+1:]) {
		at = comma
	}
	if at < 0 || l.findsJoined(value) {
		return
	}
	at -= len(value[:at]) - len(bytes.TrimRight(value[:at], ","))
	advice := "write %20 if the space is, and # before a comment"
	if isWebURL(bytes.TrimLeft(value[at:], ", \t")) {
		advice = "write a line for each sitemap"
	}
	l.sayf(badSitemap, value[at:], "%v is read as a part of the URL, so crawlers may not find it; %s", quoted(value[at:]), advice)
}
