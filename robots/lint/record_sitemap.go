package lint

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-polite/polite/robots/internal/syntax"
)

var badSitemap = &check{
	Check:   Check{"bad-sitemap", Error, "a sitemap is not an absolute http or https URL"},
	example: "sitemap: /s.xml",
}

func (l *linter) checkSitemap(value []byte) {
	first, _ := utf8.DecodeRune(value)
	switch {
	case isInvisible(first):
	case len(value) == 0:
		l.say(badSitemap, value, `the line names no sitemap; write its URL, from "https://" on`)
	case isWebURL(value):
		l.checkURLEnd(value)
	case isWebURL(bytes.Trim(value, quotationMarks+"<>")):
		plain := bytes.Trim(value, quotationMarks+"<>")
		l.sayf(badSitemap, value, "what stands around the URL is read as a part of it; write %v", quoted(plain)).with(l.over(value, string(plain)))
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
	advice, edit := "write %20 if the space is, and # before a comment", (*Edit)(nil)
	if isWebURL(bytes.TrimLeft(value[at:], ", \t")) {
		advice, edit = "write a line for each sitemap", l.eachSitemap(value[at:])
	}
	l.sayf(badSitemap, value[at:], "%v is read as a part of the URL, so crawlers may not find it; %s", quoted(value[at:]), advice).with(edit)
}

// eachSitemap returns the edit that writes a line for each of the URLs in list.
func (l *linter) eachSitemap(list []byte) *Edit {
	return l.eachOf(list, rightKeys[syntax.Sitemap], " \t", ",", func(url string) bool { return isWebURL([]byte(url)) })
}
