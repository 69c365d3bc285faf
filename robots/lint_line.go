package robots

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// checkUnread looks at a line that has no key and value.
func (l *linter) checkUnread() {
	content, _, _ := bytes.Cut(l.current, []byte("#"))
	content = trim(content)
	if len(content) == 0 {
		if len(trim(l.current)) == 0 {
			l.widen(blankLine)
		}
		return
	}
	l.said.anything, l.said.pointless = true, true
	l.widen(otherLine)
	word := content[:tokenEnd(content, isStrictTokenByte)]
	rest := trim(content[len(word):])
	kind := classify(word)
	switch {
	case content[0] == ':':
		l.say(missingKey, content, `nothing precedes the colon, so the line is ignored; write "Disallow: ", "Allow: " or what is meant`)
	case bytes.HasPrefix(rest, []byte(fullWidthColon)):
		l.reportWideColon(rest)
	case kind != other:
		l.sayf(missingColon, content, `the line has no colon, so it is ignored; write "%s:" and one value`, rightKeys[kind])
	case string(content) == byteOrderMark:
		l.checkInvisible(content)
	default:
		l.sayf(missingColon, content, "%v is ignored, as it has no colon; write it as a comment, with # before it, if it is one", quoted(content))
	}
}

const fullWidthColon = "："

func (l *linter) reportWideColon(at []byte) {
	l.say(wideColon, at, `this full-width colon is no colon to crawlers, so the line does not say what it seems to; write ":"`)
}

// checkKey looks at how a line names what it is.
func (l *linter) checkKey(kind kind, key, value []byte) {
	between := l.current[l.offset(key)+len(key) : l.offset(value)]
	switch {
	case kind == other:
		l.checkOtherKey(key)
	case bytes.IndexByte(between, ':') < 0:
		l.sayf(leftOutColon, between, `the colon is missing: many crawlers ignore the line; write "%s: %s"`, rightKeys[kind], clipped(value))
	case !isRightKey(kind, key):
		l.sayf(misspelledKey, key, "%v is read as %s by some crawlers only; write %q", quoted(key), rightKeys[kind], rightKeys[kind])
	}
}

// rightKeys are the keys of each kind, as they should be.
var rightKeys = [...]string{
	allow: "Allow", disallow: "Disallow", userAgent: "User-agent",
	sitemap: "Sitemap", crawlDelay: "Crawl-delay", requestRate: "Request-rate",
}

func isRightKey(kind kind, key []byte) bool {
	return len(key) == len(rightKeys[kind]) && strings.EqualFold(string(key), rightKeys[kind])
}

// extensions are records that some crawler reads, or did, and Parse only keeps.
var extensions = []string{
	"clean-param", "content-signal", "content-usage", "host", "license", "visit-time",
	"ai-usage", "cache-delay", "comment", "indexpage", "robot-version", "schemamap",
}

// metaNames are directives of pages, which belong into their HTML or HTTP header.
var metaNames = []string{"noindex", "nofollow", "noarchive", "nosnippet", "noimageindex", "nocache", "notranslate", "noodp", "noydir"}

func (l *linter) checkOtherKey(key []byte) {
	name := folded(key[:min(len(key), 40)]) // more than any that is known
	switch {
	case slices.Contains(extensions, name) || strings.HasPrefix(name, "acap-"):
		return
	case hasInvisibleEdge(key): // which has been told
	case slices.Contains(metaNames, name):
		l.sayf(metaRecord, key, `crawlers ignore %s in robots.txt; send "X-Robots-Tag: %s" with the pages, or disallow them`, name, name)
	case bytes.Contains(key, []byte(fullWidthColon)):
		l.reportWideColon(key[bytes.Index(key, []byte(fullWidthColon)):])
	case name == "http" || name == "https":
		l.say(mistypedRecord, key, `a URL by itself is ignored; write "Sitemap: " before it if it is one`)
	case prefixKey(name) != "":
		l.sayf(longerKey, key, "RFC 9309 does not know %v, but Google's parser reads it as %s; write that if it is meant", quoted(key), prefixKey(name))
	default:
		l.reportUnknown(key, name)
	}
	l.said.pointless = true
}

// googleKeys are those of which Google's parser looks at the beginning only.
var googleKeys = []string{"user-agent", "useragent", "user agent", "allow", "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw", "sitemap", "site-map"}

// prefixKey returns the right spelling of the known key that name begins with, or
// "" if it begins with none.
func prefixKey(name string) string {
	for _, key := range googleKeys {
		if strings.HasPrefix(name, key) {
			return rightKeys[classify([]byte(key))]
		}
	}
	return ""
}

// folded returns b in lower case. It may share its memory.
func folded(b []byte) string {
	if !slices.ContainsFunc(b, func(c byte) bool { return c != lower(c) }) {
		return view(b)
	}
	b = bytes.Clone(b)
	for i, c := range b {
		b[i] = lower(c)
	}
	return view(b)
}

