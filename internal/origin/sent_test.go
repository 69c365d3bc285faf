package origin_test

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const never = "-" // net/http sends no such request

// polite judges the target that net/http sends, by HTTP/1.1 and by HTTP/2, as a server
// sees it: the request line's target, and :path.
func TestTargetThatArrives(t *testing.T) {
	tests := []struct {
		method       string
		url          url.URL // at example.com
		judged       string
		line, pseudo string // the target that arrives, if it differs from the one that is judged
	}{
		{"GET", url.URL{}, "/", "", ""},
		{"GET", url.URL{Path: "/a b", RawQuery: "c?d"}, "/a%20b?c?d", "", ""},
		{"GET", url.URL{Path: "/a/b", RawPath: "/a%2fb"}, "/a%2fb", "", ""},
		{"GET", url.URL{Path: "/a/b", RawPath: "/x"}, "/a/b", "", ""},
		{"GET", url.URL{Path: "/a", RawPath: "/%61"}, "/%61", "", ""},
		{"GET", url.URL{Path: "/a|{b}\"\\^`"}, "/a%7C%7Bb%7D%22%5C%5E%60", "", ""},
		{"GET", url.URL{Path: "/%2Fb|"}, "/%252Fb%7C", "", ""},
		{"GET", url.URL{Path: "/ä\n#"}, "/%C3%A4%0A%23", "", ""},
		{"GET", url.URL{Path: "/[a];b,c='d'"}, "/%5Ba%5D;b,c=%27d%27", "", ""},
		{"GET", url.URL{Path: "//a/../b/./c"}, "//a/../b/./c", "", ""},
		{"GET", url.URL{Path: "/a?b"}, "/a%3Fb", "", ""},
		{"GET", url.URL{Path: "/a", ForceQuery: true, Fragment: "x"}, "/a?", "", ""},
		{"GET", url.URL{RawQuery: "a"}, "/?a", "", ""},
		{"GET", url.URL{Path: "/a", RawQuery: "ä|{b}\"%zz%2f"}, "/a?ä|{b}\"%zz%2f", "", ""},
		{"GET", url.URL{Path: "/a", RawQuery: "b c"}, "/a?b c", never, ""}, // the server takes no such line
		{"GET", url.URL{Path: "*"}, "/", "*", "*"},
		{"HEAD", url.URL{Path: "/a"}, "/a", "", ""},
		{"POST", url.URL{Path: "/a"}, "/a", "", ""},
		{"connect", url.URL{Path: "/a"}, "/a", "", ""},

		{"GET", url.URL{Opaque: "*"}, "/", "*", "*"},
		{"GET", url.URL{Opaque: "/a%2Fb|{c}"}, "/a%2Fb|{c}", "", ""},
		{"GET", url.URL{Opaque: "/a?b", RawQuery: "c"}, "/a?b?c", "", ""},
		{"GET", url.URL{Opaque: "/a", Path: "/b", ForceQuery: true}, "/a?", "", ""},
		{"GET", url.URL{Opaque: "//example.com/%2Fb|"}, "/%2Fb|", "SCHEME://example.com/%2Fb|", ""},
		{"GET", url.URL{Opaque: "SCHEME://example.com/%2Fb|"}, "/%2Fb|", "SCHEME://example.com/%2Fb|", ""},
		{"GET", url.URL{Opaque: "//example.com/a//../%2e/b", RawQuery: "c"}, "/a//../%2e/b?c", "SCHEME://example.com/a//../%2e/b?c", ""},
		{"GET", url.URL{Opaque: "//example.com"}, "/", "SCHEME://example.com", never},
		{"GET", url.URL{Opaque: "//example.com", RawQuery: "a"}, "/?a", "SCHEME://example.com?a", never},
		{"POST", url.URL{Opaque: "//example.com/a"}, "/a", "SCHEME://example.com/a", ""},

		{"CONNECT", url.URL{}, "/", "example.com", "example.com"},
		{"CONNECT", url.URL{Path: "/"}, "/", "", "example.com"},
		{"CONNECT", url.URL{Opaque: "example.com:PORT"}, "/", "example.com:PORT", "example.com"},
	}
	for _, scheme := range []string{"http", "https"} {
		server := origintest.New(t)
		base := server.Transport(t)
		for _, test := range tests {
			u, want := in(scheme, test.url), test.line
			if scheme == "https" {
				want = test.pseudo
			}
			req := (&http.Request{Method: test.method, URL: &u, Header: http.Header{}}).WithContext(t.Context())
			o, target, err := origin.Of(req, nil)
			require.NoError(t, err, "%s %+v", test.method, u)
			assert.Equal(t, scheme+"://example.com", o.String())
			assert.Equal(t, test.judged, target, "%s %+v", test.method, u)
			want = in(scheme, url.URL{Opaque: cmp.Or(want, test.judged)}).Opaque
			assert.Equal(t, want, arrival(server, base, req), "%s %+v", test.method, u)
		}
	}
}

// in returns u at example.com, with what it says of the scheme and its port.
func in(scheme string, u url.URL) url.URL {
	u.Scheme, u.Host = scheme, "example.com"
	port := map[string]string{"http": "80", "https": "443"}[scheme]
	u.Opaque = strings.NewReplacer("SCHEME", scheme, "PORT", port).Replace(u.Opaque)
	return u
}

// arrival sends req and returns the target that arrives, at example.com.
func arrival(server *origintest.Server, base http.RoundTripper, req *http.Request) string {
	server.Take()
	resp, err := base.RoundTrip(req)
	if err == nil {
		resp.Body.Close()
	}
	log := server.Take()
	if len(log) == 1 && (log[0].Host == "example.com" || log[0].Host == req.URL.Opaque) {
		return log[0].URI
	}
	return never
}

