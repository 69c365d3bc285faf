package robots_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLines(t *testing.T) {
	tests := []struct {
		name string
		body string
		line int // of the rule that disallows /x; 0 if none does
	}{
		{name: "LF", body: "user-agent: *\ndisallow: /x\n", line: 2},
		{name: "CR", body: "user-agent: *\rdisallow: /x\r", line: 2},
		{name: "CRLF", body: "user-agent: *\r\ndisallow: /x\r\n", line: 2},
		{name: "mixed", body: "\r\n\n\ruser-agent: *\n\rdisallow: /x", line: 6},
		{name: "no line end", body: "user-agent: *\ndisallow: /x", line: 2},
		{name: "byte order mark", body: "\xEF\xBB\xBFuser-agent: *\ndisallow: /x", line: 2},
		{name: "byte order mark without its last byte", body: "\xEF\xBBuser-agent: *\ndisallow: /x", line: 2},
		{name: "byte order mark's first byte", body: "\xEFuser-agent: *\ndisallow: /x", line: 2},
		{name: "byte order mark's first byte twice", body: "\xEF\xEFuser-agent: *\ndisallow: /x"},
		{name: "byte order mark without its first byte", body: "\xBB\xBFuser-agent: *\ndisallow: /x"},
		{name: "byte order mark without its second byte", body: "\xEF\xBFuser-agent: *\ndisallow: /x"},
		{name: "byte order mark and a blank line", body: "\xEF\xBB\xBF\r\nuser-agent: *\ndisallow: /x", line: 3},
		{name: "byte order mark after white space", body: " \xEF\xBB\xBFuser-agent: *\ndisallow: /x"},
		{name: "byte order mark of UTF-16", body: "\xFF\xFEuser-agent: *\ndisallow: /x"},
		{name: "two byte order marks", body: "\xEF\xBB\xBF\xEF\xBB\xBFuser-agent: *\ndisallow: /x"},
		{name: "byte order mark on the second line", body: "user-agent: *\n\xEF\xBB\xBFdisallow: /x"},
		{name: "comments", body: "# a\nuser-agent: * # b\n#\ndisallow: /x#c\n", line: 4},
		{name: "comment without space before", body: "user-agent: *\ndisallow: /#x\n", line: 2},
		{name: "all commented out", body: "user-agent: *\n#disallow: /x\n"},
		{name: "white space", body: "\t user-agent \v:\f * \n  disallow\t:\t/x\t\r\n", line: 2},
		{name: "no white space", body: "user-agent:*\ndisallow:/x", line: 2},
		{name: "non-ASCII white space", body: "user-agent: *\ndisallow:\u00a0/x"},
		{name: "case", body: "USER-AGENT: *\nDisAllow: /x", line: 2},
		{name: "longer key", body: "user-agent: *\ndisallowed: /x"},
		{name: "another key of as many letters", body: "user-agent: *\npriority: /x"},
		{name: "shorter key", body: "user-agent: *\ndisall: /x"},
		{name: "key of another record", body: "user-agent-purpose: *\ndisallow: /x"},
		{name: "folds beyond ASCII", body: "u\u017fer-agent: *\ndisallow: /x"},
		{name: "no key", body: "user-agent: *\n: /x\ndisallow: /x", line: 3},
		{name: "useragent", body: "useragent: *\ndisallow: /x", line: 2},
		{name: "user agent", body: "user agent: *\ndisallow: /x", line: 2},
		{name: "dissallow", body: "user-agent: *\ndissallow: /x", line: 2},
		{name: "dissalow", body: "user-agent: *\ndissalow: /x", line: 2},
		{name: "disalow", body: "user-agent: *\ndisalow: /x", line: 2},
		{name: "diasllow", body: "user-agent: *\ndiasllow: /x", line: 2},
		{name: "disallaw", body: "user-agent: *\ndisallaw: /x", line: 2},
		{name: "missing colon", body: "user-agent *\ndisallow \t /x", line: 2},
		{name: "missing colon before a form feed", body: "user-agent *\ndisallow \f/x", line: 2},
		{name: "missing colon after a form feed", body: "user-agent\f *\ndisallow\f /x", line: 2},
		{name: "missing colon after a vertical tab", body: "user-agent\v\f *\ndisallow\v\t/x", line: 2},
		{name: "missing colon and a form feed alone", body: "user-agent: *\ndisallow\f/x"},
		{name: "missing colon and a form feed for a word", body: "user-agent: *\ndisallow \f /x"},
		{name: "missing colon and a form feed in the key", body: "user-agent: *\ndis\fallow /x"},
		{name: "missing colon and a form feed in the value", body: "user-agent: *\ndisallow /x\fy\ndisallow /\f", line: 3},
		{name: "missing colon after a NUL", body: "user-agent: *\ndisallow\x00 /x"},
		{name: "missing colon and three words", body: "user-agent: *\ndisallow /x y"},
		{name: "missing colon and one word", body: "user-agent: *\ndisallow/x"},
		{name: "missing colon before a comment", body: "user-agent * # all\ndisallow /x # x", line: 2},
		{name: "rule before the first group", body: "disallow: /x\nuser-agent: *\n"},
		{name: "colon in the value", body: "user-agent: *\ndisallow: /:\ndisallow: /x", line: 3},
		{name: "HTML", body: "<!DOCTYPE html>\n<title>404: not found</title>\n"},
		{name: "UTF-16", body: "\xff\xfeu\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00*\x00\n\x00d\x00i\x00s\x00a\x00l\x00l\x00o\x00w\x00:\x00/\x00\n\x00"},
		{name: "binary", body: "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"},
		{name: "NUL", body: "user-agent: *\n\x00\ndisallow: /x", line: 3},
		{name: "empty"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rule, _ := robots.Parse([]byte(test.body)).Rules("ExampleBot").Match("/x")
			assert.Equal(t, test.line, rule.Line)
		})
	}
}