func (l *linter) reportUnknown(key []byte, name string) {
	if l.counts[unknownRecord]+l.counts[mistypedRecord] >= 2*maxFindings {
		l.counts[l.said.unknown]++ // like the last: it would take long to compare them all
		return
	}
	l.said.unknown = unknownRecord
	if meant := suggest(name); meant != "" {
		l.said.unknown = mistypedRecord
		l.sayf(mistypedRecord, key, "crawlers ignore the record %v; did you mean %q?", quoted(key), meant)
	} else {
		l.sayf(unknownRecord, key, "no crawler is known to read the record %v; write it as a comment, with # before it, if it is one", quoted(key))
	}
}

// suggest returns the known key that is most like name, or "" if none is.
func suggest(name string) string {
	best, least := "", 3
	for _, key := range slices.Concat(rightKeys[1:], extensions) {
		distance := editDistance(name, strings.ToLower(key))
		if distance < least && distance*3 < len(key) {
			best, least = key, distance
		}
	}
	return best
}

// editDistance returns the number of characters to insert, delete, replace or
// swap with their neighbour that makes b of a.
func editDistance(a, b string) int {
	from, to := []rune(a), []rune(b)
	var before, above []int // the two rows above the current one
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		before, above, row = above, row, make([]int, len(to)+1)
		row[0] = i + 1
		for j := range to {
			replaced := above[j]
			if from[i] != to[j] {
				replaced++
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, replaced)
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(to)]
}

// checkRecord looks at a line that is neither a rule nor a user-agent.
func (l *linter) checkRecord(kind kind, key, value []byte) {
	l.widen(otherLine)
	if n := len(l.groups); n > 0 && kind != sitemap {
		l.groups[n-1].records = true
	}
	switch kind {
	case sitemap:
		l.checkSitemap(value)
	case crawlDelay:
		l.checkDelay(kind, parseDelay(string(value)), key, value, "a number of seconds, such as 10")
		l.checkGoogleDelay(value)
	case requestRate:
		l.checkDelay(kind, parseRate(string(value)), key, value, "requests and seconds, such as 1/10")
	}
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

// checkURLEnd looks for what follows the URL of a sitemap.
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

// findsJoined reports whether value has a second record in it, of which it tells.
func (l *linter) findsJoined(value []byte) bool {
	at := secondRecord(value)
	if at >= 0 {
		l.sayf(joinedLines, value[at:], "%v is not read here; write it in a line of its own", quoted(value[at:]))
	}
	return at >= 0
}

// secondRecord returns the place in a value at which there is a key with a colon, or -1.
func secondRecord(value []byte) int {
	if bytes.IndexByte(value, ':') < 0 {
		return -1 // as most are
	}
	for at := range value {
		if isSpace(value[at]) || at > 0 && !isSpace(value[at-1]) {
			continue // not the beginning of a word
		}
		word := value[at:][:tokenEnd(value[at:], isStrictTokenByte)]
		rest := trim(value[at+len(word):])
		if len(rest) > 0 && rest[0] == ':' && classify(word) != other {
			return at
		}
	}
	return -1
}

// isWebURL reports whether value is an absolute URL with a host.
func isWebURL(value []byte) bool {
	for _, scheme := range []string{"http://", "https://"} {
		if len(value) > len(scheme) && strings.EqualFold(string(value[:len(scheme)]), scheme) {
			return value[len(scheme)] != '/' && !isSpace(value[len(scheme)])
		}
	}
	return false
}

func (l *linter) checkDelay(kind kind, d milliseconds, key, value []byte, form string) {
	switch {
	case l.group == noGroup:
		l.sayf(delayOutsideGroup, key, `%s before the first user-agent line is ignored; write it below "User-agent: *"`, key)
	case d == noDelay:
		l.reportBadDelay(kind, value, form)
	case l.said.delays[kind]:
		l.sayf(repeatedDelay, value, "the group has a %s already, so this one is ignored; keep one of them", rightKeys[kind])
	case d.duration() > longestDelay:
		l.sayf(longDelay, value, "%v is more than most crawlers wait, if they heed it at all; write at most %d seconds", quoted(value), int(longestDelay.Seconds()))
	}
	l.said.delays[kind] = l.said.delays[kind] || d != noDelay
}

func (l *linter) reportBadDelay(kind kind, value []byte, form string) {
	whole, decimals, _ := bytes.Cut(value, []byte(","))
	switch {
	case len(value) == 0:
		l.say(badDelay, value, "the line has no value, so it is ignored; write "+form)
	case l.findsJoined(value):
	case kind == crawlDelay && len(decimals) <= 2 && parseDelay(string(whole)+"."+string(decimals)) != noDelay: // "1,000" may be a thousand
		l.sayf(badDelay, value, "%v is ignored; write %s.%s", quoted(value), clipped(whole), decimals)
	default:
		l.sayf(badDelay, value, "%v is ignored; write %s", quoted(value), form)
	}
}

func (l *linter) checkGoogleDelay(value []byte) {
	if l.group == noGroup {
		return
	}
	names := l.groups[len(l.groups)-1].names
	if slices.ContainsFunc(names, func(n named) bool { return strings.HasPrefix(n.token, "googlebot") }) {
		l.say(delayForGoogle, value, "Googlebot ignores crawl-delay; it slows down when the site answers 429 or 503")
	}
}
