package origin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func ofURL(t *testing.T, rawURL string) origin.Origin {
	u, err := url.Parse(rawURL)
	require.NoError(t, err, rawURL)
	require.True(t, origin.IsHTTP(u), rawURL)
	o, err := origin.OfURL(u)
	require.NoError(t, err, rawURL)
	return o
}

func TestSameOrigin(t *testing.T) {
	tests := []struct {
		name string
		want string // as String writes it
		same []string
	}{
		{"default port", "https://example.com", []string{"https://example.com/", "https://example.com:443/", "https://example.com:", "https://example.com:0443"}},
		{"http", "http://example.com", []string{"http://example.com", "http://example.com:80/", "HTTP://example.com"}},
		{"other port", "http://example.com:443", []string{"http://example.com:443/"}},
		{"host case", "https://example.com", []string{"https://EXAMPLE.com/", "https://Example.Com:443"}},
		{"host case of the first and the last letter", "https://a.z", []string{"https://A.z/", "https://a.Z/"}},
		{"everything but scheme, host and port", "https://example.com", []string{"https://user:pass@example.com/a/b?c=d#e", "https://example.com?x", "https://example.com#y"}},
		{"IDN", "https://www.xn--exmple-cua.com", []string{"https://www.exämple.com/", "https://WWW.EXÄMPLE.COM/", "https://www.xn--exmple-cua.com/", "https://www.ex%C3%A4mple.com/"}},
		{"subdomain", "https://www.example.com", []string{"https://www.example.com/"}},
		{"IPv4", "http://127.0.0.1:8080", []string{"http://127.0.0.1:8080/", "http://１２７.0.0.1:8080/"}},
		{"IPv6", "http://[::1]:8080", []string{"http://[::1]:8080/", "http://[0:0:0:0:0:0:0:1]:8080", "http://[0000::0001]:8080"}},
		{"IPv6 without port", "https://[2001:db8::1]", []string{"https://[2001:DB8::1]/", "https://[2001:db8::1]:443/", "https://[2001:0db8:0::1]"}},
		{"IPv6 with zone", "http://[fe80::1%25en0]", []string{"http://[fe80::1%25en0]/", "http://[FE80::1%25en0]:80/"}},
		{"IDN in other characters", "http://1.example", []string{"http://1.example", "http://①.example", "http://１。example"}},
		{"IDN in two characters for one", "http://xn--4ca.example", []string{"http://ä.example", "http://a\u0308.example", "http://Ä.example"}},
		{"trailing dot", "http://example.com", []string{"http://example.com", "http://example.com./", "http://EXAMPLE.com.:80", "http://example.com。"}},
		{"trailing dot of a letter", "http://a", []string{"http://a/", "http://a./"}},
		{"the root", "http://.", []string{"http://./"}},
		{"two trailing dots", "http://example.com..", []string{"http://example.com../"}},
		{"IPv4 in IPv6", "http://127.0.0.1:8080", []string{"http://[::ffff:127.0.0.1]:8080/", "http://[::FFFF:7f00:1]:8080"}},
		{"underscore", "http://a_b.example.com", []string{"http://a_b.example.com", "http://A_B.example.com"}},
	}
	seen := make(map[origin.Origin]string)
	for _, test := range tests {
		for _, rawURL := range test.same {
			o := ofURL(t, rawURL)
			assert.Equal(t, ofURL(t, test.same[0]), o, rawURL)
			unescaped, err := url.PathUnescape(o.String())
			require.NoError(t, err)
			want, err := url.PathUnescape(test.want)
			require.NoError(t, err)
			assert.Equal(t, want, unescaped, rawURL)
			if other, ok := seen[o]; ok {
				assert.Equal(t, test.want, other, rawURL)
			}
			seen[o] = test.want
		}
	}
	assert.Len(t, seen, 16, "origins that differ")
}

func TestNotHTTP(t *testing.T) {
	for _, rawURL := range []string{"ftp://example.com/", "file:///etc/passwd", "//example.com/", "mailto:a@example.com", ""} {
		u, err := url.Parse(rawURL)
		require.NoError(t, err)
		assert.False(t, origin.IsHTTP(u), rawURL)
	}
	assert.False(t, origin.IsHTTP(nil))
}

