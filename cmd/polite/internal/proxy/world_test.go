package proxy_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/proxy"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const agent = "ExampleBot/1.0 (+https://example.com/bot)"

// A world is a proxy between programs and a web.
type world struct {
	web       *origintest.Server
	proxy     *proxy.Proxy
	transport *polite.Transport
	address   string
	serving   sync.WaitGroup
}

// newWorld returns a world in which anyone may use the proxy, unless change says something else.
func newWorld(t testing.TB, change ...func(*polite.Transport, *proxy.Options)) *world {
	w := &world{web: origintest.New(t)}
	base, kept := w.web.Transport(t), robotstxt.NewMemory(1<<20)
	base.DisableCompression, base.ExpectContinueTimeout = true, time.Minute
	w.transport = &polite.Transport{
		UserAgent: agent, Base: base, Cache: &polite.Cache{Store: kept}, Trace: polite.Trace{Waited: proxy.Waited},
	}
	options := proxy.Options{Transport: w.transport, Admit: proxy.Anyone}
	options.Robots = func(ctx context.Context, u *url.URL) (proxy.Robots, error) {
		if _, err := w.transport.Robots(ctx, u); err != nil {
			return proxy.Robots{}, err
		}
		source, ok, err := robotstxt.Of(ctx, kept, agent, u)
		return proxy.Robots{Known: ok, Status: source.Status, Body: source.Body}, err
	}
	for _, change := range change {
		change(w.transport, &options)
	}
	var err error
	w.proxy, err = proxy.New(options)
	require.NoError(t, err)
	w.serve(t)
	return w
}

// serve lets the proxy serve until the end of the test.
func (w *world) serve(t testing.TB) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w.address = l.Addr().String()
	w.serving.Go(func() { assert.NoError(t, w.proxy.Serve(l)) })
	t.Cleanup(func() {
		soon, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		w.proxy.Shutdown(soon)
		w.serving.Wait()
	})
}

// client returns a program that uses the proxy, and follows no redirect.
func (w *world) client(t testing.TB) *http.Client {
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(w.proxy.CA()))
	transport := &http.Transport{
		Proxy:           http.ProxyURL(&url.URL{Scheme: "http", Host: w.address}),
		TLSClientConfig: &tls.Config{RootCAs: roots}, DisableCompression: true, ExpectContinueTimeout: 10 * time.Second,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport: transport, Timeout: time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// A reply is what a program gets.
type reply struct {
	*http.Response
	body string
}

// get asks for a page by GET.
func get(t testing.TB, c *http.Client, page string, fields ...string) reply {
	return send(t, c, http.MethodGet, page, nil, fields...)
}

// send sends a request. fields are names and values.
func send(t testing.TB, c *http.Client, method, page string, body io.Reader, fields ...string) reply {
	req, err := http.NewRequestWithContext(t.Context(), method, page, body)
	require.NoError(t, err)
	for i := 0; i < len(fields); i += 2 {
		req.Header.Add(fields[i], fields[i+1])
	}
	resp, err := c.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return reply{resp, string(all)}
}

// dial connects to the proxy.
func (w *world) dial(t testing.TB) net.Conn {
	conn, err := net.Dial("tcp", w.address)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	return conn
}

// raw sends text to the proxy, and returns all that comes back. wait is how much: until the
// proxy closes, or the first answer.
func (w *world) raw(t testing.TB, text string) reply {
	conn := w.dial(t)
	_, err := io.WriteString(conn, text)
	require.NoError(t, err)
	return answerOn(t, conn)
}

// answerOn reads an answer.
func answerOn(t testing.TB, conn net.Conn) reply {
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return reply{resp, string(all)}
}

// tunnel opens a tunnel to a host and a port.
func (w *world) tunnel(t testing.TB, to string) net.Conn {
	conn := w.dial(t)
	_, err := io.WriteString(conn, "CONNECT "+to+" HTTP/1.1\r\nHost: "+to+"\r\n\r\n")
	require.NoError(t, err)
	const established = "HTTP/1.1 200 Connection Established\r\n\r\n"
	head := make([]byte, len(established))
	_, err = io.ReadFull(conn, head)
	require.NoError(t, err)
	require.Equal(t, established, string(head))
	return conn
}

// secure begins TLS in a tunnel.
func (w *world) secure(t testing.TB, conn net.Conn, host string) *tls.Conn {
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(w.proxy.CA()))
	secure := tls.Client(conn, &tls.Config{RootCAs: roots, ServerName: host})
	require.NoError(t, secure.HandshakeContext(t.Context()))
	return secure
}

// lines joins lines of a request.
func lines(all ...string) string { return strings.Join(all, "\r\n") + "\r\n\r\n" }
