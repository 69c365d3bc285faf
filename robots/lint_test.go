package robots_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lintTests has for each check files in which it finds something, as "line:column"
// says, and files in which it does not.
var lintTests = map[string]struct {
	finds map[string]string
	not   []string
}{
	"utf-16": {
		map[string]string{"\xFF\xFEu\x00s\x00": "1:1", "\xFE\xFF\x00u": "1:1", "u\x00s\x00e\x00": "1:1", "\x00u\x00s": "1:1"},
		[]string{"\xFF\xFE\nuser-agent: *\ndisallow: /", "user-agent: *\ndisallow: /\x00a\x00b", "u\x00s", "\x00\x00\x00\x00"}},
	"html": {
		map[string]string{"<!DOCTYPE html>\n<title>x: y</title>": "1:1", "\uFEFF\n <html>": "1:1", "<?xml version='1.0'?>": "1:1"},
		[]string{"<b>\nuser-agent: *\ndisallow: /x", "\n \xEF\xBB\xBF<p>", "< user", "<", "# <html>"}},
	"empty-file": {
		map[string]string{"": "1:1", "\n\n": "1:1", "# nothing here": "1:1", "\uFEFF": "1:1"},
		[]string{"user-agent: *", "x", "sitemap: https://example.com/"}},
	"no-group": {
		map[string]string{"hello": "1:1", "sitemap: https://example.com/s.xml\nfoo: bar": "1:1"},
		[]string{"", "sitemap: https://example.com/s.xml", "disallow: /", "user-agent: a\nfoo", "host: example.com"}},
	"too-large": {
		map[string]string{
			"user-agent: *\n" + strings.Repeat("#\n", robots.MaxSize/2): "255995:1",
			strings.Repeat("#", robots.MaxSize+1):                       "1:1",
		},
		[]string{strings.Repeat("#\n", robots.MaxSize/2), "user-agent: *"}},
	"many-rules": {
		map[string]string{"user-agent: *\n" + strings.Repeat("disallow: /x\n", 5001): "5002:1"},
		[]string{"user-agent: *\n" + strings.Repeat("disallow: /x\n", 5000) + strings.Repeat("disallow:\n", 10)}},
	"byte-order-mark": {
		map[string]string{"\uFEFFuser-agent: *": "1:1", "\xEF\xBBuser-agent: *": "1:1", "\xEFuser-agent: *": "1:1"},
		[]string{"user-agent: *", "user-agent: *\n\uFEFF"}},
	"line-end": {
		map[string]string{"user-agent: *\rdisallow: /x\r": "1:14", "user-agent: *\r\ndisallow: /x\r\r\n\r": "2:13"},
		[]string{"user-agent: *\r\ndisallow: /x\n\r\n", "user-agent: *\ndisallow: /x\r"}},
	"mixed-line-ends": {
		map[string]string{"user-agent: *\r\ndisallow: /x\n\r\n": "2:13", "user-agent: *\n\r\ndisallow: /x\n": "2:1"},
		[]string{"user-agent: *\r\ndisallow: /x\r\n", "user-agent: *\ndisallow: /x\n", "user-agent: *\ndisallow: /x\r"}},
	"not-utf-8": {
		map[string]string{"user-agent: *\ndisallow: /soci\xE9t\xE9": "2:16"},
		[]string{"user-agent: *\ndisallow: /société # soci\xE9t\xE9", "# \xFF"}},
	"nul": {
		map[string]string{"user-agent: *\ndisallow: /a\x00b": "2:13"},
		[]string{"user-agent: *\ndisallow: /a # \x00"}},
	"invisible-character": {
		map[string]string{
			"user-agent: *\ndisallow: /x\u00a0":  "2:13",
			"user-agent: *\ndisallow:\u00a0/x":   "2:10",
			"user-agent: *\n\u200bdisallow: /x":  "2:1",
			"user-agent: *\n\uFEFF":              "2:1",
			"\uFEFF\uFEFFuser-agent: *":          "1:4",
			"\xEF\uFEFFuser-agent: *":            "1:2",
			"user-agent: *\ndisallow\u3000: /xy": "2:9",
		},
		[]string{"user-agent: *\ndisallow: /a\u00a0b", "\uFEFFuser-agent: *", "user-agent: *\n# \u00a0"}},
	"long-line": {
		map[string]string{"user-agent: *\ndisallow: /" + strings.Repeat("a", 16663): "2:16664"},
		[]string{"user-agent: *\ndisallow: /" + strings.Repeat("a", 16652), "#" + strings.Repeat("a", 20000)}},

	"missing-colon": {
		map[string]string{"user-agent: *\n  disallow /x y": "2:3", "user-agent: *\nhello": "2:1", "user-agent: *\ndisallow/x": "2:1"},
		[]string{"user-agent: *\ndisallow /x", "user-agent: *\n# hello", "user-agent: *\n：", "user-agent: *\n: x"}},
	"left-out-colon": {
		map[string]string{"user-agent *\ndisallow: /x": "1:11", "user-agent: *\n disallow  /x": "2:10"},
		[]string{"user-agent : *\ndisallow:/x", "user-agent: *\nfoo bar"}},
	"wide-colon": {
		map[string]string{"user-agent: *\ndisallow：/x": "2:9", "sitemap：https://example.com/": "1:8"},
		[]string{"user-agent: *\ndisallow: /：", "# disallow：/x"}},
	"missing-key": {
		map[string]string{"user-agent: *\n : /x": "2:2"},
		[]string{"user-agent: *\n# : /x"}},
	"misspelled-record": {
		map[string]string{"useragent: *": "1:1", "user-agent: *\n Dissallow: /x": "2:2", "site-map: https://example.com/": "1:1"},
		[]string{"USER-AGENT: *\ndisAllow: /x\nSiteMap: https://example.com/"}},
	"longer-key": {
		map[string]string{"user-agent: *\nDisallowed: /x": "2:1", "sitemaps: https://example.com/": "1:1"},
		[]string{"user-agent: *\ndisallow: /x", "user-agent: *\nsite: x"}},
	"mistyped-record": {
		map[string]string{"user-agent: *\ndsallow: /x": "2:1", "user agnet: *": "1:1", "https://example.com/s.xml": "1:1", "Crawl delay: 3": "1:1"},
		[]string{"user-agent: *\nfoo: /x", "host: example.com", "user-agent: *\ndisalow: /x"}},
	"unknown-record": {
		map[string]string{"user-agent: *\nfoo: bar": "2:1"},
		[]string{"host: example.com", "content-signal: search=yes", "ACAP-crawler: *", "user-agent: *\ndsallow: /", "visit-time: 0600-0845"}},
	"meta-record": {
		map[string]string{"user-agent: *\nNoindex: /x": "2:1", "nofollow: /": "1:1"},
		[]string{"user-agent: *\ndisallow: /noindex"}},
	"attached-comment": {
		map[string]string{"user-agent: *\ndisallow: /a#b": "2:13"},
		[]string{"user-agent: *\ndisallow: /a # b", "user-agent: *\ndisallow: #b", "user-agent: *\ndisallow: /a# b", "user-agent: a#b"}},
	"joined-lines": {
		map[string]string{
			"user-agent: * Disallow: /x":                  "1:15",
			"user-agent: *\ndisallow: /a  allow : /b":     "2:15",
			"user-agent: *\nallow: sitemap: /x":           "2:8",
			"user-agent: *\ndisallow: x user-agent: b":    "2:13",
			"user-agent: User-agent: *":                   "1:13",
			"user-agent: a, b Disallow: /":                "1:18",
			"user-agent: *\ncrawl-delay: 10 Disallow: /":  "2:17",
			"sitemap: https://example.com/ user-agent: *": "1:31",
		},
		[]string{"user-agent: *\ndisallow: /a:b allow", "user-agent: a disallow", "user-agent: *\ndisallow: /allow: /x", "user-agent: *\ndisallow: /a # allow: /b"}},

	"rule-outside-group": {
		map[string]string{"disallow: /\nuser-agent: *": "1:1", "allow:": "1:1"},
		[]string{"user-agent:\ndisallow: /", "user-agent: *\ndisallow: /x"}},
	"empty-user-agent": {
		map[string]string{"user-agent:": "1:12", "user-agent: # x": "1:12"},
		[]string{"user-agent: *"}},
	"unusable-user-agent": {
		map[string]string{"user-agent: *bot": "1:13", "user-agent: (x)": "1:13"},
		[]string{"user-agent: *", "user-agent: * x", "user-agent: 008", "user-agent:"}},
	"user-agent-list": {
		map[string]string{"user-agent: a, b": "1:14", "user-agent: a ; b": "1:15"},
		[]string{"user-agent: a", "user-agent: a # b, c", "user-agent: a;+1.5"}},
	"cut-user-agent": {
		map[string]string{"user-agent: a b": "1:14", "user-agent: * x": "1:14", "user-agent: MS Search 6.0 Robot": "1:15", "user-agent: Mozilla/5.0 (compatible; YandexBot/3.0)": "1:20", "user-agent: a/b": "1:14"},
		[]string{"user-agent: a disallow: /x", "user-agent: googlebot", "user-agent: mj12bot", "user-agent: a,b", "user-agent: a/1.2"}},
	"version-in-user-agent": {
		map[string]string{"user-agent: googlebot/1.2": "1:22", "user-agent: Mediapartners-Google*": "1:33", "user-agent: a/v1": "1:14", "user-agent: a/3~b": "1:14", "user-agent: Googlebot/2.1 (+http://www.google.com/bot.html)": "1:22"},
		[]string{"user-agent: a", "user-agent: a/", "user-agent: a*b", "user-agent: a/1,b", "user-agent: a/1 b/2", "user-agent: mozilla/5", "user-agent: *"}},
	"digits-in-user-agent": {
		map[string]string{"user-agent: MJ12bot": "1:15", "user-agent: archive.org_bot": "1:20"},
		[]string{"user-agent: Google_bot-News", "user-agent: googlebot/1.2", "user-agent: *"}},
	"repeated-user-agent": {
		map[string]string{"user-agent: a\nuser-agent: A\ndisallow: /": "2:13"},
		[]string{"user-agent: a\nuser-agent: b\ndisallow: /", "user-agent: a\ndisallow: /\nuser-agent: a", "user-agent: (x) allow: /\nuser-agent: (y) allow: /"}},
	"repeated-group": {
		map[string]string{"user-agent: a\ndisallow: /\nuser-agent: A\nallow: /x": "3:13"},
		[]string{"user-agent: a\nuser-agent: a\ndisallow: /", "user-agent: a\ndisallow: /\nuser-agent: ab\nallow: /x"}},
	"joined-groups": {
		map[string]string{
			"user-agent: a\n \nuser-agent: *\ndisallow: /":                                 "3:13",
			"user-agent: *\n\nuser-agent: b\ndisallow: /":                                  "3:13",
			"user-agent: a\n\nfoo\nuser-agent: b\ndisallow: /":                             "4:13",
			"user-agent: a\ncrawl-delay: 3\nuser-agent: b\ndisallow: /":                    "3:13",
			"user-agent: a\nsitemap: https://example.com/\n\nuser-agent: b\ndisallow: /\n": "4:13",
		},
		[]string{"user-agent: a\n# x\nuser-agent: b\ndisallow: /", "user-agent: a\ndisallow:\n\nuser-agent: b\ndisallow: /", "user-agent: *\n\ndisallow: /x", "user-agent:\n\nuser-agent: b\ndisallow: /", "user-agent: a\n\nuser-agent: b"}},
	"blank-in-agents": {
		map[string]string{"user-agent: a\n \nuser-agent: b\ndisallow: /": "3:13", "user-agent: *\nuser-agent: a\n\n\nuser-agent: b": "5:13"},
		[]string{"user-agent: a\n# x\nuser-agent: b", "user-agent: a\ndisallow:\n\nuser-agent: b", "user-agent: a\n\nuser-agent: *", "user-agent: a\n\nfoo\nuser-agent: b"}},

	"pattern-without-slash": {
		map[string]string{"user-agent: *\ndisallow: x": "2:11", "user-agent: *\nallow: \\x\\": "2:8", "user-agent: *\nallow: “/x”": "2:8", "user-agent: *\ndisallow: index.php/x": "2:11"},
		[]string{"user-agent: *\ndisallow: \u00a0/x", "user-agent: *\ndisallow: /x\ndisallow: *x\ndisallow:", "user-agent: *\ndisallow: https://example.com/"}},
	"url-as-pattern": {
		map[string]string{"user-agent: *\ndisallow: HTTPS://example.com/x": "2:11", "user-agent: *\ndisallow: WWW.example.es": "2:11", "user-agent: *\ndisallow: a.example.com/x": "2:11"},
		[]string{"user-agent: *\ndisallow: /https://example.com/"}},
	"two-patterns": {
		map[string]string{"user-agent: *\ndisallow: /a /b": "2:14", "user-agent: *\ndisallow: /a\t*b": "2:14"},
		[]string{"user-agent: *\ndisallow: /a b", "user-agent: *\ndisallow: /a # /b"}},
	"space-in-pattern": {
		map[string]string{"user-agent: *\ndisallow: /a b": "2:13"},
		[]string{"user-agent: *\ndisallow: /a /b", "user-agent: *\ndisallow: \t/a \t"}},
	"non-ascii-pattern": {
		map[string]string{"user-agent: *\ndisallow: /é": "2:12"},
		[]string{"user-agent: *\ndisallow: /%C3%A9 # é", "user-agent: *\ndisallow: /\xE9"}},
	"raw-octet": {
		map[string]string{"user-agent: *\ndisallow: /*/{0}/": "2:14", "user-agent: *\ndisallow: /a?b=\"c": "2:16", "user-agent: *\ndisallow: /é|": "2:14", "user-agent: *\ndisallow: /a\x01": "2:13"},
		[]string{"user-agent: *\ndisallow: /*/%7B0%7D/~", "user-agent: *\ndisallow: /{\ndisallow: /%7B", "user-agent: *\ndisallow: /a\\b", "user-agent: *\ndisallow: /(a|b)", "user-agent: *\ndisallow: {", "user-agent: *\ndisallow: /a b", "user-agent: *\ndisallow: /a\x00", "user-agent: *\ndisallow: /\xE9<"}},
	"malformed-percent": {
		map[string]string{"user-agent: *\ndisallow: /100%": "2:15", "user-agent: *\ndisallow: /%zz": "2:12"},
		[]string{"user-agent: *\ndisallow: /100%25"}},
	"encoded-wildcard": {
		map[string]string{"user-agent: *\ndisallow: /%2Ax": "2:12", "user-agent: *\ndisallow: /%24": "2:12"},
		[]string{"user-agent: *\ndisallow: /*x$", "user-agent: *\ndisallow: /%2B"}},
	"encoded-plain": {
		map[string]string{"user-agent: *\ndisallow: /%62az": "2:12", "user-agent: *\ndisallow: /?u=%3A": "2:15"},
		[]string{"user-agent: *\ndisallow: /%3A%2F", "user-agent: *\ndisallow: /%62az\ndisallow: /baz", "user-agent: *\ndisallow: /%2A", "user-agent: *\ndisallow: /%2%46"}},
	"lower-case-hex": {
		map[string]string{"user-agent: *\ndisallow: /%c3%a9": "2:12"},
		[]string{"user-agent: *\ndisallow: /%C3%A9", "user-agent: *\ndisallow: /%20"}},
	"dollar-inside": {
		map[string]string{"user-agent: *\ndisallow: /x$*": "2:13", "user-agent: *\ndisallow: /x$$": "2:13", "user-agent: *\ndisallow: /*.asp$?": "2:17", "user-agent: *\ndisallow: /*.a$|/*.b$": "2:15"},
		[]string{"user-agent: *\ndisallow: /x$", "user-agent: *\ndisallow: /$price"}},
	"repeated-star": {
		map[string]string{"user-agent: *\ndisallow: /a/**/b": "2:14"},
		[]string{"user-agent: *\ndisallow: /a/*/*/b", "user-agent: *\ndisallow: /a**c\nallow: /*bc"}},
	"trailing-star": {
		map[string]string{"user-agent: *\ndisallow: /a*": "2:13", "user-agent: *\ndisallow: /a*$": "2:13", "user-agent: *\ndisallow: /a*\nallow: /ab": "2:13"},
		[]string{"user-agent: *\ndisallow: /*/.$", "user-agent: *\ndisallow: /ab*\nallow: /*b", "user-agent: *\nallow: /ab*\ndisallow: /a*b", "user-agent: *\ndisallow: /ab*$\nallow: /a*c", "user-agent: *\ndisallow: /a$*", "user-agent: *\ndisallow: /a *", "user-agent: *\ndisallow: *", "user-agent: *\ndisallow: /*a$", "user-agent: *\ndisallow: /a**"}},
	"regular-expression": {
		map[string]string{`user-agent: *` + "\n" + `disallow: /\d+`: "2:12", "user-agent: *\ndisallow: /^a": "2:12", "user-agent: *\ndisallow: /(a|b)": "2:12", "user-agent: *\ndisallow: /[a-z]/": "2:12", "user-agent: *\ndisallow: /.+": "2:12"},
		[]string{"user-agent: *\ndisallow: /a(b)", "user-agent: *\ndisallow: /?filter[a]=", "user-agent: *\ndisallow: /*.*", "user-agent: *\ndisallow: /a|b+c"}},
	"robots-txt-rule": {
		map[string]string{"user-agent: *\ndisallow: /robots.txt": "2:11", "user-agent: *\nallow: /robots.txt$": "2:8"},
		[]string{"user-agent: *\ndisallow: /x/robots.txt"}},
	"index-page": {
		map[string]string{"user-agent: *\nallow: /a/index.html\ndisallow: /a/": "2:8"},
		[]string{"user-agent: *\ndisallow: /a/index.html", "user-agent: *\nallow: /index/", "user-agent: *\nallow: /a/index.html\ndisallow: /a/\nallow: /a/$"}},
	"assets-disallowed": {
		map[string]string{"user-agent: *\ndisallow: /css/": "2:11", "user-agent: Googlebot\ndisallow: /*.js$": "2:11", "user-agent: *\ndisallow: /x/JS/*": "2:11"},
		[]string{"user-agent: other\ndisallow: /css/", "user-agent: *\nallow: /css/", "user-agent: *\ndisallow: /css/\nallow: /x\ndisallow: /", "user-agent: *\ndisallow: /news/\ndisallow: /a.css"}},

	"duplicate-rule": {
		map[string]string{"user-agent: *\ndisallow: /x\ndisallow: /x": "3:11", "user-agent: *\nallow: /x\ndisallow: /\nallow: /x # too": "4:8"},
		[]string{"user-agent: *\ndisallow: /x\ndisallow: /X", "user-agent: *\ndisallow: /x\ndisallow: /%78", "user-agent: *\ndisallow: /{\ndisallow: /%7B", "user-agent: *\ndisallow: /a%20b\ndisallow: /a b", "user-agent: a\ndisallow: /x\nuser-agent: b\ndisallow: /x", "user-agent: a\ndisallow: /x\nuser-agent: a\ndisallow: /x"}},
	"never-wins": {
		map[string]string{
			"user-agent: *\ndisallow: /x\nallow: /x":                                            "2:11",
			"user-agent: *\nallow: /x\ndisallow: /x*":                                           "2:8",
			"user-agent: *\nallow: /x/\ndisallow: */x/":                                         "2:8",
			"user-agent: *\ndisallow: /\nallow: *":                                              "2:11",
			"user-agent: *\ndisallow: /*/{a}\nallow: /*/{a}":                                    "2:11",
			"user-agent: a\ndisallow: /x\nuser-agent: b\ndisallow: /\nuser-agent: a\nallow: /x": "2:11",
		},
		[]string{"user-agent: *\ndisallow: /x\nallow: /x/", "user-agent: *\nallow: /x$\ndisallow: /xy", "user-agent: a\ndisallow: /x\nuser-agent: b\nallow: /x", "user-agent: *\ndisallow: /robots.txt\nallow: /robots.txt"}},
	"redundant-rule": {
		map[string]string{
			"user-agent: *\ndisallow: /x\ndisallow: /x/y":                     "3:11",
			"user-agent: *\ndisallow: /x\ndisallow: /x*":                      "2:11",
			"user-agent: *\ndisallow: /x\ndisallow: /*.php\ndisallow: /x.php": "4:11",
			"user-agent: *\ndisallow: /\nallow: /x\nallow: /x/y":              "4:8",
		},
		[]string{
			"user-agent: *\ndisallow: /blog\nallow: /blog\nallow: /",
			"user-agent: *\ndisallow: *\nallow: **$\ndisallow: /",
			"user-agent: *\ndisallow: /\nallow: /x\ndisallow: /x/y",
			"user-agent: *\ndisallow: /\nallow: /*.css\ndisallow: /folder",
			"user-agent: *\ndisallow: /x\ndisallow: /xy$\nallow: /x*y",
			"user-agent: a\ndisallow: /x/y\nuser-agent: b\nuser-agent: a\ndisallow: /x",
			"user-agent: MJ12bot\ndisallow: /x\ndisallow: /x/yz\nuser-agent: mj\nallow: /x/y",
		}},
	"allow-without-effect": {
		map[string]string{"user-agent: *\ndisallow: /x\nallow: /y": "3:8", "user-agent: *\nallow: /y": "2:8"},
		[]string{"user-agent: *\nallow: /", "user-agent: *\ndisallow: /\nallow: /y", "user-agent: *\nallow: /y\ndisallow: /y/z", "user-agent: *\ndisallow: *.gif\nallow: /y", "user-agent: *\nallow: /\ndisallow: /x", "user-agent: *\ndisallow: /a\nallow: /a\ndisallow: /b", "user-agent: *\ndisallow: /x\nallow: /robots.txt"}},
	"shorter-allow": {
		map[string]string{"user-agent: *\ndisallow: /private/\nallow: /*.pdf$": "3:8", "user-agent: *\ndisallow: /wp-includes/\nallow: *.css\ndisallow: /wp-content/": "3:8"},
		[]string{
			"user-agent: *\ndisallow: /private/\nallow: /private/*.pdf$",
			"user-agent: *\ndisallow: /private/\ndisallow: /x\nallow: /*.pdf$",
			"user-agent: *\nallow: /*\ndisallow: /private/",
			"user-agent: *\nallow: /blog\ndisallow: /*?sort=",
			"user-agent: *\nallow: *.css\ndisallow: /*?sort=",
			"user-agent: *\nallow: *\ndisallow: https://example.com/",
			"user-agent: *\nallow: /a$\ndisallow: /ab",
			"user-agent: *\nallow: /blog\ndisallow: /blog/x",
		}},
	"empty-rule": {
		map[string]string{"user-agent: *\ndisallow: /x\ndisallow:": "3:1", "user-agent: *\nallow:": "2:1"},
		[]string{"user-agent: *\ndisallow:", "user-agent: a\ndisallow:\nuser-agent: b\ndisallow: /x"}},
	"everything-disallowed": {
		map[string]string{"user-agent: *\ndisallow: /": "2:11", "user-agent: a\nuser-agent: *\ndisallow: /x\ndisallow: /*": "4:11", "user-agent: *\ndisallow: /*$": "2:11", "user-agent: *\ndisallow: /\nuser-agent: b\ndisallow: /": "2:11", "user-agent: *\ndisallow: /\nuser-agent: *\ndisallow: /x": "2:11", "user-agent: *\ndisallow:\nuser-agent: GoogleBot\ndisallow: /": "4:11"},
		[]string{"user-agent: *\ndisallow: /\nuser-agent: b\ndisallow:", "user-agent: *\ndisallow: /\nuser-agent: b\nuser-agent: *\ndisallow: /x", "user-agent: googlebot\ndisallow: /\nuser-agent: googlebot\nuser-agent: b\nallow: /", "user-agent: Googlebot\ndisallow: /\nallow: /x", "user-agent: Googlebot-Image\ndisallow: /", "user-agent: a\ndisallow: /", "user-agent: *\ndisallow: /\nallow: /x", "user-agent: *\ndisallow: /x", "user-agent: *\ndisallow: /$"}},
	"group-without-rules": {
		map[string]string{"user-agent: *\ndisallow: /x\nuser-agent: b\ncrawl-delay: 3": "3:13"},
		[]string{"user-agent: a\ndisallow:\nuser-agent: b\ncrawl-delay: 3", "user-agent: *\ndisallow: /x\nuser-agent: b\ncrawl-delay: 3\ndisallow:", "user-agent: *\ndisallow: /x\nuser-agent: b", "user-agent: *\ndisallow: /\nuser-agent: b\ncrawl-delay: 3", "user-agent: *\ndisallow: /x\nuser-agent: b\ncrawl-delay: 3\nuser-agent: *\ndisallow: /y"}},
	"not-inherited": {
		map[string]string{"user-agent: *\ndisallow: /x\nuser-agent: b\ndisallow: /y": "3:13"},
		[]string{"user-agent: *\ndisallow: /x\nuser-agent: b\ndisallow: /x\ndisallow: /y", "user-agent: *\ndisallow: /x\nuser-agent: b\ndisallow: /", "user-agent: *\ndisallow: /x\nuser-agent: b\ndisallow: /x/y", "user-agent: *\ndisallow: /x\nuser-agent: b\nallow: /", "user-agent: *\ndisallow: /\nuser-agent: b\ndisallow: /y"}},

	"bad-delay": {
		map[string]string{"user-agent: *\ncrawl-delay: soon": "2:14", "user-agent: *\ncrawl-delay: -1": "2:14", "user-agent: *\ncrawl-delay: 99999999": "2:14", "user-agent: *\nrequest-rate: 10": "2:15", "user-agent: *\ncrawl-delay:": "2:13"},
		[]string{"user-agent: *\ncrawl-delay: 1.5\n", "user-agent: *\nrequest-rate: 1/10m"}},
	"long-delay": {
		map[string]string{"user-agent: *\ncrawl-delay: 31": "2:14", "user-agent: *\nrequest-rate: 1/1m": "2:15"},
		[]string{"user-agent: *\ncrawl-delay: 30"}},
	"delay-outside-group": {
		map[string]string{"crawl-delay: 3\nuser-agent: *": "1:1"},
		[]string{"user-agent: *\ncrawl-delay: 3"}},
	"repeated-delay": {
		map[string]string{"user-agent: *\ncrawl-delay: 3\ncrawl-delay: 4": "3:14", "user-agent: *\ncrawl-delay: 3\nrequest-rate: 1/3\ndisallow: /x\ncrawl-delay: 4": "5:14"},
		[]string{"user-agent: *\ncrawl-delay: 3\nrequest-rate: 1/3", "user-agent: a\ncrawl-delay: 3\nuser-agent: b\ncrawl-delay: 4", "user-agent: a\ncrawl-delay: x\ncrawl-delay: 4", "user-agent: a\ncrawl-delay: 3\nuser-agent: b\ncrawl-delay: 4"}},
	"delay-for-google": {
		map[string]string{"user-agent: GoogleBot\ncrawl-delay: 3": "2:14", "user-agent: googlebot-news\ncrawl-delay: 3": "2:14"},
		[]string{"user-agent: *\ncrawl-delay: 3", "crawl-delay: 3"}},
	"bad-sitemap": {
		map[string]string{"sitemap: /s.xml": "1:10", "sitemap:": "1:9", "sitemap: https:///s.xml": "1:10", "sitemap: ftp://example.com/": "1:10", "sitemap: https://example.com/a, https://example.com/b": "1:31", "sitemap: https://example.com/a b": "1:31", "sitemap: https://example.com/a\tb c": "1:31", "sitemap: https:// example.com/": "1:10"},
		[]string{"sitemap: https://example.com/a,b", "sitemap: \u00a0https://example.com/", "sitemap: https://example.com/ sitemap: https://example.com/b", "sitemap: https://example.com/s.xml", "Sitemap: HTTP://other.example/"}},
}

