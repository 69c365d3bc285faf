package fetch_test

import (
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	userAgent = "ExampleBot/1.0 (+https://example.com/bot)"
	body      = "user-agent: *\ndisallow: /private\n"
)

var example = origin.Origin{Host: "example.com", Port: 80}

// newClient returns a client that takes a second at most.
func newClient(base http.RoundTripper) *fetch.Client {
	return fetch.New(options(base, time.Second))
}

// patient returns a client that takes a minute at most, which is long on a busy machine, too.
func patient(base http.RoundTripper) *fetch.Client {
	return fetch.New(options(base, time.Minute))
}

func options(base http.RoundTripper, timeout time.Duration) fetch.Options {
	return fetch.Options{
		Base: base, UserAgent: userAgent, Timeout: timeout,
		Redirects: fetch.Redirects{Max: 5, Check: func(_, to *url.URL) error {
			if to.Host == "forbidden.example" {
				return errors.New("not there")
			}
			return nil
		}},
	}
}

// ask returns what comes of asking example.com through base.
func ask(t *testing.T, base http.RoundTripper) (fetch.Answer, error) {
	return get(t, newClient(base), example)
}

// get asks an origin of which nothing is known.
func get(t *testing.T, client *fetch.Client, o origin.Origin) (fetch.Answer, error) {
	return client.Fetch(t.Context(), o, fetch.Validators{}, fetch.Visit{})
}

