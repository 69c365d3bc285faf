package robots_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
)

// file joins lines to a robots.txt.
func file(lines ...string) *robots.File {
	var body []byte
	for _, line := range lines {
		body = append(body, line+"\n"...)
	}
	return robots.Parse(body)
}

func TestPattern(t *testing.T) {
	tests := []struct {
		pattern string
		matches []string
		not     []string
	}{
		{"/fish",
			[]string{"/fish", "/fish.html", "/fish/salmon.html", "/fishheads", "/fishheads/yummy.html", "/fish.php?id=anything"},
			[]string{"/Fish.asp", "/catfish", "/?id=fish", "/desert/fish"}},
		{"/fish*",
			[]string{"/fish", "/fish.html", "/fish/salmon.html", "/fishheads", "/fishheads/yummy.html", "/fish.php?id=anything"},
			[]string{"/Fish.asp", "/catfish", "/?id=fish", "/desert/fish"}},
		{"/fish/",
			[]string{"/fish/", "/fish/?id=anything", "/fish/salmon.htm"},
			[]string{"/fish", "/fish.html", "/animals/fish/", "/Fish/Salmon.asp"}},
		{"/*.php",
			[]string{"/index.php", "/filename.php", "/folder/filename.php", "/folder/filename.php?parameters", "/folder/any.php.file.html", "/filename.php/"},
			[]string{"/", "/windows.PHP"}},
		{"/*.php$",
			[]string{"/filename.php", "/folder/filename.php", "/filename.php.php"},
			[]string{"/filename.php?parameters", "/filename.php/", "/filename.php5", "/windows.PHP"}},
		{"/fish*.php",
			[]string{"/fish.php", "/fishheads/catfish.php?parameters"},
			[]string{"/Fish.PHP"}},
		{"/", []string{"/", "/anything", "/?q", "//"}, nil},
		{"/*", []string{"/", "/anything", "/?q", "//"}, nil},
		{"*", []string{"/", "/anything"}, nil},
		{"/$", []string{"/", ""}, []string{"/a", "/?", "//"}},
		{"*$", []string{"/", "/a"}, nil},
		{"*a*b*a$", []string{"/aba", "/xaybza"}, []string{"/ab", "/abab", "/aab"}},
		{"/a*a$", []string{"/aa", "/aba"}, []string{"/a", "/ab"}},
		{"/**//", []string{"///", "/x//"}, []string{"//", "/x/"}},
		{"/a$b", []string{"/a$b", "/a$bc", "/a%24b"}, []string{"/a", "/ab"}},
		{"/a$$", []string{"/a$"}, []string{"/a", "/a$$"}},

		// A pattern that does not begin with "/" or "*" is kept, and no path begins so.
		{"fish", nil, []string{"/fish", "/"}},
		{"$", nil, []string{"/", ""}},
		{"https://example.com/fish", nil, []string{"/fish", "https://example.com/fish"}},

		// RFC 9309 §2.2.2
		{"/foo/bar?baz=quz", []string{"/foo/bar?baz=quz"}, []string{"/foo/bar", "/foo/bar%3Fbaz=quz"}},
		{"/foo/bar?baz=https://foo.bar", []string{"/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"}, nil},
		{"/foo/bar?baz=https%3a%2f%2Ffoo.bar", []string{"/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"}, nil},
		{"/foo/bar/ツ", []string{"/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84", "/foo/bar/ツ"}, nil},
		{"/foo/bar/%E3%83%84", []string{"/foo/bar/%E3%83%84", "/foo/bar/ツ"}, nil},
		{"/foo/bar/%62%61%7A", []string{"/foo/bar/baz", "/foo/bar/%62az", "/foo/bar/%62%61%7a"}, []string{"/foo/bar/%42az"}},

		// RFC 9309 §2.2.3
		{"/path/file-with-a-%2A.html", []string{"/path/file-with-a-*.html", "/path/file-with-a-%2A.html", "/path/file-with-a-%2a.html"}, []string{"/path/file-with-a-b.html"}},
		{"/path/foo-%24", []string{"/path/foo-$", "/path/foo-%24", "/path/foo-$bar"}, []string{"/path/foo-"}},

		// Reserved characters of a path are not their encoded forms.
		{"/a/b", []string{"/a/b"}, []string{"/a%2Fb"}},
		{"/a%2Fb", []string{"/a%2Fb", "/a%2fb"}, []string{"/a/b"}},
		{"/a%3Fb", []string{"/a%3Fb"}, []string{"/a?b"}},
		{"/a?u=b%26c", []string{"/a?u=b%26c"}, []string{"/a?u=b&c"}},

		// A wildcard may or may not have passed the "?" that begins the query.
		{"/*%3A", []string{"/a%3A", "/a?b=%3A", "/a?b=:"}, []string{"/a:", "/a", "/:?a"}},
		{"/*:", []string{"/a:", "/a?b=%3A", "/a?b=:"}, []string{"/a%3A"}},
		{"/*b%2Fc$", []string{"/b%2Fc", "/a?b/c", "/b%2Fc?b/c"}, []string{"/b/c", "/b%2Fc?", "/a?b/c/"}},
		{"/*%2F*/d", []string{"/%2F/d", "/%2F?/d", "/a?//d"}, []string{"//d", "/a?/d"}},

		// Malformed percent-encoding stands for itself.
		{"/100%", []string{"/100%", "/100%25", "/100%zz"}, []string{"/100"}},
		{"/%zz", []string{"/%zz"}, []string{"/%ZZ"}},
		{"/a%2", []string{"/a%2", "/a%20"}, nil},
		{"/*%", []string{"/%", "/a%20", "/?%26"}, []string{"/a"}},

		// It stands for itself even if the text after it is decoded.
		{"/%2F", []string{"/%2F", "/%2f"}, []string{"//", "/%2%46", "/%2%66", "/%%32F", "/%%32%46", "/%252F"}},
		{"/%2%46", []string{"/%2%46", "/%%32%46", "/%2%46x"}, []string{"//", "/%2F", "/%2f", "/%2%66", "/%2"}},
		{"/?*%2%46", []string{"/?%2%46", "/??%2%46"}, []string{"/?/", "/?%2F"}},
		{"/*%2%46?%2%46", []string{"/%2%46?%2%46"}, []string{"/%2F?%2F", "//?/"}},
		{"/%%41", []string{"/%%41", "/%A", "/%%41B", "/%%41%42"}, []string{"/%41", "/A"}},
		{"/%%41B", []string{"/%%41B", "/%%41%42", "/%A%42"}, []string{"/%AB", "/%ab", "/%A"}},
		{"/%a%b%62", []string{"/%a%b%62", "/%%61%b%62"}, []string{"/%a%bb", "/%AB", "/%a%BB"}},
		{"/%2%35%46", []string{"/%2%35%46", "/%2%35F"}, []string{"/%25F", "/%252F", "/%2F"}},
		{"/%252F", []string{"/%252F", "/%25%32%46"}, []string{"/%252f", "/%2F", "/%2%46", "//"}},
		{"/%*%41", []string{"/%xA", "/%A", "/%%41"}, []string{"/A"}},

		// An octet that no URL has raw is the same as its encoded form.
		{"/*/{0}/", []string{"/a/{0}/", "/a/%7B0%7D/", "/a/%7b0}/?q", "/?/%7B0%7D/"}, []string{"/a/0/", "/{0}/"}},
		{"/%5C", []string{`/\`, "/%5C", "/%5c"}, []string{"//", "/5C"}},
		{"/abcdefgh?ijk=<lmno>$", []string{"/abcdefgh?ijk=<lmno>", "/abcdefgh?ijk=%3Clmno%3e"}, []string{"/abcdefgh?ijk=lmno", "/abcdefgh?ijk=<lmno>p"}},
		{"/a\x7F\v\tb", []string{"/a%7F%0B%09b", "/a\x7F\v\tb"}, []string{"/ab"}},

		{"/a b", []string{"/a b", "/a%20b"}, []string{"/a+b"}},
		{"/a\x00b", []string{"/a\x00b", "/a%00b"}, nil},
		{"/\xff", []string{"/\xff", "/%FF", "/%ff"}, nil},
		{"/a/../b", []string{"/a/../b", "/a/%2E%2E/b"}, []string{"/b"}},
		{"/a//b", []string{"/a//b"}, []string{"/a/b"}},
	}
	for _, test := range tests {
		rules := file("user-agent: *", "disallow: "+test.pattern).Rules("ExampleBot")
		for _, target := range test.matches {
			rule, ok := rules.Match(target)
			if assert.Truef(t, ok, "%q matches %q", test.pattern, target) {
				assert.Equal(t, robots.Rule{Pattern: test.pattern, Line: 2}, rule)
			}
		}
		for _, target := range test.not {
			rule, ok := rules.Match(target)
			assert.Falsef(t, ok, "%q does not match %q", test.pattern, target)
			assert.Zero(t, rule)
		}
	}
}

// Neither their position nor the text around them makes a difference.
func TestNeverRaw(t *testing.T) {
	for _, c := range "\"<>\\^`{|} \x01\x1F\x7F" {
		for _, around := range []string{"/", "/a", "/?", "/?q=a", "/*", "/*?", "/abcdefghijklmnopqrst"} {
			raw, encoded := around+string(c)+"z", around+fmt.Sprintf("%%%02X", c)+"z"
			for _, pattern := range []string{raw, encoded, strings.ToLower(encoded)} {
				rules := file("user-agent: *", "disallow: "+pattern).Rules("ExampleBot")
				for _, target := range []string{raw, encoded, strings.ToLower(encoded)} {
					assert.False(t, rules.Allowed(strings.ReplaceAll(target, "*", "xyz")), "%q matches %q", pattern, target)
				}
				assert.True(t, rules.Allowed(strings.ReplaceAll(around, "*", "xyz")+"z"), pattern)
				rule, _ := rules.Match(strings.ReplaceAll(raw, "*", ""))
				assert.Equal(t, robots.Rule{Pattern: pattern, Line: 2}, rule, "as written")
			}
		}
	}
}

func TestPrecedence(t *testing.T) {
	tests := []struct {
		target string
		rules  []string
		want   string // the deciding rule; "" for none
	}{
		{"/page", []string{"allow: /p", "disallow: /"}, "allow: /p"},
		{"/folder/page", []string{"allow: /folder", "disallow: /folder"}, "allow: /folder"},
		{"/folder/page", []string{"disallow: /folder", "allow: /folder"}, "allow: /folder"},
		{"/page.htm", []string{"allow: /page", "disallow: /*.htm"}, "disallow: /*.htm"},
		{"/page.php5", []string{"allow: /page", "disallow: /*.ph"}, "allow: /page"},
		{"/", []string{"allow: /$", "disallow: /"}, "allow: /$"},
		{"/page.htm", []string{"allow: /$", "disallow: /"}, "disallow: /"},
		{"/foo/bar?baz=https%3A%2F%2Ffoo.bar", []string{"allow: /foo/bar?baz=https://foo.bar", "disallow: /"}, "allow: /foo/bar?baz=https://foo.bar"},
		{"/foo/bar/%E3%83%84", []string{"allow: /foo/bar/ツ", "disallow: /"}, "allow: /foo/bar/ツ"},
		{"/foo/bar/%62%61%7A", []string{"allow: /foo/bar/baz", "disallow: /"}, "allow: /foo/bar/baz"},
		{"/path/file-with-a-*.html", []string{"disallow: /path/file-with-a-%2A.html"}, "disallow: /path/file-with-a-%2A.html"},
		{"/a*", []string{"disallow: /a*", "allow: /a%2A$"}, "allow: /a%2A$"},
		{"/a*b", []string{"disallow: /a*", "allow: /a%2A$"}, "disallow: /a*"},
		{"/path/foo-$", []string{"disallow: /path/foo-%24"}, "disallow: /path/foo-%24"},

		{"/a", nil, ""},
		{"/a", []string{"disallow:"}, ""},
		{"/a", []string{"disallow: /b", "allow: /c"}, ""},
		{"/robots.txt", []string{"disallow: /"}, ""},
		{"/%72obots.txt", []string{"disallow: /"}, ""},
		{"/robots.txt?a", []string{"disallow: /"}, "disallow: /"},
		{"/robots.txt/", []string{"disallow: /"}, "disallow: /"},

		// The length of the normal form counts, with wildcards and anchors.
		{"/fish", []string{"allow: /fish", "disallow: /fish*"}, "disallow: /fish*"},
		{"/fish", []string{"allow: /fish", "disallow: /fish$"}, "disallow: /fish$"},
		{"/ツ", []string{"disallow: /ツ", "allow: /%E3%83*"}, "disallow: /ツ"},
		{"/abcd", []string{"disallow: /%61%62", "allow: /abc"}, "allow: /abc"},
		{"/{a}", []string{"disallow: /{", "allow: /*a"}, "disallow: /{"},
		{"/{a}", []string{"disallow: /{", "allow: /%7b"}, "allow: /%7b"},

		// Of equal rules, the first in the file decides.
		{"/a", []string{"disallow: /*", "disallow: /a"}, "disallow: /*"},
	}
	for _, test := range tests {
		rule, ok := file(append([]string{"user-agent: *"}, test.rules...)...).Rules("ExampleBot").Match(test.target)
		got := ""
		if ok {
			got = rule.String()
		}
		assert.Equalf(t, test.want, got, "%s by %q", test.target, test.rules)
	}
}

func TestTarget(t *testing.T) {
	rules := file("user-agent: *", "disallow: /", "allow: /$", "allow: /a/b?c", "allow: /?q").Rules("ExampleBot")
	tests := []struct {
		target  string
		allowed bool
	}{
		{"https://example.com/a/b?c", true},
		{"https://user:pass@example.com:8080/a/b?cd", true},
		{"HTTPS://EXAMPLE.COM/a/b?c#/x", true},
		{"https://example.com", true},
		{"https://example.com/", true},
		{"https://example.com#/x", true},
		{"https://example.com?q", true},
		{"https://example.com/x", false},
		{"https://example.com/A/b?c", false},
		{"", true},
		{"#x", true},
		{"?q", true},
		{"?x", false},
		{"/#x", true},
		{"//example.com/a/b?c", false},
		{"/https://example.com/a/b?c", false},
		{"/x?https://example.com/a/b?c", false},
	}
	for _, test := range tests {
		assert.Equal(t, test.allowed, rules.Allowed(test.target), test.target)
	}
}

func TestRuleString(t *testing.T) {
	for want, rule := range map[string]robots.Rule{
		"":                 {},
		"allow: /a":        {Allow: true, Pattern: "/a", Line: 2},
		"disallow: /a*$":   {Pattern: "/a*$", Line: 3},
		"disallow: ":       {Line: 3},
		"disallow: \u202e": {Pattern: "\u202e"},
	} {
		assert.Equal(t, want, rule.String())
	}
}

// In a text that is neither a URL nor a path, the path is where Google's parser finds it.
func TestTargetPath(t *testing.T) {
	tests := []struct{ target, path string }{
		{"example.com", "/"},
		{"example.com/", "/"},
		{"example.com/p", "/p"},
		{"example.com:8080/p/q?r=s#t", "/p/q?r=s"},
		{"example.com?q", "/?q"},
		{"example.com/p;q", "/p;q"},
		{"example.com;q/p", "/;q/p"},
		{"a", "/"},
		{"a/", "/"},
		{"a/p", "/p"},
		{"../p", "/p"},
		{" /p", "/p"},
		{"\t https://example.com/p", "/p"},
		{"", "/"},
		{"*", "/"},
		{"?", "/?"},
		{"?q", "/?q"},
		{";", "/;"},
		{";/p", "/;/p"},
		{"#/p", "/"},
		{"a#/p", "/"},
		{"a#://b/p", "/"},
		{"/p#://b/q", "/p"},

		// Parts of URLs, with less than a scheme and a host.
		{"http:", "/"},
		{"http:p", "/"},
		{"http:/p", "/p"},
		{"http://", "/"},
		{"http:///p", "/p"},
		{"http:////p", "//p"},
		{"://example.com/p", "/p"},
		{":///p", "/p"},
		{"mailto:a@example.com", "/"},
		{"data:text/html,p", "/html,p"},
		{"javascript:a;b", "/;b"},
		{"urn:a:b?q", "/?q"},
		{"?u=http://example.com/p", "/?u=http://example.com/p"},
		{"a;b://example.com/p", "/;b://example.com/p"},
		{"a?b://example.com/p", "/?b://example.com/p"},
		{"a/b://example.com/p", "/b://example.com/p"},

		// URLs, whatever their scheme, user and host.
		{"http://example.com", "/"},
		{"hTTp://example.com/p", "/p"},
		{"ftp://example.com/p", "/p"},
		{"a:b://example.com/p", "/p"},
		{"http://[::1]:8080/p", "/p"},
		{"http://u:p@example.com/p", "/p"},
		{"http://u:p://x@example.com/p", "//x@example.com/p"},
		{"http://example.com?q/p", "/?q/p"},
		{"http://example.com#?q/p", "/"},
		{"http://example.com/p/http://example.org/q", "/p/http://example.org/q"},
		{"http://u;v@example.com/p", "/p"}, // RFC 3986 §3.2
		{"http://example.com;p", "/"},

		// A path is a path from its first octet.
		{"//example.com/p", "//example.com/p"},
		{"/example.com/p", "/example.com/p"},
		{"/://example.com/p", "/://example.com/p"},
	}
	for _, test := range tests {
		rules := file("user-agent: *", "disallow: "+test.path+"$").Rules("ExampleBot")
		assert.False(t, rules.Allowed(test.target), "%q has the path %q", test.target, test.path)
	}
	assert.True(t, file("user-agent: *", "disallow: /").Allowed("ExampleBot", "example.com/robots.txt"))
}

func TestZeroRules(t *testing.T) {
	var rules robots.Rules
	assert.True(t, rules.Allowed("/"))
	assert.Empty(t, rules.Agent())
	_, ok := rules.CrawlDelay()
	assert.False(t, ok)
	for record := range rules.Records() {
		t.Error(record)
	}
}

// RFC 9309 §5.1 and §5.2.
const (
	rfcSimple = `
            User-Agent: *
            Disallow: *.gif$
            Disallow: /example/
            Allow: /publications/

            User-Agent: foobot
            Disallow:/
            Allow:/example/page.html
            Allow:/example/allowed.gif

            User-Agent: barbot
            User-Agent: bazbot
            Disallow: /example/page.html

            User-Agent: quxbot
`
	rfcLongest = `
            User-Agent: foobot
            Allow: /example/page/
            Disallow: /example/page/disallowed.gif
`
)

func TestRFCExamples(t *testing.T) {
	simple, longest := robots.Parse([]byte(rfcSimple)), robots.Parse([]byte(rfcLongest))
	tests := []struct {
		file    *robots.File
		agent   string
		target  string
		allowed bool
	}{
		{simple, "anybot", "/a.gif", false},
		{simple, "anybot", "/a.gif?", true},
		{simple, "anybot", "/example/", false},
		{simple, "anybot", "/publications/", true},
		{simple, "anybot", "/publications/a.gif", true},
		{simple, "anybot", "/other", true},
		{simple, "foobot", "/", false},
		{simple, "FooBot", "/publications/", false},
		{simple, "foobot", "/example/page.html", true},
		{simple, "foobot", "/example/page.html?q", true},
		{simple, "foobot", "/example/allowed.gif", true},
		{simple, "foobot", "/example/", false},
		{simple, "barbot", "/example/page.html", false},
		{simple, "bazbot", "/example/page.html", false},
		{simple, "bazbot", "/example/", true},
		{simple, "bazbot", "/a.gif", true},
		{simple, "quxbot", "/example/page.html", true},
		{simple, "quxbot", "/a.gif", true},
		{longest, "foobot", "/example/page/", true},
		{longest, "foobot", "/example/page/disallowed.gif", false},
		{longest, "anybot", "/example/page/disallowed.gif", true},
	}
	for _, test := range tests {
		assert.Equal(t, test.allowed, test.file.Allowed(test.agent, test.target), fmt.Sprint(test.agent, " ", test.target))
	}
}