func TestLint(t *testing.T) {
	for _, check := range robots.Checks() {
		test, ok := lintTests[check.ID]
		if !assert.True(t, ok && len(test.finds) > 0 && len(test.not) > 0, "%s is not tested", check.ID) {
			continue
		}
		for body, place := range test.finds {
			assert.Contains(t, places(body, check), place, "%s in %.200q", check.ID, body)
		}
		for _, body := range test.not {
			assert.Empty(t, places(body, check), "%s in %.200q", check.ID, body)
		}
	}
	assert.Len(t, lintTests, len(robots.Checks()))
}

// places returns where check finds something, each as "line:column".
func places(body string, check robots.Check) []string {
	var places []string
	for _, f := range robots.Lint([]byte(body)) {
		if f.ID == check.ID {
			place, _, _ := strings.Cut(f.String(), ": ")
			places = append(places, place)
		}
	}
	return places
}

func TestLintOrderAndText(t *testing.T) {
	var got []string
	for _, f := range robots.Lint([]byte("Disallow: /a\nUser-agent: *\nDisallow: /b b\nDisallow: c\x1b[2J\nCrawl-delay: 60\n")) {
		got = append(got, f.String())
	}
	assert.Equal(t, []string{
		`1:1: error: the rule precedes the first user-agent line, so it is ignored; write "User-agent: *" above it [rule-outside-group]`,
		`3:13: warning: the space is a part of the pattern, and so is what follows; write %20 if that is meant, and # before a comment [space-in-pattern]`,
		`4:11: error: the rule matches nothing, as paths begin with "/"; write "/c\x1b[2J", or "*/c\x1b[2J" for any folder [pattern-without-slash]`,
		`5:14: warning: "60" is more than most crawlers wait, if they heed it at all; write at most 30 seconds [long-delay]`,
	}, got)
}

