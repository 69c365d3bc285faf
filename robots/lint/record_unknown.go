package lint

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-polite/polite/robots/internal/syntax"
)

var longerKey = &check{
	Check:   Check{"longer-key", Error, "a key only begins as a known one; Google's parser reads it as that"},
	example: "user-agent: *\nDisallowed: /x",
}

var mistypedRecord = &check{
	Check:   Check{"mistyped-record", Error, "a record that is ignored, and whose key is much like a known one"},
	example: "user-agent: *\ndsallow: /x",
}

var unknownRecord = &check{
	Check:   Check{"unknown-record", Warning, "a record that no crawler is known to read"},
	example: "user-agent: *\nfoo: bar",
}

var metaRecord = &check{
	Check:   Check{"meta-record", Error, "noindex, nofollow and their like have no effect in robots.txt"},
	example: "user-agent: *\nNoindex: /x",
}

// extensions are the keys of records that some crawler reads, or once did. Parse keeps
// them, and does nothing else with them.
var extensions = []string{
	"clean-param", "content-signal", "content-usage", "host", "license", "visit-time",
	"ai-usage", "cache-delay", "comment", "indexpage", "robot-version", "schemamap",
}

// metaNames are directives that belong into the HTML or the HTTP header of a page.
var metaNames = []string{"noindex", "nofollow", "noarchive", "nosnippet", "noimageindex", "nocache", "notranslate", "noodp", "noydir"}

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
	case slices.Contains(extensions, name) || strings.HasPrefix(name, "acap-"):
		return
	case hasInvisibleEdge(key): // reported already
	case slices.Contains(metaNames, name):
		l.sayf(metaRecord, key, `crawlers ignore %s in robots.txt; send "X-Robots-Tag: %s" with the pages, or disallow them`, name, name)
	case bytes.Contains(key, []byte(fullWidthColon)):
		l.reportWideColon(key[bytes.Index(key, []byte(fullWidthColon)):])
	case isScheme(name):
		l.say(mistypedRecord, key, `a URL by itself is ignored; write "Sitemap: " before it if it is one`)
	case strings.Contains(name, "sitemap") && !strings.HasPrefix(name, "sitemap") && isWebURL(value):
		l.sayf(mistypedRecord, key, `crawlers ignore the record %v; write "Sitemap", which is for sitemaps of all kinds`, quoted(key)).with(l.over(key, "Sitemap"))
	case prefixKey(name) != "":
		l.sayf(longerKey, key, "RFC 9309 does not know %v, but Google's parser reads it as %s; write that if it is meant", quoted(key), prefixKey(name))
	default:
		l.reportUnknown(key, name)
	}
	l.said.pointless = true
}

func isScheme(name string) bool { return name == "http" || name == "https" }

func (l *linter) reportUnknown(key []byte, name string) {
	if *l.countOf(unknownRecord)+*l.countOf(mistypedRecord) >= 2*maxFindings {
		*l.countOf(l.said.unknown)++ // counted like the last one: comparing all of them would take long
		return
	}
	l.said.unknown = unknownRecord
	if meant := suggest(name); meant != "" {
		l.said.unknown = mistypedRecord
		l.sayf(mistypedRecord, key, "crawlers ignore the record %v; did you mean %q?", quoted(key), meant).with(l.over(key, meant))
	} else {
		l.sayf(unknownRecord, key, "no crawler is known to read the record %v; write it as a comment, with # before it, if it is one", quoted(key)).with(l.over(key[:0], "# "))
	}
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
