package lint

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-polite/polite/robots/crawlers"
	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// longestDelay is the longest delay that most crawlers obey.
const longestDelay = 30 * time.Second

func (l *linter) checkDelay(kind syntax.Kind, d syntax.Delay, key, value []byte, form string) {
	switch {
	case len(l.groups) == 0:
		l.sayf(delayOutsideGroup, key, `%s before the first user-agent line is ignored; write it below "User-agent: *"`, key)
	case d == syntax.NoDelay:
		l.reportBadDelay(kind, value, form)
	case l.said.delays[kind]:
		l.sayf(repeatedDelay, value, "the group has a %s already, so this one is ignored; keep one of them", rightKeys[kind])
	case d.Duration() > longestDelay:
		l.sayf(longDelay, value, "%v is more than most crawlers wait, if they obey it at all; write at most %d seconds", quoted(value), int(longestDelay.Seconds()))
	}
	l.said.delays[kind] = l.said.delays[kind] || d != syntax.NoDelay
	if d != syntax.NoDelay && len(l.groups) > 0 {
		group := &l.groups[len(l.groups)-1]
		group.delayed = len(group.names)
	}
}

func (l *linter) reportBadDelay(kind syntax.Kind, value []byte, form string) {
	whole, decimals, _ := bytes.Cut(value, []byte(","))
	switch at := placeholder(value, traitsOf(value)); {
	case at != nil:
		l.sayf(badDelay, at, "nobody has filled in %v, so the line is ignored; write %s", quoted(at), form)
	case len(value) == 0:
		l.say(badDelay, value, "the line has no value, so it is ignored; write "+form)
	case l.findsJoined(value):
	case kind == syntax.CrawlDelay && len(decimals) <= 2 && syntax.ParseDelay(string(whole)+"."+string(decimals)) != syntax.NoDelay: // "1,000" may be a thousand
		l.sayf(badDelay, value, "%v is ignored; write %s.%s", quoted(value), clipped(whole), decimals).with(l.over(value[len(whole):len(whole)+1], "."))
	case kind == syntax.CrawlDelay && len(bytes.Trim(value, "0123456789")) == 0:
		l.sayf(badDelay, value, "%v is more than 30 days, so it is ignored; write %s", quoted(value), form)
	default:
		l.sayf(badDelay, value, "%v is ignored; write %s", quoted(value), form)
	}
}

// checkGoogleDelay looks for a delay that nobody gets but crawlers that ignore it. The agents of the group that have
// no delay yet get it.
func (l *linter) checkGoogleDelay(d syntax.Delay, value []byte) {
	if len(l.groups) == 0 || d == syntax.NoDelay {
		return
	}
	group := l.groups[len(l.groups)-1]
	for _, n := range group.names[group.delayed:] {
		if !ignoresDelay(n.token) {
			return
		}
	}
	switch {
	case group.delayed == len(group.names):
	case strings.HasPrefix(group.names[group.delayed].token, "googlebot"):
		l.say(delayForGoogle, value, "Googlebot ignores crawl-delay; it slows down when the site answers 429 or 503")
	case strings.HasPrefix(group.names[group.delayed].token, "yandex"):
		l.say(delayForGoogle, value, "Yandex has ignored crawl-delay since 2018; set the crawl rate in Yandex Webmaster")
	default:
		l.sayf(delayForGoogle, value, "%v ignores crawl-delay, as its owner says; leave the line out", quoted(group.names[group.delayed].written))
	}
}

// ignoresDelay reports whether the owner of a crawler says that it ignores crawl-delay. For Yandex:
// https://www.yandex.com/support/webmaster/en/robot-workings/crawl-delay.md
func ignoresDelay(token string) bool {
	return strings.HasPrefix(token, "googlebot") || strings.HasPrefix(token, "yandex") || crawlers.IgnoresDelay(token)
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
	for _, named := range l.sitemaps {
		_, rest, _ := strings.Cut(named.url, "//")
		slash := strings.IndexByte(rest, '/')
		if slash < 0 || !l.spend(8*len(rules)+len(rest)) {
			continue
		}
		p := match.Unlimited(match.View(syntax.AppendNormal(nil, rest[slash:], false)))
		if r := s.Decide(b.section, &p, 0); r != 0 && !r.Allow() && !isForAll(s, r) {
			l.onValuef(sitemapDisallowed, named.line, "line %d disallows this sitemap, if it is one of this host, so that a crawler without a group of its own may not fetch it; allow it", r.Line())
		}
	}
}