// What a message quotes is short, and whole characters.
func TestLintQuotes(t *testing.T) {
	findings := robots.Lint([]byte("user-agent: *\ndisallow: x" + strings.Repeat("é", 1000)))
	require.Len(t, findings, 1)
	assert.Equal(t, `the rule matches nothing, as paths begin with "/"; write "/x`+strings.Repeat("é", 29)+`…", or "*/x`+strings.Repeat("é", 28)+`…" for any folder`, findings[0].Message)
}

// Of what is no robots.txt there is no more to say.
func TestLintOtherFormat(t *testing.T) {
	for _, body := range []string{"<html>\nx\nnoindex: /", "\xFF\xFEx\nnoindex: /"} {
		assert.Len(t, robots.Lint([]byte(body)), 1)
	}
}

// However a long group is searched, it is told of in the order of its lines, and
// as much of it each time.
func TestLintIsDeterministic(t *testing.T) {
	bodies := map[string]string{"many findings": "disallow: /a\n", "more than there is time for": ""}
	for i := range 300 {
		bodies["many findings"] += fmt.Sprintf("disallow: /a%d\nallow: /*.%d\ndisallow: /a%d\n", i, i, 300-i)
	}
	for i := range 3000 {
		bodies["more than there is time for"] += fmt.Sprintf("disallow: /*%d*%d\nallow: /%d\n", i, i%7, i)
	}
	for name, body := range bodies {
		body := []byte("user-agent: *\n" + body)
		want := robots.Lint(body)
		require.NotEmpty(t, want)
		for range 3 {
			require.Equal(t, want, robots.Lint(body), name)
		}
	}
	i := slices.IndexFunc(robots.Lint([]byte("user-agent: *\n"+bodies["many findings"])), func(f robots.Finding) bool { return f.ID == "redundant-rule" })
	assert.Zero(t, i, "the first is that of line 3")
}