func TestFetch(t *testing.T) {
	tests := []struct {
		name    string
		answers []http.HandlerFunc
		status  int
		body    string
		err     string // part of it
		asked   int    // how often example.com was
	}{
		{"200", list(origintest.Text(body)), 200, body, "", 1},
		{"200 without body", list(origintest.Text("")), 200, "", "", 1},
		{"204", list(origintest.Status(204)), 204, "", "", 1},
		{"205", list(origintest.Raw("HTTP/1.1 205 Reset\r\nContent-Length: 0\r\n\r\n")), 205, "", "", 1},
		{"206 for a part", list(origintest.Status(206, "Content-Range", "bytes 0-25/27")), 206, "", "a part of the file", 1},
		{"206 for another part", list(origintest.Status(206, "Content-Range", "bytes 1-25/26")), 206, "", "a part of the file", 1},
		{"206 for nobody knows what", list(origintest.Status(206, "Content-Range", "bytes 0-25/*")), 206, "", "a part of the file", 1},
		{"206 without a range", list(origintest.Status(206)), 206, "", "a part of the file", 1},
		{"206 for all", list(origintest.Raw("HTTP/1.1 206 Partial\r\nContent-Length: 3\r\nContent-Range: bytes 0-2/3\r\n\r\nabc")), 206, "abc", "", 1},
		{"any content type", list(origintest.Raw("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 3\r\n\r\nabc")), 200, "abc", "", 1},
		{"until the connection is closed", list(origintest.Raw("HTTP/1.0 200 OK\r\n\r\nabc")), 200, "abc", "", 1},
		{"304", list(origintest.Status(304)), 304, "", "", 1},
		{"404", list(origintest.Status(404)), 404, "", "", 1},
		{"429", list(origintest.Status(429, "Retry-After", "99999999999999999999")), 429, "", "", 1},
		{"500", list(origintest.Status(500)), 500, "", "", 1},
		{"503", list(origintest.Status(503, "Retry-After", "-1")), 503, "", "", 1},
		{"999", list(origintest.Status(999)), 999, "", "", 1},
		{"101", list(origintest.Raw("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")), 101, "", "", 1},
		{"103 before 200", list(origintest.Raw("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")), 200, "abc", "", 1},

		{"gzip", list(origintest.Gzip(body)), 200, body, "", 1},
		{"text, called gzip", list(origintest.Encoded("gzip", body)), 200, body, "", 1},
		{"text, called brotli", list(origintest.Encoded("br", body)), 200, body, "", 1},
		{"text in a coding that is none", list(origintest.Encoded("UTF-8", body)), 200, body, "", 1},
		{"no coding, in a list", list(origintest.Encoded("gzip, identity", origintest.Compressed(body))), 200, body, "", 1},
		{"not gzip", list(origintest.Encoded("gzip", "\x00\x01\x02\x03")), 200, "", "gzip: invalid header", 1},
		{"brotli", list(origintest.Encoded("br", "\x1b\x03\x00abc")), 200, "", `Content-Encoding "br"`, 1},
		{"two codings", list(origintest.Encoded("gzip, br", "\x1b\x03\x00abc")), 200, "", `Content-Encoding "gzip, br"`, 1},
		{"gzip of nothing", list(origintest.Gzip("")), 200, "", "", 1},
		{"nothing, called gzip", list(origintest.Encoded("gzip", "")), 200, "", "", 1},
		{"nothing, called gzip, in chunks", list(origintest.Raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")), 200, "", "", 1},
		{"nothing, called gzip, to the end of the connection", list(origintest.Raw("HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n")), 200, "", "", 1},
		{"nothing, called x-gzip", list(origintest.Encoded("x-gzip", "")), 200, "", "", 1},
		{"nothing, called brotli", list(origintest.Encoded("br", "")), 200, "", "", 1},
		{"204, called gzip", list(origintest.Status(204, "Content-Encoding", "gzip")), 204, "", "", 1},
		{"205, called gzip", list(origintest.Raw("HTTP/1.1 205 Reset\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n")), 205, "", "", 1},
		{"gzip in two members", list(origintest.Encoded("gzip", origintest.Compressed("user-agent: *\n", "disallow: /private\n"))), 200, body, "", 1},
		{"gzip, and then something else", list(origintest.Encoded("gzip", origintest.Compressed(body)+"<!-- made in 3 ms -->")), 200, "", "gzip: invalid header", 1},
		{"gzip cut short at its end", list(origintest.Encoded("gzip", origintest.Compressed(body)[:40])), 200, "", "unexpected EOF", 3},
		{"gzip cut short", list(origintest.Encoded("gzip", "\x1f\x8b")), 200, "", "unexpected EOF", 3},

		{"at the size limit", list(origintest.Text(strings.Repeat("a", robots.MaxSize))), 200, strings.Repeat("a", robots.MaxSize), "", 1},
		{"endless", list(origintest.Endless(body, "# ...\n")), 200, body, "", 1},
		{"gzip bomb", list(origintest.Gzip(strings.Repeat("a", 100*robots.MaxSize))), 200, strings.Repeat("a", robots.MaxSize+1), "", 1},

		{"404, called gzip", list(origintest.Status(404, "Content-Encoding", "gzip")), 404, "", "", 1},
		{"404 without end", list(origintest.Raw("HTTP/1.1 404 Not Found\r\n\r\n")), 404, "", "", 1},
		{"404 cut short", list(origintest.Raw("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\na")), 404, "", "", 1},
		{"404 badly framed", list(origintest.Raw("HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")), 404, "", "", 1},
		{"redirect cut short", list(origintest.Raw("HTTP/1.1 302 Found\r\nLocation: /r.txt\r\nContent-Length: 5\r\n\r\na")), 200, "r\n", "", 1},

		{"reset", list(origintest.Reset), 0, "", "EOF", 3},
		{"reset once", list(origintest.Reset, origintest.Text(body)), 200, body, "", 2},
		{"cut", list(origintest.Cut(body)), 200, "", "unexpected EOF", 3},
		{"cut once", list(origintest.Cut("user-agent: *\n"), origintest.Text(body)), 200, body, "", 2},
		{"chunks cut", list(origintest.CutChunked(body)), 200, "", "unexpected EOF", 3},
		{"chunks badly framed", list(origintest.Raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n")), 200, "", "invalid byte in chunk length", 1},
		{"not HTTP", list(origintest.Raw("220 example.com ESMTP\r\n")), 0, "", "malformed HTTP", 1},
		{"hangs", list(origintest.Hang), 0, "", "no answer within 1s", 1},
		{"hangs in the body", list(origintest.HangAfter(body)), 200, "", "no answer within 1s", 1},
		{"drips", list(origintest.Drip(body, 100*time.Millisecond)), 200, "", "no answer within 1s", 1},
		{"late", list(origintest.Delay(900*time.Millisecond, origintest.Text(body))), 200, body, "", 1},

		{"redirect", list(origintest.Redirect("/r.txt")), 200, "r\n", "", 1},
		{"redirect 301", list(origintest.Status(301, "Location", "/r.txt")), 200, "r\n", "", 1},
		{"redirect 307", list(origintest.Status(307, "Location", "/r.txt")), 200, "r\n", "", 1},
		{"redirect to another host", list(origintest.Redirect("https://other.example/r.txt")), 200, "o\n", "", 1},
		{"redirect without location", list(origintest.Status(302)), 302, "", "", 1},
		{"redirect to nowhere", list(origintest.Redirect("http:///r.txt")), 302, "", "", 1},
		{"redirect to another protocol", list(origintest.Redirect("ftp://example.com/r.txt")), 302, "", "", 1},
		{"redirect to a file", list(origintest.Redirect("file:///etc/passwd")), 302, "", "", 1},
		{"redirect to no port", list(origintest.Redirect("http://example.com:65536/")), 302, "", "", 1},
		{"redirect to what is no URL", list(origintest.Redirect("http://[::1")), 302, "", "", 1},
		{"redirect to a very long URL", list(origintest.Redirect("/" + strings.Repeat("a", 10_000))), 302, "", "", 1},
		{"very long status line", list(origintest.Raw("HTTX/1.1 " + strings.Repeat("x", 1<<20) + "\r\n\r\n")), 0, "", "malformed HTTP", 1},
		{"very long encoding", list(origintest.Encoded(strings.Repeat("x", 1<<19), body)), 200, body, "", 1},
		{"304 with location", list(origintest.Status(304, "Location", "/r.txt")), 304, "", "", 1},
		{"redirect to itself", list(origintest.Redirect("/robots.txt")), 302, "", "too many redirects", 1},
		{"redirect to itself with fragment", list(origintest.Redirect("#x")), 302, "", "too many redirects", 1},
		{"redirect in a circle", list(origintest.Redirect("/circle.txt")), 302, "", "too many redirects", 1},
		{"five redirects", list(origintest.Redirect("/5")), 200, "r\n", "", 1},
		{"six redirects", list(origintest.Redirect("/6")), 302, "", "too many redirects", 1},
		{"redirect to an error", list(origintest.Redirect("/404")), 404, "", "", 1},
		{"redirect to a host that does not resolve", list(origintest.Redirect("http://lost.example/")), 302, "", "no such host", 1},
		{"redirect that is not to be followed", list(origintest.Redirect("http://forbidden.example/")), 302, "", "redirected to http://forbidden.example/: not there", 1},
		{"redirects that take too long", list(origintest.Delay(600*time.Millisecond, origintest.Redirect("/slow"))), 302, "", "no answer within 1s", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", test.answers...)
				web.Page("example.com", "/r.txt", origintest.Text("r\n"))
				web.Page("other.example", "/r.txt", origintest.Text("o\n"))
				web.Page("example.com", "/circle.txt", origintest.Redirect("/robots.txt"))
				for i, from := range []string{"/2", "/3", "/4", "/5", "/6"} {
					web.Page("example.com", from, origintest.Redirect([]string{"/r.txt", "/2", "/3", "/4", "/5"}[i]))
				}
				web.Page("example.com", "/404", origintest.Status(404))
				web.Page("example.com", "/slow", origintest.Delay(600*time.Millisecond, origintest.Text(body)))
				web.Lose("lost.example")

				answer, err := ask(t, web.Transport(t))
				assert.Len(t, web.Log().At("example.com").Robots(), test.asked, "requests")
				assert.Equal(t, test.status, answer.Status)
				if test.err != "" {
					require.ErrorContains(t, err, test.err)
					assert.Less(t, len(err.Error()), 3000)
					return
				}
				require.NoError(t, err)
				if test.name == "endless" {
					assert.Len(t, answer.Body, robots.MaxSize+1)
					answer.Body = answer.Body[:len(body)]
				}
				assert.Equal(t, test.body, string(answer.Body))
			})
		})
	}
}

func list(answers ...http.HandlerFunc) []http.HandlerFunc { return answers }

// Without net/http's decompression in front, the body is still bounded after it.
func TestGzipWithoutHelp(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Gzip(strings.Repeat("a", 100*robots.MaxSize)))
	base := web.Transport(t)
	base.DisableCompression = true
	answer, err := get(t, patient(base), example)
	require.NoError(t, err)
	assert.Len(t, answer.Body, robots.MaxSize+1)
}