func (l *linter) checkSitemap(value []byte) {
	first, _ := utf8.DecodeRune(value)
	switch at := placeholder(value, traitsOf(value)); {
	case isInvisible(first):
	case at != nil:
		l.sayf(badSitemap, at, `nobody has filled in %v, so the line names no sitemap; write its URL, from "https://" on`, quoted(at))
	case len(value) == 0:
		l.say(badSitemap, value, `the line names no sitemap; write its URL, from "https://" on`)
	case isWebURL(value) && isOwnHost(value):
		l.sayf(badSitemap, value, "%v is where the site runs while it is made, and no crawler reaches it; write the host by which others reach the site", quoted(hostOf(value)))
	case isWebURL(value) && bytes.HasSuffix(value, []byte("/robots.txt")):
		l.say(badSitemap, value, "this is a robots.txt, and no sitemap; write the URL of the sitemap, or leave the line out")
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

// hostOf returns the host of an absolute URL.
func hostOf(url []byte) []byte {
	_, rest, _ := bytes.Cut(url, []byte("//"))
	if end := bytes.IndexAny(rest, ":/?#"); end >= 0 && rest[0] != '[' {
		return rest[:end]
	}
	end := bytes.IndexByte(rest, ']') + 1
	if end == 0 {
		end = len(rest)
	}
	return rest[:end]
}

// isOwnHost reports whether the host of a URL is the machine that asks for it.
func isOwnHost(url []byte) bool {
	host := folded(hostOf(url))
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasPrefix(host, "127.") || host == "0.0.0.0" || host == "[::1]"
}

// checkLicense looks at the license of the pages (RSL 1.0).
func (l *linter) checkLicense(value []byte) {
	if !isWebURL(value) {
		l.sayf(badLicense, value, `%v is not an absolute URL, so crawlers may not find the license; write it from "https://" on`, quoted(value))
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

// isWebURL reports whether value is an absolute URL with a host.
func isWebURL(value []byte) bool {
	for _, scheme := range []string{"http://", "https://"} {
		if len(value) > len(scheme) && strings.EqualFold(string(value[:len(scheme)]), scheme) {
			return value[len(scheme)] != '/' && !syntax.IsSpace(value[len(scheme)])
		}
	}
	return false
}

// beginsWithHost reports whether a pattern looks like a URL without its scheme, and not
// like the name of a file.
func beginsWithHost(value []byte) bool {
	host, _, _ := bytes.Cut(value, []byte("/"))
	switch dot := bytes.LastIndexByte(host, '.'); string(host[dot+1:]) {
	case "com", "org", "net", "edu", "gov":
		return dot > 0
	}
	return len(host) >= 4 && strings.EqualFold(string(host[:4]), "www.")
}

// extensions are the keys of records that some crawler reads, or once did. Parse keeps
// them, and does nothing else with them.
var extensions = []string{
	"clean-param", "content-signal", "content-usage", "host", "license", "visit-time",
	"ai-usage", "cache-delay", "comment", "indexpage", "robot-version", "schemamap",
}

// metaNames are directives that belong into the HTML or the HTTP header of a page.
var metaNames = []string{"noindex", "nofollow", "noarchive", "nosnippet", "noimageindex", "nocache", "notranslate", "noodp", "noydir"}

// headers are HTTP headers that say how pages may be used.
var headers = []string{"x-robots-tag", "robots-tag", "tdm-reservation", "tdm-policy"}

// reportMeta reports a record that says what only a header can say.
func (l *linter) reportMeta(key []byte, name, header string) {
	l.grave = never // it is no rule
	l.sayf(metaRecord, key, "crawlers ignore %s in robots.txt; send %v with the pages, which a crawler sees only if it may fetch them, or disallow them", name, quoted(header))
}

func (l *linter) checkOtherKey(key, value []byte) {
	name := folded(key[:min(len(key), 40)]) // longer than any known key
	word, scheme, _ := strings.Cut(name, " ")
	kind := syntax.Classify([]byte(word))
	switch {
	case kind != syntax.Other && isScheme(strings.TrimSpace(scheme)) && bytes.HasPrefix(value, []byte("//")):
		f := l.sayf(missingColon, key, `the colon behind %v is missing, so the line is ignored; write "%s:"`, quoted(key[:len(word)]), rightKeys[kind])
		if kind == syntax.Sitemap {
			f.with(l.over(key[:len(word)], "Sitemap:"))
		}
	case name == "host":
		l.say(staleHost, key, "Yandex read this record until 2018, and no crawler is known to read it now; redirect the other hosts to the main one, and leave the line out").with(l.without())
		return
	case name == "license":
		l.checkLicense(value)
		return
	case slices.Contains(extensions, name) || strings.HasPrefix(name, "acap-"):
		return
	case hasInvisibleEdge(key): // reported already
	case slices.Contains(metaNames, name):
		l.reportMeta(key, name, "X-Robots-Tag: "+name)
	case name == "robots":
		l.reportMeta(key, name, "X-Robots-Tag: "+clip(value))
	case slices.Contains(headers, name):
		l.reportMeta(key, name, clip(key)+": "+clip(value))
	case bytes.Contains(key, []byte(fullWidthColon)):
		l.reportWideColon(key[bytes.Index(key, []byte(fullWidthColon)):])
	case namesCrawler(name):
		l.sayf(mistypedRecord, key, `%v is no record, so the line is ignored; write "User-agent" and the name in a line above`, quoted(key))
	case isScheme(name):
		l.say(mistypedRecord, key, `a URL by itself is ignored; write "Sitemap: " before it if it is one`)
	case strings.Contains(name, "sitemap") && !strings.HasPrefix(name, "sitemap") && len(withoutMark(key)) == len(key) && isWebURL(value):
		l.sayf(mistypedRecord, key, `crawlers ignore the record %v; write "Sitemap", which is for sitemaps of all kinds`, quoted(key)).with(l.over(key, "Sitemap"))
	case prefixKey(name) != "":
		l.sayf(longerKey, key, "RFC 9309 does not know %v, but Google's parser reads it as %s; write that if it is meant", quoted(key), prefixKey(name))
	default:
		l.reportUnknown(key, value, name)
	}
	l.said.pointless = true
}

// namesCrawler reports whether a key is the name of a known crawler, and a known key.
func namesCrawler(key string) bool {
	name, rest, _ := strings.Cut(key, " ")
	return isKnown([]byte(name)) && syntax.Classify([]byte(strings.TrimSpace(rest))) != syntax.Other
}

func isScheme(name string) bool { return name == "http" || name == "https" }

func (l *linter) reportUnknown(key, value []byte, name string) {
	if l.counts[unknownRecord]+l.counts[mistypedRecord] >= 2*l.most {
		l.counts[l.said.unknown]++ // counted like the last one: comparing all of them would take long
		l.doubtRules(l.said.unknown.Severity)
		return
	}
	l.said.unknown = unknownRecord
	word := withoutMark(key)
	switch meant := suggest(folded(word[:min(len(word), 40)])); {
	case meant != "" && len(word) < len(key):
		l.said.unknown = mistypedRecord
		l.reportMark(key, value, meant)
	case meant != "":
		l.said.unknown = mistypedRecord
		l.sayf(mistypedRecord, key, "crawlers ignore the record %v; did you mean %q?", quoted(key), meant).with(l.over(key, meant))
	case len(value) > 0 && (value[0] == '/' || value[0] == '*'):
		l.sayf(unknownRecord, key, `no crawler is known to read the record %v; write "Disallow" or "Allow" if it is a rule, and else # before it`, quoted(key))
	default:
		l.sayf(unknownRecord, key, "no crawler is known to read the record %v; write it as a comment, with # before it, if it is one", quoted(key)).with(l.over(key[:0], "# "))
	}
}

// withoutMark returns a key from its first letter on, and without quotation marks at its end.
func withoutMark(key []byte) []byte {
	word := bytes.TrimLeftFunc(key, func(r rune) bool { return !unicode.IsLetter(r) })
	if len(word) == len(key) {
		return key
	}
	return bytes.TrimRight(word, quotationMarks)
}

// reportMark reports what stands before a key: the mark of a list, of a comment, or a quotation mark from a spreadsheet.
// Only one that also ends is surely no part of the line.
func (l *linter) reportMark(key, value []byte, meant string) {
	advice, edit := fmt.Sprintf("write %q first, or # if the line is a comment", meant), (*Edit)(nil)
	first, _ := utf8.DecodeRune(bytes.Trim(key, quotationMarks))
	plain := bytes.Trim(value, quotationMarks)
	whole := l.current[l.offset(key) : l.offset(value)+len(value)]
	closed := len(bytes.TrimRight(key, quotationMarks)) < len(key) || len(bytes.TrimRight(value, quotationMarks)) < len(value)
	if line := meant + ": " + string(plain); closed && unicode.IsLetter(first) && !strings.ContainsAny(line, quotationMarks) {
		advice, edit = fmt.Sprintf("write %v", quoted(line)), l.over(whole, line)
	}
	l.sayf(mistypedRecord, key, "crawlers ignore the line, as its key does not stand first; %s", advice).with(edit)
}

// suggest returns the known key that is most like name, or "" if none is.
func suggest(name string) string {
	return nearest(name, slices.Concat(rightKeys[1:], extensions))
}

// googleKeys are the keys of which Google's parser reads only the beginning.
var googleKeys = []string{"user-agent", "useragent", "user agent", "allow", "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw", "sitemap", "site-map"}

// prefixKey returns the right spelling of the key in googleKeys that name begins with,
// or "" if it begins with none.
func prefixKey(name string) string {
	for _, key := range googleKeys {
		if strings.HasPrefix(name, key) {
			return rightKeys[syntax.Classify([]byte(key))]
		}
	}
	return ""
}