func TestNoOrigin(t *testing.T) {
	tests := []struct{ url, problem string }{
		{"http:///path", "has no host"},
		{"http://:8080/", "has no host"},
		{"http:opaque", "has no host"},
		{"http://example.com:65536/", "port 65536 of the URL is not between"},
		{"http://example.com:99999999999999999999/", "port 99999999999999999999"},
		{"http://xn--exämple/", `the host "xn--exämple" of the URL cannot be written in ASCII`},
		{"http://\xff.example/", `the host "\xff.example" of the URL cannot be written in ASCII`},
		{"http://a\u202e.example/", `the host "a\u202e.example" of the URL cannot be written in ASCII`},
		{"http://a／b/", "cannot be written in ASCII"},
		{"http://\u00ad/", "has no host"},
		{"http://" + strings.Repeat("ä.", 1000) + "example/", "longer than a name can be"}, // Punycode would take long
		{"http://a%25b/", "has a '%', which cannot be sent"},
		{"http://[fe80::1%25Ethernet%202]/", `the zone "Ethernet 2"`},
		{"http://[fe80::1%25ö]/", `the zone "ö" of the URL's IPv6 address cannot be sent: write its number, as in [fe80::1%251]`},
	}
	for _, test := range tests {
		u, err := url.Parse(test.url)
		require.NoError(t, err)
		_, err = origin.OfURL(u)
		assert.ErrorContains(t, err, test.problem, test.url)
	}
}

// No URL that is parsed has such a host.
func TestNoHost(t *testing.T) {
	tests := []struct{ host, problem string }{
		{"::1", `has a ':', which cannot be sent: write an IPv6 address in brackets, as in [::1]`},
		{"fe80::a", `has a ':'`},
		{"[example.com]", `"[example.com]" of the URL is no IPv6 address: brackets are for these alone`},
		{"[127.0.0.1]", "is no IPv6 address"},
		{"[::1", `has a '['`},
		{"[::1]a:80", `has a '['`},
		{":80", "has no host"},
		{"a b", `has a ' '`},
		{"a/b", `has a '/', which cannot be sent: write the name as DNS has it, as in example.com`},
		{"a\r\nb", `has a '\r'`},
		{"ex%C3%A4mple.com", `has a '%'`},
		{"user@example.com", "a user name"},
		{"example.com:+1", `port "+1" of the URL is no number`},
		{"example.com:1\x1b[2J", `port "1\x1b[2J"`},
	}
	for _, test := range tests {
		_, err := origin.OfURL(&url.URL{Scheme: "http", Host: test.host})
		assert.ErrorContains(t, err, test.problem, "%q", test.host)
		_, _, err = origin.Of(&http.Request{URL: &url.URL{Scheme: "http", Host: "example.com"}, Host: test.host}, nil)
		assert.ErrorContains(t, err, test.problem, "Host: %q", test.host)
		_, _, err = origin.Of(&http.Request{URL: &url.URL{Scheme: "http", Host: test.host}, Host: "example.com"}, nil)
		assert.ErrorContains(t, err, test.problem, "%q for another Host", test.host)
	}
}