func TestGroups(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		who   map[string]string // agents → the line of the rule for "/", or "" if allowed; and whose it is
	}{
		{"only rules end the list of agents",
			[]string{"user-agent: a", "sitemap: https://example.com/", "", "# b", "crawl-delay: 3", "unknown: x", "user-agent: b", "disallow: /"},
			map[string]string{"a": "a 8", "b": "b 8", "c": ""}},
		{"an empty rule ends it",
			[]string{"user-agent: a", "disallow:", "user-agent: b", "disallow: /"},
			map[string]string{"a": "a", "b": "b 4"}},
		{"an empty rule belongs to the group",
			[]string{"user-agent: a", "allow:", "disallow: /"},
			map[string]string{"a": "a 3"}},
		{"records between rules do not end a group",
			[]string{"user-agent: a", "allow: /x", "sitemap: https://example.com/", "host: x", "disallow: /"},
			map[string]string{"a": "a 5"}},
		{"an agent line without value begins a group for nobody",
			[]string{"user-agent: a", "disallow: /x", "user-agent:", "disallow: /"},
			map[string]string{"a": "a", "": ""}},
		{"and within a list of agents it changes nothing",
			[]string{"user-agent: a", "user-agent:", "user-agent: ?", "disallow: /"},
			map[string]string{"a": "a 4"}},
		{"rules before the first agent are ignored",
			[]string{"disallow: /", "user-agent: a", "disallow: /x"},
			map[string]string{"a": "a", "b": ""}},
		{"groups for one token are merged",
			[]string{"user-agent: a", "disallow: /x", "user-agent: b", "disallow: /", "user-agent: A", "disallow: /"},
			map[string]string{"a": "a 6", "b": "b 4"}},
		{"groups for * are merged",
			[]string{"user-agent: *", "disallow: /x", "user-agent: *", "disallow: /"},
			map[string]string{"a": "* 4"}},
		{"but never with a specific one",
			[]string{"user-agent: *", "disallow: /", "user-agent: a", "disallow: /x"},
			map[string]string{"a": "a", "b": "* 2"}},
		{"a group without rules keeps * away",
			[]string{"user-agent: *", "disallow: /", "user-agent: a"},
			map[string]string{"a": "a", "b": "* 2"}},
		{"a group for us and for * is ours",
			[]string{"user-agent: *", "user-agent: a", "disallow: /"},
			map[string]string{"a": "a 3", "b": "* 3"}},
		{"the first token that the file names decides",
			[]string{"user-agent: a", "disallow: /x", "user-agent: a-news", "disallow: /"},
			map[string]string{"a-news,a": "a-news 4", "a,a-news": "a", "a-images,a": "a", "b,c": ""}},
		{"neither prefix nor substring",
			[]string{"user-agent: example", "disallow: /", "user-agent: bot", "disallow: /"},
			map[string]string{"examplebot": ""}},
		{"RFC 9309 §2.2.1",
			[]string{"User-Agent: ExampleBot", "Disallow: /foo", "Disallow: /bar", "", "User-Agent: ExampleBot", "Disallow: /baz", "Disallow: /"},
			map[string]string{"examplebot": "ExampleBot 7"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for agents, want := range test.who {
				rules := file(test.lines...).Rules(strings.Split(agents, ",")...)
				got := rules.Agent()
				if rule, ok := rules.Match("/"); ok {
					got += " " + string(rune('0'+rule.Line))
				}
				assert.Equal(t, want, got, "for %q", agents)
			}
		})
	}
}