// A target that net/http sends in more than one spelling, or to more than one host, is
// refused. The error says what to write.
func TestTargetThatCannotBeKnown(t *testing.T) {
	const opaque, connect = `write "/page" or "//example.com/page"`, "leave the path and the query of the URL empty"
	tests := []struct {
		method  string
		url     url.URL // at example.com
		problem string
	}{
		{"GET", url.URL{Path: "a"}, `does not begin with "/": write it as in "/page"`},
		{"GET", url.URL{Path: ".evil.example/a"}, `does not begin with "/"`},
		{"GET", url.URL{Path: "/a", RawPath: "%2Fa"}, `does not begin with "/"`},
		{"GET", url.URL{Path: "*", RawQuery: "a"}, `does not begin with "/"`},
		{"GET", url.URL{Path: "*", ForceQuery: true}, `does not begin with "/"`},
		{"GET", url.URL{Path: "/", RawQuery: "a#b"}, `a '#' where only "%23" can be sent`},
		{"GET", url.URL{Opaque: "/a#b"}, `a '#'`},
		{"GET", url.URL{Path: "/", RawQuery: "a\nb"}, `a '\n' where only "%0A" can be sent`},
		{"GET", url.URL{Opaque: "/a HTTP/1.1\r\n\r\nGET /b"}, `only "%0D" can be sent`},

		{"GET", url.URL{Opaque: "a"}, opaque},
		{"GET", url.URL{Opaque: "*", RawQuery: "a"}, opaque},
		{"GET", url.URL{Opaque: "example.com/a"}, opaque},
		{"GET", url.URL{Opaque: "///a"}, opaque},
		{"GET", url.URL{Opaque: "//other.example/a"}, opaque},
		{"GET", url.URL{Opaque: "http://other.example/a"}, opaque},
		{"GET", url.URL{Opaque: "https://example.com/a"}, opaque},
		{"GET", url.URL{Opaque: "HTTP://example.com/a"}, opaque},
		{"GET", url.URL{Opaque: "//EXAMPLE.com/a"}, opaque},
		{"GET", url.URL{Opaque: "//example.com:80/a"}, opaque},
		{"GET", url.URL{Opaque: "//example.com./a"}, opaque},
		{"GET", url.URL{Opaque: "//example.com.evil.example/a"}, opaque},
		{"GET", url.URL{Opaque: "//example.com*"}, opaque}, // HTTP/2 sends "*"
		{"GET", url.URL{Opaque: "//example.com\\/a"}, opaque},
		{"GET", url.URL{Opaque: "//user:secret@example.com/a"}, opaque},
		{"GET", url.URL{Opaque: "//exämple.com/a"}, opaque},

		{"CONNECT", url.URL{Path: "/a"}, connect}, // HTTP/1.1 sends it
		{"CONNECT", url.URL{Path: "/", RawPath: "%2F"}, connect},
		{"CONNECT", url.URL{RawQuery: "a"}, connect},
		{"CONNECT", url.URL{Path: "/", ForceQuery: true}, connect},
		{"CONNECT", url.URL{Opaque: "other.example:80"}, `write "example.com:80", or leave it empty`},
		{"CONNECT", url.URL{Opaque: "example.com:443"}, `write "example.com:80"`},
		{"CONNECT", url.URL{Opaque: "example.com"}, `write "example.com:80"`},
		{"CONNECT", url.URL{Opaque: "EXAMPLE.com:80"}, `write "example.com:80"`},
		{"CONNECT", url.URL{Opaque: "/a"}, `write "example.com:80"`},
		{"CONNECT", url.URL{Opaque: "//example.com/a"}, `write "example.com:80"`},
	}
	for _, test := range tests {
		u := in("http", test.url)
		o, target, err := origin.Of(&http.Request{Method: test.method, URL: &u}, nil)
		assert.ErrorContains(t, err, test.problem, "%s %+v", test.method, u)
		assert.NotContains(t, err.Error(), "secret")
		assert.Zero(t, o)
		assert.Zero(t, target)
	}
}

// A target in absolute form names the host of the origin, wherever the request connects
// to.
func TestTargetAtAnotherHost(t *testing.T) {
	for _, test := range []struct {
		method, opaque, target string
	}{
		{"GET", "//example.com:8080/a", "/a"},
		{"CONNECT", "example.com:8080", "/"},
	} {
		req := &http.Request{Method: test.method, URL: &url.URL{Scheme: "http", Host: "192.0.2.1", Opaque: test.opaque}, Host: "example.com:8080"}
		o, target, err := origin.Of(req, nil)
		require.NoError(t, err)
		assert.Equal(t, origin.Origin{Host: "example.com", Port: 8080, Dial: "192.0.2.1:80"}, o)
		assert.Equal(t, test.target, target)
		req.Host = ""
		_, _, err = origin.Of(req, nil)
		assert.ErrorContains(t, err, "192.0.2.1")
	}
}

// A CONNECT request with a protocol has a path, which is sent (RFC 8441 §4).
func TestExtendedConnect(t *testing.T) {
	req := &http.Request{Method: "CONNECT", URL: &url.URL{Scheme: "https", Host: "example.com", Path: "/chat"}, Header: http.Header{":protocol": {"websocket"}}}
	_, target, err := origin.Of(req, nil)
	require.NoError(t, err)
	assert.Equal(t, "/chat", target)
	req.Header[":protocol"] = []string{""} // as HTTP/2 takes it
	_, _, err = origin.Of(req, nil)
	assert.Error(t, err)
}