// Of a long group the first line is told that makes an allow rule pointless.
func TestLintShorterAllowOfMany(t *testing.T) {
	body := "user-agent: *\nallow: *.js\n"
	for i := range 100 {
		body += fmt.Sprintf("disallow: /folder%d/\n", 199-i)
	}
	assert.Contains(t, robots.Lint([]byte(body))[0].Message, `"/folder199/" in line 3 `)
}

func TestLintNothingToSay(t *testing.T) {
	for _, body := range []string{
		rfcSimple, rfcLongest,
		"User-agent: *\nDisallow:\n",
		"User-agent: *\nAllow: /\n",
		"User-agent: a\nUser-agent: b\nDisallow: /\n\nUser-agent: *\nDisallow: /admin/\nAllow: /admin/help\nCrawl-delay: 10\n\nSitemap: https://example.com/sitemap.xml\n",
		"user-agent: a\nallow: /p\ndisallow: /",
		"user-agent: a\nallow: /page\ndisallow: /*.htm",
		"user-agent: a\nallow: /$\ndisallow: /",
		"Content-Signal: search=yes, ai-train=no\nUser-agent: *\nDisallow: /x\n",
		shop,
	} {
		assert.Nil(t, robots.Lint([]byte(body)), body)
	}
}

func TestChecks(t *testing.T) {
	checks := robots.Checks()
	ids := make(map[string]bool)
	for _, c := range checks {
		assert.Regexp(t, `^[a-z]+(-[a-z0-9]+)*$`, c.ID)
		assert.NotEmpty(t, c.Summary, c.ID)
		assert.False(t, ids[c.ID], c.ID)
		ids[c.ID] = true
	}
	checks[0].ID = ""
	assert.NotEmpty(t, robots.Checks()[0].ID, "a slice of its own")
	assert.Equal(t, "note, warning, error, severity 3", strings.Join([]string{robots.Note.String(), robots.Warning.String(), robots.Error.String(), robots.Severity(3).String()}, ", "))
}