func TestUserAgentValue(t *testing.T) {
	tests := []struct {
		value string
		names []string
		not   []string
	}{
		{"googlebot", []string{"googlebot", "Googlebot", "GOOGLEBOT"}, []string{"google", "googlebot-news"}},
		{"googlebot/1.2", []string{"googlebot"}, []string{"googlebot/1.2"}},
		{"googlebot*", []string{"googlebot"}, nil},
		{"Googlebot (news)", []string{"googlebot"}, nil},
		{"a, b", []string{"a"}, []string{"b"}},
		{"*", []string{"anybot"}, nil},
		{"* x", []string{"anybot"}, nil},
		{"*x", nil, []string{"anybot", "x"}},
		{"*/2", nil, []string{"anybot"}},
		{"/x", nil, []string{"x", ""}},
		{"MJ12bot", []string{"MJ12bot", "mj12BOT", "MJ"}, []string{"MJ12"}},
		{"MJ12bot/v1.4", []string{"MJ12bot"}, nil},
		{"archive.org_bot", []string{"archive.org_bot", "archive"}, []string{"archive.org"}},
		{"008", []string{"008"}, []string{"", "00"}},
		{"bot-2_x", []string{"bot-2_x", "bot-"}, nil},
	}
	for _, test := range tests {
		f := file("user-agent: "+test.value, "disallow: /")
		for _, token := range test.names {
			assert.Falsef(t, f.Allowed(token, "/"), "%q names %q", test.value, token)
		}
		for _, token := range test.not {
			assert.Truef(t, f.Allowed(token, "/"), "%q does not name %q", test.value, token)
		}
	}
}

