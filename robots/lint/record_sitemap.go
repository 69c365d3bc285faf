package lint

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

var badSitemap = &check{
	Check:   Check{"bad-sitemap", Error, "a sitemap is not an absolute http or https URL"},
	example: "sitemap: /s.xml",
}

var repeatedSitemap = &check{
	Check:   Check{"repeated-sitemap", Note, "a sitemap is named twice"},
	example: "sitemap: https://example.com/s.xml\nsitemap: https://example.com/s.xml",
}

var sitemapDisallowed = &check{
	Check:   Check{"sitemap-disallowed", Warning, "the rules for * disallow a sitemap that the file names"},
	example: "user-agent: *\ndisallow: /s\nsitemap: https://example.com/s.xml",
}

// A namedSitemap is a sitemap that the file names, and the line.
type namedSitemap struct {
	url  string
	line uint32
}

// noteSitemap notes a sitemap, unless it is named already.
func (l *linter) noteSitemap(value []byte) {
	i := slices.IndexFunc(l.sitemaps, func(s namedSitemap) bool { return s.url == string(value) })
	switch {
	case i >= 0:
		l.sayf(repeatedSitemap, value, "line %d names this sitemap already; leave this one out", l.sitemaps[i].line)
	case len(l.sitemaps) < mostSitemaps:
		l.sitemaps = append(l.sitemaps, namedSitemap{string(value), l.line})
	}
}

// mostSitemaps is how many sitemaps are compared.
const mostSitemaps = 1000

// checkSitemapRules looks for sitemaps that the rules for "*" disallow.
func (l *linter) checkSitemapRules(s *match.Set, blocks []*block) {
	i := slices.IndexFunc(blocks, func(b *block) bool { return slices.Contains(b.tokens, "*") })
	if i < 0 || len(l.sitemaps) == 0 {
		return
	}
	b := blocks[i]
	rules := s.Rules[b.section.First:b.section.End]
	l.findPairs(s, b, rules)
	for _, named := range l.sitemaps {
		_, rest, _ := strings.Cut(named.url, "//")
		slash := strings.IndexByte(rest, '/')
		if slash < 0 || !l.spend(8*len(rules)+len(rest)) {
			continue
		}
		p := match.Unlimited(match.View(syntax.AppendNormal(nil, rest[slash:], false)))
		if r := l.decide(s, b, rules, &p); r != 0 && !r.Allow() && !isForAll(s, r) {
			l.onValuef(sitemapDisallowed, named.line, "line %d disallows this sitemap, if it is one of this host, so that a crawler without a group of its own may not fetch it; allow it", r.Line())
		}
	}
}

func (l *linter) checkSitemap(value []byte) {
	first, _ := utf8.DecodeRune(value)
	switch {
	case isInvisible(first):
	case len(value) == 0:
		l.say(badSitemap, value, `the line names no sitemap; write its URL, from "https://" on`)
	case isWebURL(value):
		l.noteSitemap(value)
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
