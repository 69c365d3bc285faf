package proxy_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/proxy"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A web page on this machine can send requests to the proxy, but none that goes anywhere, and
// it cannot read the answer.
func TestPagesGetNothing(t *testing.T) {
	w := newWorld(t)
	for _, request := range []string{
		lines("GET / HTTP/1.1", "Host: "+w.address, "Origin: https://evil.test"),
		lines("GET /private HTTP/1.1", "Host: evil.test", "Origin: https://evil.test"), // a name that leads here (rebinding)
		lines("GET /http://shop.test/ HTTP/1.1", "Host: "+w.address),
		lines("POST / HTTP/1.1", "Host: "+w.address, "Content-Length: 0", "Origin: null"),
		lines("OPTIONS / HTTP/1.1", "Host: "+w.address, "Origin: https://evil.test", "Access-Control-Request-Method: GET", "Access-Control-Request-Private-Network: true"),
		lines("OPTIONS * HTTP/1.1", "Host: "+w.address),
		upgrade("/chat", w.address),
		lines("GET /robots.txt HTTP/1.1", "Host: shop.test"),
	} {
		got := w.raw(t, request)
		assert.Equal(t, http.StatusBadRequest, got.StatusCode, request)
		for name := range got.Header {
			assert.False(t, strings.HasPrefix(name, "Access-Control-"), "%s: %s", request, name)
		}
	}
	assert.Empty(t, w.web.Log())
}

