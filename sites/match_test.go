package sites

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pattern matches the same hosts as a regular expression.
func FuzzMatches(f *testing.F) {
	for pattern, host := range map[string]string{
		"*httpbin.*": "www.httpbin.org", "*a*a*b": "aaaaaaab", "api-*.example.com": "api-.example.com", "a*a": "a", "10.*": "10.0.0.1", "*": "", "a": "a",
	} {
		f.Add(pattern, host)
	}
	f.Fuzz(func(t *testing.T, pattern, host string) {
		if strings.Count(pattern, "*") > 8 || len(host) > 100 {
			t.Skip("slow for a regular expression")
		}
		form := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`)
		want, err := regexp.Compile(`(?s)\A` + form + `\z`)
		if err != nil || strings.ToValidUTF8(host, "") != host {
			t.Skip("no regular expression reads this")
		}
		require.Equal(t, want.MatchString(host), matches(pattern, host), "%q %q", pattern, host)
	})
}

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		pattern, hosts, others string
	}{
		{"*httpbin.*", "httpbin.org www.httpbin.org a.httpbin.b.c", "httpbin httpbins.org"},
		{"api-*.example.com", "api-1.example.com api-.example.com api-a.b.example.com", "api.example.com api-1.example.com.au xapi-1.example.com"},
		{"*a.example", "a.example aa.example", "a.example.org b.example"},
		{"a*a", "aa aba", "a ab ba"},
		{"*a*a.b", "aa.b a1a.b", "a.b"},
		{"a*b*c", "abc axbxc abbcc", "acb bc ab"},
	} {
		for host := range strings.FieldsSeq(test.hosts) {
			assert.True(t, matches(test.pattern, host), "%s %s", test.pattern, host)
		}
		for host := range strings.FieldsSeq(test.others) {
			assert.False(t, matches(test.pattern, host), "%s %s", test.pattern, host)
		}
	}
}

// A match has one spelling, and means the same in this spelling.
func TestParseMatch(t *testing.T) {
	for written, want := range map[string]string{
		"example.com":                 "example.com",
		"EXAMPLE.com.":                "example.com",
		"exämple.com":                 "xn--exmple-cua.com",
		"localhost":                   "localhost",
		"a_b.example.com":             "a_b.example.com",
		"192.0.2.1":                   "192.0.2.1",
		"2001:DB8::0:1":               "[2001:db8::1]",
		"[2001:db8::1]":               "[2001:db8::1]",
		".Example.org":                ".example.org",
		".exämple.org":                ".xn--exmple-cua.org",
		".org":                        ".org",
		"*.Example.org":               "*.example.org",
		"*.exämple.org":               "*.xn--exmple-cua.org",
		"api-*.Example.org":           "api-*.example.org",
		"*httpbin.*":                  "*httpbin.*",
		"192.0.2.*":                   "192.0.2.*",
		"*":                           "*",
		"https://Example.com":         "https://example.com",
		"HTTPS://example.com:443":     "https://example.com",
		"https://example.com:8443":    "https://example.com:8443",
		"http://[2001:db8::1]:80":     "http://[2001:db8::1]",
		"https://exämple.com.":        "https://xn--exmple-cua.com",
		"http://192.0.2.1":            "http://192.0.2.1",
		"fe80::1%eth0":                "[fe80::1%eth0]",
		"http://[fe80::1%25eth0]:123": "http://[fe80::1%25eth0]:123",
	} {
		m, err := parseMatch(written)
		if assert.NoError(t, err, written) {
			assert.Equal(t, want, m.text, written)
			again, err := parseMatch(m.text)
			assert.NoError(t, err, written)
			assert.Equal(t, m, again, written)
		}
	}
}

func TestParseMatchErrors(t *testing.T) {
	for written, want := range map[string]string{
		"":                          "is no host",
		".":                         "is no host",
		"*.":                        "is no host",
		"..example.com":             "has a part without letters",
		"a..example.com":            "has a part without letters",
		"delay=2s":                  "is a setting, where a site is expected",
		"example.com:8443":          "needs a scheme: write it as in https://example.com:8443",
		"example.com/path":          "has a path: a line is for all of a host",
		"https://example.com/":      "write only scheme, host and port",
		"https://example.com?":      "write only scheme, host and port",
		"https://example.com#":      "write only scheme, host and port",
		"https://user@example.com":  "write only scheme, host and port",
		"https://*.example.com":     "has a scheme and a *",
		"https://.example.com":      "has a part without letters",
		"https://":                  "is no host",
		"https://example.com:99999": "is no host",
		"ftp://example.com":         "is no origin",
		"http://%zz":                "is no origin",
		"**":                        "two * side by side",
		"*.exämple.*":               "write the name in Punycode",
		"a*/b":                      "is no host",
		".1":                        "is a part of an address",
		".0":                        "is a part of an address",
		".2.9":                      "is a part of an address",
		"*.0.2.1":                   "is a part of an address",
		".2001:db8::1":              "is a part of an address",
		"a!b":                       "is no host",
		"a~b":                       "is no host",
		"a{*":                       "is no host",
		"a;*":                       "is no host",
		"a,*":                       "is no host",
		"*\u0080":                   "write the name in Punycode",
		"a\x00b":                    "is no host",
		"[example.com]":             "is no host",
		strings.Repeat("a", 254):    "longer than a name can be",
		strings.Repeat("*a", 200):   "longer than a name can be",
	} {
		_, err := parseMatch(written)
		assert.ErrorContains(t, err, want, "%q", written)
	}
}
