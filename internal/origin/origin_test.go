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
		{"everything but scheme, host and port", "https://example.com", []string{"https://user:pass@example.com/a/b?c=d#e", "https://example.com?x", "https://example.com#y"}},
		{"IDN", "https://www.xn--exmple-cua.com", []string{"https://www.exämple.com/", "https://WWW.EXÄMPLE.COM/", "https://www.xn--exmple-cua.com/", "https://www.ex%C3%A4mple.com/"}},
		{"subdomain", "https://www.example.com", []string{"https://www.example.com/"}},
		{"IPv4", "http://127.0.0.1:8080", []string{"http://127.0.0.1:8080/", "http://１２７.0.0.1:8080/"}},
		{"IPv6", "http://[::1]:8080", []string{"http://[::1]:8080/", "http://[0:0:0:0:0:0:0:1]:8080", "http://[0000::0001]:8080"}},
		{"IPv6 without port", "https://[2001:db8::1]", []string{"https://[2001:DB8::1]/", "https://[2001:db8::1]:443/", "https://[2001:0db8:0::1]"}},
		{"IPv6 with zone", "http://[fe80::1%25en0]", []string{"http://[fe80::1%25en0]/", "http://[FE80::1%25en0]:80/"}},
		{"not an IDN", "http://xn--exämple", []string{"http://xn--exämple/", "http://XN--exämple"}},
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
	assert.Len(t, seen, 11, "origins that differ")
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
		{"http://example.com:65536/", "port 65536"},
		{"http://example.com:99999999999999999999/", "port 99999999999999999999"},
	}
	for _, test := range tests {
		u, err := url.Parse(test.url)
		require.NoError(t, err)
		_, err = origin.OfURL(u)
		assert.ErrorContains(t, err, test.problem, test.url)
	}
}

// The effective authority is what counts, at the place that is dialed.
func TestRequestHost(t *testing.T) {
	tests := []struct {
		name, url, host string
		want            string
		dial, sent      string // what robots.txt is asked of, and with which Host
	}{
		{"none", "http://127.0.0.1:8080/", "", "http://127.0.0.1:8080", "127.0.0.1:8080", ""},
		{"the URL's", "http://127.0.0.1:8080/", "127.0.0.1:8080", "http://127.0.0.1:8080", "127.0.0.1:8080", ""},
		{"the URL's, written otherwise", "http://example.com/", "Example.com:80", "http://example.com", "example.com", ""},
		{"another", "http://127.0.0.1:8080/", "Example.com", "http://example.com", "127.0.0.1:8080", "example.com"},
		{"another with port", "https://[::1]/", "example.com:444", "https://example.com:444", "[::1]:443", "example.com:444"},
		{"IDN", "http://127.0.0.1/", "exämple.com", "http://xn--exmple-cua.com", "127.0.0.1:80", "xn--exmple-cua.com"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			page, err := http.NewRequest("GET", test.url, nil)
			require.NoError(t, err)
			page.Host = test.host
			o, target, err := origin.Of(page, nil)
			require.NoError(t, err)
			assert.Equal(t, test.want, o.String())
			assert.Equal(t, "/", target)

			robots := &http.Request{URL: o.RobotsURL()}
			assert.Equal(t, test.want+"/robots.txt", robots.URL.String())
			o.Aim(robots)
			assert.Equal(t, test.dial, robots.URL.Host)
			assert.Equal(t, test.sent, robots.Host)
		})
	}

	t.Run("keys differ", func(t *testing.T) {
		a := origin.Origin{Host: "example.com", Port: 80, Dial: "127.0.0.1:80"}
		b := origin.Origin{Host: "example.com", Port: 80, Dial: "127.0.0.2:80"}
		assert.NotEqual(t, a.Key(), b.Key())
		assert.Equal(t, a.String(), b.String())
	})
	t.Run("unusable", func(t *testing.T) {
		_, _, err := origin.Of(&http.Request{URL: &url.URL{Scheme: "http", Host: "127.0.0.1"}, Host: ":80"}, nil)
		assert.Error(t, err)
	})
}