// On sockets, with everything that only they and TLS can do.
func TestNetworkFailures(t *testing.T) {
	web := origintest.New(t)
	web.Lose("lost.example")
	web.Distrust("bad.example")
	web.Robots("reset.example", origintest.Reset)
	client := patient(web.Transport(t))

	_, err := get(t, client, origin.Origin{Host: "lost.example", Port: 80})
	dns, ok := errors.AsType[*net.DNSError](err)
	require.True(t, ok, err)
	assert.True(t, dns.IsNotFound)

	_, err = get(t, client, origin.Origin{TLS: true, Host: "bad.example", Port: 443})
	_, ok = errors.AsType[x509.UnknownAuthorityError](err)
	assert.True(t, ok, err)

	_, err = get(t, client, origin.Origin{Host: "reset.example", Port: 80})
	assert.Error(t, err)

	_, err = get(t, client, origin.Origin{TLS: true, Host: "good.example", Port: 443})
	assert.NoError(t, err)
	assert.Empty(t, web.Log().At("lost.example"))
	assert.Empty(t, web.Log().At("bad.example"))
	assert.Len(t, web.Log().At("reset.example"), 3)
}

// Each hop is a request with the user agent and nothing else that is the user's,
// and is told as it was asked for.
func TestNothingElseIsSent(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Status(302, "Location", "https://user:secret@other.example:/r.txt?a=b", "Set-Cookie", "a=b; Domain=example"))
	web.Page("other.example", "/r.txt", origintest.Status(302, "Location", "http://example.com/last", "Set-Cookie", "c=d"))
	answer, err := get(t, patient(web.Transport(t)), example)
	require.NoError(t, err)
	assert.Equal(t, []string{"https://other.example/r.txt?a=b", "http://example.com/last"}, answer.Hops)
	assert.Equal(t, "GET http://example.com/robots.txt\nGET https://other.example/r.txt?a=b\nGET http://example.com/last\n", web.Log().String())
	for _, arrival := range web.Log() {
		assert.Equal(t, http.Header{"User-Agent": {userAgent}, "Accept-Encoding": {"gzip"}}, arrival.Header)
	}
}