// A request goes out as it is if it has the one spelling of its host. Otherwise Aim
// changes it.
func TestSpells(t *testing.T) {
	tests := []struct {
		url, host string
		spells    bool
		dial      string // of what is sent
		sent      string // as Host
	}{
		{"http://example.com/", "", true, "example.com", "example.com"},
		{"http://example.com/", "example.com", true, "example.com", "example.com"},
		{"https://example.com:8443/", "", true, "example.com:8443", "example.com:8443"},
		{"http://[::1]:8080/", "", true, "[::1]:8080", "[::1]:8080"},
		{"http://[fe80::1%25en0]/", "", true, "[fe80::1%en0]", "[fe80::1%en0]"},
		{"http://example.com./", "", true, "example.com.", "example.com"},
		{"http://192.0.2.1/", "example.com", true, "192.0.2.1", "example.com"},
		{"https://192.0.2.1/", "example.com", true, "192.0.2.1", "example.com"},
		{"http://192.0.2.1:443/", "example.com", true, "192.0.2.1:443", "example.com"},
		{"http://192.0.2.1:80/", "example.com", true, "192.0.2.1:80", "example.com"},
		{"http://192.0.2.1:/", "example.com", false, "192.0.2.1:80", "example.com"},
		{"http://192.0.2.1:8080/", "example.com", true, "192.0.2.1:8080", "example.com"},
		{"http://example.com/", "example.com:8080", true, "example.com", "example.com:8080"},

		{"http://example.com:80/", "", true, "example.com:80", "example.com"},
		{"https://[::1]:443/", "", true, "[::1]:443", "[::1]"},
		{"https://192.0.2.1/", "example.com:443", true, "192.0.2.1", "example.com"},

		{"http://EXAMPLE.com:80/", "", false, "example.com", "example.com"},
		{"http://EXAMPLE.com/", "", false, "example.com", "example.com"},
		{"http://EXAMPLE.com/", "example.com", false, "example.com", "example.com"},
		{"http://example.com/", "EXAMPLE.com", false, "example.com", "example.com"},
		{"http://example.com:/", "", false, "example.com", "example.com"},
		{"https://example.com:0443/", "", false, "example.com", "example.com"},
		{"https://example.com:08443/", "", false, "example.com:8443", "example.com:8443"},
		{"http://[0::1]/", "", false, "[::1]", "[::1]"},
		{"http://[::FFFF:192.0.2.1]:8080/", "", false, "192.0.2.1:8080", "192.0.2.1:8080"},
		{"http://①.example/", "", false, "1.example", "1.example"},
		{"http://①.example/", "example.com", false, "1.example:80", "example.com"},
		{"http://192.0.2.1/", "①.example", false, "192.0.2.1", "1.example"},
		{"http://exÄmple.com:8080/", "", false, "xn--exmple-cua.com:8080", "xn--exmple-cua.com:8080"},
	}
	for _, test := range tests {
		u, err := url.Parse(test.url)
		require.NoError(t, err)
		req := &http.Request{URL: u, Host: test.host}
		o, _, err := origin.Of(req, nil)
		require.NoError(t, err)
		assert.Equal(t, test.spells, o.Spells(req), "%s of %q", test.url, test.host)
		o.Aim(req)
		assert.Equal(t, []string{test.dial, test.sent}, []string{req.URL.Host, req.Host}, "%s of %q", test.url, test.host)
		assert.True(t, o.Spells(req))
		robots := &http.Request{URL: o.RobotsURL()}
		assert.Equal(t, o.String()+"/robots.txt", robots.URL.String())
		o.Aim(robots)
		assert.True(t, o.Spells(robots))
		assert.Equal(t, test.sent, robots.Host)
		again, _, err := origin.Of(req, nil)
		require.NoError(t, err)
		assert.Equal(t, o, again, "%s of %q", test.url, test.host)
	}
}

func TestOfDoesNotAllocate(t *testing.T) {
	for _, host := range []string{"www.example.com", "www.example.com:8443", "[2001:db8::1]:8443", "a_b.example.com."} {
		req, err := http.NewRequest("GET", "https://"+host+"/a/b?c=d", nil)
		require.NoError(t, err)
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			var room [64]byte
			if o, target, err := origin.Of(req, room[:0]); err != nil || target != "/a/b?c=d" || !o.Spells(req) {
				t.Fail()
			}
		}), host)
	}
}

// An origin is the origin of its own URL, whatever the case of the host and
// whatever else a URL has.
func FuzzOrigin(f *testing.F) {
	for _, seed := range []string{"https://example.com/", "http://exämple.com:8080/a?b#c", "http://[::1%25en0]:80", "http://user@EXAMPLE.com.:0", "http://１２７.1/", "http://xn--a/", "http://ß.de", "http://Ӏ", "http://a%E2%80%8Bb", "http://a~!$&'()*+,;=_b", "http://[::FFFF:1.2.3.4]:08"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, rawURL string) {
		u, err := url.Parse(rawURL)
		if err != nil || !origin.IsHTTP(u) {
			t.Skip()
		}
		o, err := origin.OfURL(u)
		if err != nil {
			require.Zero(t, o)
			return
		}
		require.Regexp(t, `^[!$-.0-;=a-z_~]+(%[!$-.0-;=a-zA-Z_~]+)?$`, o.Host, "as it can be sent")
		again, err := origin.OfURL(o.RobotsURL())
		require.NoError(t, err)
		require.Equal(t, o, again, o.String())

		v := *u
		v.Scheme, v.User, v.Path, v.RawPath, v.RawQuery, v.Fragment = strings.ToUpper(u.Scheme), url.User("x"), "/y", "", "z", ""
		same, err := origin.OfURL(&v)
		require.NoError(t, err)
		require.Equal(t, o, same)

		req := &http.Request{URL: u}
		o, target, err := origin.Of(req, nil)
		if err == nil && u.Opaque == "" && u.Path != "*" {
			require.Equal(t, u.RequestURI(), target)
		}
		if err == nil {
			o.Aim(req)
			require.True(t, o.Spells(req))
		}
	})
}