// What two readers may take for two different requests is refused, or goes on in one form
// only.
func TestSmuggling(t *testing.T) {
	const hidden = "GET http://shop.test/hidden HTTP/1.1\r\nHost: shop.test\r\n\r\n"
	for name, request := range map[string]string{
		"two lengths":           lines("POST http://shop.test/ HTTP/1.1", "Host: shop.test", "Content-Length: 3", "Content-Length: 40") + "abc" + hidden,
		"a list of lengths":     lines("POST http://shop.test/ HTTP/1.1", "Host: shop.test", "Content-Length: 3, 40") + "abc" + hidden,
		"a signed length":       lines("POST http://shop.test/ HTTP/1.1", "Host: shop.test", "Content-Length: +3") + "abc" + hidden,
		"an unknown encoding":   lines("POST http://shop.test/ HTTP/1.1", "Host: shop.test", "Transfer-Encoding: chunked, identity") + "0\r\n\r\n" + hidden,
		"a folded encoding":     lines("POST http://shop.test/ HTTP/1.1", "Host: shop.test", "Transfer-Encoding:\r\n xchunked") + "0\r\n\r\n" + hidden,
		"two encodings":         lines("POST http://shop.test/ HTTP/1.1", "Host: shop.test", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip") + "0\r\n\r\n" + hidden,
		"a space in a name":     lines("POST http://shop.test/ HTTP/1.1", "Host: shop.test", "Transfer-Encoding : chunked") + "0\r\n\r\n" + hidden,
		"two hosts":             lines("GET http://shop.test/ HTTP/1.1", "Host: shop.test", "Host: other.test"),
		"a bare CR":             lines("GET http://shop.test/ HTTP/1.1", "Host: shop.test", "X: a\rTransfer-Encoding: chunked"),
		"no host":               lines("GET http:///a HTTP/1.1", "Host: shop.test"),
		"a bad host":            lines("GET http://shop.test%0d%0aX:1/a HTTP/1.1", "Host: shop.test"),
		"a bad path":            lines("GET http://shop.test/%zz HTTP/1.1", "Host: shop.test"),
		"another scheme":        lines("GET file:///etc/passwd HTTP/1.1", "Host: shop.test"),
		"ftp":                   lines("GET ftp://shop.test/ HTTP/1.1", "Host: shop.test"),
		"opaque":                lines("GET http:shop.test HTTP/1.1", "Host: shop.test"),
		"a tunnel without port": lines("CONNECT shop.test HTTP/1.1", "Host: shop.test"),
		"a tunnel to no port":   lines("CONNECT shop.test: HTTP/1.1", "Host: shop.test"),
		"a tunnel without host": lines("CONNECT :443 HTTP/1.1", "Host: :443"),
	} {
		w := newWorld(t)
		got := w.raw(t, request)
		assert.GreaterOrEqual(t, got.StatusCode, 400, name)
		assert.Less(t, got.StatusCode, 502, name)
		assert.Empty(t, w.web.Log(), name)
	}
}

// With both a length and chunks, the chunks count (RFC 9112 §6.3), and only they go on.
func TestLengthAndChunks(t *testing.T) {
	w := newWorld(t)
	w.web.Page("shop.test", "/", func(w http.ResponseWriter, r *http.Request) {
		all, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%d %v %s", r.ContentLength, r.TransferEncoding, all)
	})
	conn := w.dial(t)
	_, err := io.WriteString(conn, lines("POST http://shop.test/ HTTP/1.1", "Host: shop.test", "Content-Length: 4", "Transfer-Encoding: chunked")+
		"3\r\nabc\r\n0\r\n\r\n"+lines("GET http://shop.test/hidden HTTP/1.1", "Host: shop.test"))
	require.NoError(t, err)
	assert.Equal(t, "-1 [chunked] abc", answerOn(t, conn).body)
	for _, a := range w.web.Log().Pages() {
		assert.NotContains(t, a.Header, "Content-Length", "%s", a.URI)
	}
}

// HTTP/1.0 has no chunks: what follows such a request is no request, whatever its length.
func TestOldProgramsAskOnce(t *testing.T) {
	w := newWorld(t)
	for _, host := range []string{"http://shop.test", ""} { // to the proxy, and in a tunnel
		conn := w.dial(t)
		if host == "" {
			conn = w.tunnel(t, "shop.test:80")
		}
		_, err := io.WriteString(conn, lines("POST "+host+"/ HTTP/1.0", "Host: shop.test", "Connection: keep-alive", "Transfer-Encoding: chunked")+
			lines("GET "+host+"/hidden HTTP/1.0", "Host: shop.test"))
		require.NoError(t, err)
		all, err := io.ReadAll(conn)
		require.NoError(t, err)
		assert.Equal(t, 1, strings.Count(string(all), "HTTP/1."), "%s", all)
	}
	assert.Equal(t, "POST http://shop.test/\nPOST http://shop.test/\n", w.web.Log().Pages().String())
}

// A request that leads back to the proxy ends.
func TestLoops(t *testing.T) {
	w := newWorld(t, func(_ *polite.Transport, o *proxy.Options) { o.Via = "polite-abc" })
	_, port, err := net.SplitHostPort(w.address)
	require.NoError(t, err)
	for _, request := range []string{
		lines("GET http://"+w.address+"/ HTTP/1.1", "Host: a"),
		lines("GET http://localhost:"+port+"/ HTTP/1.1", "Host: a"),
		lines("GET http://[::1]:"+port+"/ HTTP/1.1", "Host: a"),
		lines("GET http://0.0.0.0:"+port+"/ HTTP/1.1", "Host: a"),
		lines("CONNECT 127.0.0.2:"+port+" HTTP/1.1", "Host: a"),
		lines("GET http://shop.test/ HTTP/1.1", "Host: a", "Via: 1.0 other, 1.1 polite-abc (x)"),
		lines("CONNECT shop.test:443 HTTP/1.1", "Host: a", "Via: 1.1 polite-abc"),
	} {
		got := w.raw(t, request)
		assert.Equal(t, http.StatusLoopDetected, got.StatusCode, request)
		assert.Equal(t, proxy.KindLoop, got.Header.Get("Polite-Refused"), request)
	}
	assert.Equal(t, http.StatusLoopDetected, get(t, w.client(t), "https://shop.test/", "Via", "1.1 polite-abc").StatusCode)
	assert.Empty(t, w.web.Log())
	get(t, w.client(t), "http://shop.test/", "Via", "1.1 other")
	assert.Equal(t, []string{"1.1 other", "1.1 polite-abc"}, w.web.Log().Pages()[0].Header["Via"])
}

// What comes through a tunnel is for the host that the program has named.
func TestHostAndTunnelAgree(t *testing.T) {
	w := newWorld(t)
	for _, test := range []struct {
		name, server, request string
		want                  int
	}{
		{"the same", "shop.test", lines("GET / HTTP/1.1", "Host: shop.test"), 200},
		{"in capitals", "shop.test", lines("GET / HTTP/1.1", "Host: SHOP.test"), 200},
		{"with its port", "shop.test", lines("GET / HTTP/1.1", "Host: shop.test:443"), 200},
		{"none", "shop.test", lines("GET / HTTP/1.0"), 200},
		{"in full", "shop.test", lines("GET https://shop.test/ HTTP/1.1", "Host: shop.test"), 200},
		{"another", "shop.test", lines("GET / HTTP/1.1", "Host: other.test"), 421},
		{"another port", "shop.test", lines("GET / HTTP/1.1", "Host: shop.test:8443"), 421},
		{"another in full", "shop.test", lines("GET https://other.test/ HTTP/1.1", "Host: shop.test"), 421},
		{"another scheme", "shop.test", lines("GET http://shop.test:443/ HTTP/1.1", "Host: shop.test"), 421},
		{"another in TLS", "other.test", lines("GET / HTTP/1.1", "Host: other.test"), 421},
		{"a tunnel in a tunnel", "shop.test", lines("CONNECT other.test:443 HTTP/1.1", "Host: other.test:443"), 400},
		{"no page", "shop.test", lines("OPTIONS * HTTP/1.1", "Host: shop.test"), 400},
		{"no path", "shop.test", lines("GET https:* HTTP/1.1", "Host: shop.test"), 400},
		{"no path of another", "shop.test", lines("GET http:other.test/a HTTP/1.1", "Host: shop.test"), 400},
		{"a bad host", "shop.test", lines("GET / HTTP/1.1", "Host: shop test"), 400},
	} {
		w.web.Take()
		conn := w.secure(t, w.tunnel(t, "shop.test:443"), test.server)
		_, err := io.WriteString(conn, test.request)
		require.NoError(t, err)
		assert.Equal(t, test.want, answerOn(t, conn).StatusCode, test.name)
		for _, a := range w.web.Log() {
			assert.Equal(t, "shop.test", a.Host, test.name)
			assert.Equal(t, 200, test.want, test.name)
		}
	}
}

// A tunnel is for HTTP alone: mail, SSH and the like neither get one nor pass through one.
func TestTunnelsAreForHTTP(t *testing.T) {
	w := newWorld(t)
	for _, port := range []string{"0", "22", "25", "465", "6667", "10080"} {
		got := w.raw(t, lines("CONNECT shop.test:"+port+" HTTP/1.1", "Host: shop.test:"+port))
		assert.Equal(t, 403, got.StatusCode, port)
		assert.Equal(t, proxy.KindProtocol, got.Header.Get("Polite-Refused"), port)
	}
	for _, first := range []string{"\x00", "\x04\x01", "ehlo a\r\n", "*1\r\n$4\r\nPING\r\n", "\x16garbage that is no handshake", "SSH-2.0-x\r\n", "@", "["} {
		conn := w.tunnel(t, "shop.test:9999")
		_, err := io.WriteString(conn, first)
		require.NoError(t, err)
		conn.(*net.TCPConn).CloseWrite()
		back, _ := io.ReadAll(conn)
		assert.NotContains(t, string(back), " 200 ", "%q", first)
	}
	assert.Empty(t, w.web.Log())
	assert.EqualValues(t, 12, w.proxy.Summary().Refused[proxy.KindProtocol])
}

// Fields without end are refused before they take much memory, and so is a request that never
// ends.
func TestHugeHeaders(t *testing.T) {
	w := newWorld(t)
	conn := w.dial(t)
	go func() {
		fmt.Fprint(conn, "GET http://shop.test/ HTTP/1.1\r\nHost: shop.test\r\n")
		for range 1000 {
			if _, err := fmt.Fprintf(conn, "X: %s\r\n", strings.Repeat("x", 1000)); err != nil {
				return
			}
		}
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	assert.Equal(t, http.StatusRequestHeaderFieldsTooLarge, resp.StatusCode)
	resp.Body.Close()

	c := w.client(t)
	assert.Equal(t, 200, get(t, c, "https://shop.test/", "Cookie", strings.Repeat("x", 200<<10)).StatusCode, "large, but not too large")
}

// A site cannot make the proxy take what its fields say for the proxy's own, nor send text
// that acts on a terminal.
func TestHostileSites(t *testing.T) {
	w := newWorld(t)
	c := w.client(t)
	for name, text := range origintest.Hostile() {
		host := "site-" + strings.ToLower(strings.Map(letters, name)) + ".test"
		w.web.Robots(host, origintest.Text(text))
		for _, page := range []string{"/", "/private/", "/robots.txt"} {
			for field, values := range get(t, c, "http://"+host+page).Header {
				assert.False(t, strings.ContainsFunc(strings.Join(values, ""), unicode.IsControl), "%s: %s of %s", name, field, page)
			}
		}
	}
	w.web.Page("raw.test", "/", origintest.Raw("HTTP/1.1 200 \x1b[2J\r\n\x1b: x\r\n\r\n"))
	got := get(t, c, "http://raw.test/")
	assert.Equal(t, http.StatusBadGateway, got.StatusCode)
	assert.NotContains(t, got.body, "\x1b")
	assert.NotContains(t, fmt.Sprint(got.Header), "\x1b")
}

// A status that HTTP does not have is told of: the program is not just cut off.
func TestNoStatus(t *testing.T) {
	w := newWorld(t)
	w.web.Page("raw.test", "/", origintest.Raw("HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\nhi"))
	w.web.Page("raw.test", "/999", origintest.Raw("HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nhi"))
	got := w.raw(t, lines("GET http://raw.test/ HTTP/1.1", "Host: raw.test"))
	assert.Equal(t, http.StatusBadGateway, got.StatusCode)
	assert.Contains(t, got.body, "status 099")
	assert.Equal(t, 999, w.raw(t, lines("GET http://raw.test/999 HTTP/1.1", "Host: raw.test")).StatusCode)
	tally := w.proxy.Summary()
	assert.EqualValues(t, []int64{1, 1}, []int64{tally.Sent, tally.Failed})
}

// Nor can a site say after its answer what only the proxy says, or what is about the connection.
func TestHostileTrailers(t *testing.T) {
	w := newWorld(t)
	w.web.Page("raw.test", "/", origintest.Raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Polite-Refused, Alt-Svc, Digest\r\n\r\n"+
		"2\r\nhi\r\n0\r\nPolite-Refused: disallowed\r\nAlt-Svc: h3=\":443\"\r\nDigest: a\r\nPolite-Rule: x\r\nContent-Length: 9\r\nConnection: close\r\n\r\n"))
	assert.Equal(t, http.Header{"Digest": {"a"}}, get(t, w.client(t), "http://raw.test/").Trailer)
}

// A program cannot say in trailers how long its request is, where it goes and who sends it.
func TestTrailersOfPrograms(t *testing.T) {
	w := newWorld(t)
	w.web.Page("shop.test", "/", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, r.Trailer)
	})
	got := w.raw(t, lines("POST http://shop.test/ HTTP/1.1", "Host: shop.test", "Transfer-Encoding: chunked", "Trailer: Digest, Host, User-Agent", "Connection: close")+
		"3\r\nabc\r\n"+lines("0", "Digest: a", "Host: other.test", "Content-Length: 9", "Transfer-Encoding: chunked", "User-Agent: other", "Connection: Digest2"))
	assert.Equal(t, "map[Digest:[a]]", got.body)
}

func letters(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return -1
}

// Certificates are made for any number of hosts. Each holds for one host, and
// makes no others.
func TestCertificates(t *testing.T) {
	w := newWorld(t)
	ca := w.proxy.Certificate()
	assert.True(t, ca.IsCA && ca.MaxPathLenZero && ca.MaxPathLen == 0)
	assert.Less(t, time.Until(ca.NotAfter), 24*time.Hour+time.Minute)
	assert.Equal(t, "ECDSA", ca.PublicKeyAlgorithm.String())
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	for _, host := range []string{"shop.test", "127.0.0.1", "::1", strings.Repeat("a", 60) + ".test", "xn--exmple-cua.com"} {
		conn := w.tunnel(t, net.JoinHostPort(host, "443"))
		secure := tls.Client(conn, &tls.Config{RootCAs: roots, ServerName: host})
		require.NoError(t, secure.HandshakeContext(t.Context()), host)
		leaf := secure.ConnectionState().PeerCertificates[0]
		assert.NoError(t, leaf.VerifyHostname(host))
		assert.Error(t, leaf.VerifyHostname("other.test"))
		assert.False(t, leaf.IsCA)
		assert.False(t, leaf.NotAfter.After(ca.NotAfter))
	}
}