func TestProductToken(t *testing.T) {
	tests := []struct{ userAgent, token string }{
		{"ExampleBot/1.2 (+https://example.com/bot)", "ExampleBot"},
		{"ExampleBot", "ExampleBot"},
		{"Example-Bot_x/1", "Example-Bot_x"},
		{"archive.org_bot (+https://archive.org)", "archive.org_bot"},
		{"Mozilla/5.0 (compatible; ExampleBot/0.1; https://www.example.com/bot.html)", "ExampleBot"}, // RFC 9309 §2.2.1
		{"Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)", "MJ12bot"},
		{"Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", ""},
		{"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36 (compatible; ExampleBot)", "ExampleBot"},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ExampleBot/0.1; +https://example.com/) Chrome/119.0 Safari/537.36", "ExampleBot"},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (ExampleBot/0.1; +http://example.com)", "ExampleBot"},
		{"Mozilla/5.0 (compatible;ExampleBot;+https://example.com)", "ExampleBot"},
		{"Mozilla/5.0 (compatible; X11; ExampleBot/1.0)", "ExampleBot"},
		{"Mozilla/5.0 (compatible; ExampleBot; www.example.com/bot.html)", "ExampleBot"},
		{"Mozilla/5.0 (compatible; ExampleBot; Other/1.0; Chrome/120.0)", "ExampleBot"},
		{"Mozilla/5.0 (Linux/6.1; Build/MMB29P; Chrome/120.0; ExampleBot/1.0; Other/2.0)", "ExampleBot"},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ExampleBot; Chrome/120.0) Safari/537.36", "ExampleBot"},
		{"Mozilla/5.0 (compatible; www.example.com/bot.html)", "www.example.com"},
		{"Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)", "archive.org_bot"},
		{"Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2)", ""},
		{"Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko", ""},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36", ""},
		{"Mozilla/5.0 (", ""},
		{"Mozilla/5.0", ""},
		{"/1.0", ""},
		{"(ExampleBot/1.0)", ""},
		{"", ""},
	}
	for _, test := range tests {
		assert.Equal(t, test.token, robots.ProductToken(test.userAgent), test.userAgent)
	}
	for _, token := range []string{"", "*", "a b", "a/1", "ü", "a\n"} {
		assert.False(t, robots.IsProductToken(token), token)
	}
}

func TestCrawlDelay(t *testing.T) {
	const second = time.Second
	tests := []struct {
		name  string
		lines []string
		want  map[string]time.Duration // without a crawl-delay, leave out
	}{
		{"seconds", []string{"user-agent: a", "crawl-delay: 10"}, map[string]time.Duration{"a": 10 * second}},
		{"slip", []string{"user-agent a", "Crawl-Delay 10"}, map[string]time.Duration{"a": 10 * second}},
		{"in the list of agents", []string{"user-agent: a", "crawl-delay: 1", "user-agent: b", "crawl-delay: 2", "disallow: /"},
			map[string]time.Duration{"a": second, "b": 2 * second}},
		{"after the list of agents", []string{"user-agent: a", "user-agent: b", "disallow: /", "crawl-delay: 2", "crawl-delay: 3"},
			map[string]time.Duration{"a": 2 * second, "b": 2 * second}},
		{"of the next group", []string{"user-agent: a", "disallow: /", "user-agent: b", "crawl-delay: 2"},
			map[string]time.Duration{"b": 2 * second}},
		{"of merged groups", []string{"user-agent: a", "crawl-delay: 1", "disallow:", "user-agent: a", "crawl-delay: 3", "disallow:", "user-agent: a", "crawl-delay: 2"},
			map[string]time.Duration{"a": 3 * second}},
		{"of an agent that is named twice, the first", []string{"user-agent: a", "crawl-delay: 10", "user-agent: A", "crawl-delay: 1", "disallow: /"},
			map[string]time.Duration{"a": 10 * second}},
		{"of an agent that some read twice, the first", []string{"user-agent: a1", "crawl-delay: 10", "user-agent: a2", "crawl-delay: 1", "disallow: /"},
			map[string]time.Duration{"a": 10 * second}},
		{"outside", []string{"crawl-delay: 1", "user-agent: a"}, nil},
		{"the fallback's is not ours", []string{"user-agent: *", "crawl-delay: 1", "disallow:", "user-agent: a"}, map[string]time.Duration{"b": second}},
		{"a bad value leaves room for a good one", []string{"user-agent: a", "crawl-delay: x", "crawl-delay: 1"}, map[string]time.Duration{"a": second}},
		{"absurd", []string{"user-agent: a", "crawl-delay: 2592001"}, nil},
		{"rate", []string{"user-agent: a", "request-rate: 1/10"}, map[string]time.Duration{"a": 10 * second}},
	}
	for _, test := range tests {
		for _, agent := range []string{"a", "b"} {
			want, asked := test.want[agent]
			delay, ok := file(test.lines...).Rules(agent).CrawlDelay()
			assert.Equal(t, asked, ok, "%s: %s", test.name, agent)
			assert.Equal(t, want, delay, "%s: %s", test.name, agent)
		}
	}
}