// A redirect within an origin stays at the place that is dialed for it.
func TestDial(t *testing.T) {
	web := origintest.New(t)
	web.Lose("example.com")
	web.Robots("example.com", origintest.Redirect("/r.txt"))
	web.Page("example.com", "/r.txt", origintest.Redirect("http://other.example/"))
	o := origin.Origin{Host: "example.com", Port: 80, Dial: "192.0.2.1:80"}
	_, err := get(t, patient(web.Transport(t)), o)
	require.NoError(t, err)
	assert.Equal(t, "GET http://example.com/robots.txt\nGET http://example.com/r.txt\nGET http://other.example/\n", web.Log().String())
}

type base func(*http.Request) (*http.Response, error)

func (b base) RoundTrip(req *http.Request) (*http.Response, error) { return b(req) }

// fails returns a base that fails each request.
func fails(err error) base { return func(*http.Request) (*http.Response, error) { return nil, err } }

// A Base that returns a response beside its error, which net/http forbids, leaves no body open.
func TestResponseBesideAnError(t *testing.T) {
	var closed bool
	_, err := ask(t, base(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: closer{strings.NewReader(""), func() { closed = true }}}, errors.New("broken")
	}))
	assert.ErrorContains(t, err, "broken")
	assert.True(t, closed)
}