// However bad a file is, what there is to say of it is little, and said soon.
func TestLintHostile(t *testing.T) {
	repeat := func(line func(i int) string) string {
		var b strings.Builder
		b.WriteString("user-agent: *\n")
		for i := 0; b.Len() < robots.MaxSize; i++ {
			b.WriteString(line(i))
		}
		return b.String()
	}
	bodies := map[string]string{}
	for name, line := range hostileLines {
		bodies[name] = repeat(line)
	}
	bodies["NUL"] = "a" + strings.Repeat("\x00", robots.MaxSize)
	bodies["one line"] = "user-agent: *\ndisallow: /" + strings.Repeat("*a", robots.MaxSize/2)
	bodies["one word"] = strings.Repeat("a", robots.MaxSize)
	bodies["carriage returns"] = strings.Repeat("\r", robots.MaxSize)
	for name, body := range bodies {
		start := time.Now()
		findings := robots.Lint([]byte(body))
		took := time.Since(start)
		t.Logf("%-20s %6s %5d findings", name, took.Round(time.Millisecond), len(findings))
		size := 0
		for _, f := range findings {
			size += len(f.Message)
		}
		assert.Less(t, size, 500_000, name)
		assert.Less(t, took, 10*time.Second, name)
	}
}

func TestLintCountsTheRest(t *testing.T) {
	findings := robots.Lint([]byte(strings.Repeat("disallow: /\n", 150)))
	findings = slices.DeleteFunc(findings, func(f robots.Finding) bool { return f.ID != "rule-outside-group" })
	require.Len(t, findings, 100)
	assert.Contains(t, findings[99].Message, "(and 50 more like this)")
	assert.Equal(t, 50, findings[99].More)
	assert.Zero(t, findings[98].More)
	assert.NotContains(t, findings[98].Message, "more like this")
}