func TestRecords(t *testing.T) {
	f := file(
		"Sitemap: https://example.com/a.xml # first",
		"user-agent: a",
		"Content-Signal: search=yes, ai-train=no",
		"user-agent: b",
		"site-map : http://cdn.example.net/b.xml",
		"disallow: /",
		"Host: example.com",
		"sitemap:",
		"user-agent: c",
		"crawl-delay: 3",
		"clean-param: a&b /c",
		"not a record",
		"two words",
	)
	assert.Equal(t, []string{"https://example.com/a.xml", "http://cdn.example.net/b.xml"}, slices.Collect(f.Sitemaps()))
	assert.Equal(t, []robots.Record{
		{Key: "Sitemap", Value: "https://example.com/a.xml", Line: 1},
		{Key: "Content-Signal", Value: "search=yes, ai-train=no", Line: 3},
		{Key: "site-map", Value: "http://cdn.example.net/b.xml", Line: 5},
		{Key: "Host", Value: "example.com", Line: 7},
		{Key: "sitemap", Value: "", Line: 8},
		{Key: "crawl-delay", Value: "3", Line: 10},
		{Key: "clean-param", Value: "a&b /c", Line: 11},
	}, slices.Collect(f.Records()))
	for _, agent := range []string{"a", "b"} {
		assert.Equal(t, []robots.Record{
			{Key: "Content-Signal", Value: "search=yes, ai-train=no", Line: 3},
			{Key: "Host", Value: "example.com", Line: 7},
		}, slices.Collect(f.Rules(agent).Records()))
	}
	assert.Empty(t, slices.Collect(f.Rules("x").Records()))
	for range f.Records() {
		break // an iterator that is left early does not panic
	}
	for range f.Sitemaps() {
		break
	}
}

func TestTruncated(t *testing.T) {
	// body is a file whose last rule ends after n bytes.
	body := func(n int, rest string) []byte {
		head, rule := "user-agent: *\n", "disallow: /x"
		return []byte(head + strings.Repeat("#", n-len(head)-len(rule)-1) + "\n" + rule + rest)
	}
	tests := []struct {
		name      string
		body      []byte
		truncated bool
		allowed   bool
	}{
		{"just fits", body(robots.MaxSize, ""), false, false},
		{"ends at the limit", body(robots.MaxSize, "\nallow: /x"), true, false},
		{"line end at the limit", body(robots.MaxSize-1, "\nallow: /x"), true, false},
		{"CR at the limit", body(robots.MaxSize-1, "\r\nallow: /x"), true, false},
		{"one byte over", body(robots.MaxSize, "y"), true, true},
		{"cut in the key", body(robots.MaxSize+10, ""), true, true},
		{"one endless line", bytes.Repeat([]byte("a"), 2*robots.MaxSize), true, true},
	}
	for _, test := range tests {
		f := robots.Parse(test.body)
		assert.Equal(t, test.truncated, f.Truncated(), test.name)
		assert.Equal(t, test.allowed, f.Allowed("a", "/x"), test.name)
	}
}

func TestParseDoesNotKeepBody(t *testing.T) {
	body := []byte("user-agent: *\ndisallow: /ツ\nsitemap: https://example.com/\n")
	f := robots.Parse(body)
	clear(body)
	rule, ok := f.Rules("a").Match("/ツ")
	require.True(t, ok)
	assert.Equal(t, "disallow: /ツ", rule.String())
	assert.Equal(t, []string{"https://example.com/"}, slices.Collect(f.Sitemaps()))
}