// The target is what goes into the request line, for a server that it says.
func TestTarget(t *testing.T) {
	example := origin.Origin{Host: "example.com", Port: 80}
	elsewhere := origin.Origin{Host: "other.example", Port: 8080, Dial: "example.com:80"}
	tests := []struct {
		url     url.URL
		origin  origin.Origin
		target  string
		problem string
	}{
		{url.URL{}, example, "/", ""},
		{url.URL{Path: "/a b", RawQuery: "c?d"}, example, "/a%20b?c?d", ""},
		{url.URL{Path: "/a/b", RawPath: "/a%2fb"}, example, "/a%2fb", ""},
		{url.URL{Path: "/a", ForceQuery: true, Fragment: "x"}, example, "/a?", ""},
		{url.URL{Path: "*"}, example, "/", ""},
		{url.URL{Opaque: "/a%2Fb"}, example, "/a%2Fb", ""},
		{url.URL{Opaque: "//other.example:8080/a%2Fb", RawQuery: "c"}, elsewhere, "/a%2Fb?c", ""},
		{url.URL{Opaque: "http://OTHER.example:8080"}, elsewhere, "/", ""},
		{url.URL{Opaque: "//example.com/a"}, example, "/a", ""},
		{url.URL{Opaque: "https://other.example/"}, origin.Origin{}, "", "does not begin with"},
		{url.URL{Opaque: "a"}, origin.Origin{}, "", "does not begin with"},
		{url.URL{Path: "a"}, origin.Origin{}, "", "does not begin with"},
		{url.URL{Path: ".evil.example/a"}, origin.Origin{}, "", "does not begin with"},
		{url.URL{Path: "/a", RawPath: "%2Fa"}, origin.Origin{}, "", "does not begin with"},
		{url.URL{Path: "/", RawQuery: "a#b"}, origin.Origin{}, "", `"#"`},
		{url.URL{Opaque: "/a#b"}, origin.Origin{}, "", `"#"`},
		{url.URL{Opaque: "//user:secret@other.example:8080/"}, elsewhere, "/", ""},
	}
	for _, test := range tests {
		test.url.Scheme, test.url.Host = "http", "example.com"
		o, target, err := origin.Of(&http.Request{URL: &test.url}, nil)
		if test.problem != "" {
			assert.ErrorContains(t, err, test.problem, "%+v", test.url)
			continue
		}
		require.NoError(t, err, "%+v", test.url)
		assert.Equal(t, test.origin, o, "%+v", test.url)
		assert.Equal(t, test.target, target, "%+v", test.url)
	}
}

func TestOfDoesNotAllocate(t *testing.T) {
	req, err := http.NewRequest("GET", "https://www.example.com:8443/a/b?c=d", nil)
	require.NoError(t, err)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		var room [64]byte
		if _, target, err := origin.Of(req, room[:0]); err != nil || target != "/a/b?c=d" {
			t.Fail()
		}
	}))
}

// An origin is the origin of its own URL, whatever the case of the host and
// whatever else a URL has.
func FuzzOrigin(f *testing.F) {
	for _, seed := range []string{"https://example.com/", "http://exämple.com:8080/a?b#c", "http://[::1%25en0]:80", "http://user@EXAMPLE.com.:0", "http://１２７.1/", "http://xn--a/", "http://ß.de", "http://Ӏ", "http://a%E2%80%8Bb"} {
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
		again, err := origin.OfURL(o.RobotsURL())
		require.NoError(t, err)
		require.Equal(t, o, again, o.String())

		v := *u
		v.Scheme, v.User, v.Path, v.RawPath, v.RawQuery, v.Fragment = strings.ToUpper(u.Scheme), url.User("x"), "/y", "", "z", ""
		same, err := origin.OfURL(&v)
		require.NoError(t, err)
		require.Equal(t, o, same)

		_, target, err := origin.Of(&http.Request{URL: u}, nil)
		if err == nil && u.Opaque == "" && u.Path != "*" {
			require.Equal(t, u.RequestURI(), target)
		}
	})
}
