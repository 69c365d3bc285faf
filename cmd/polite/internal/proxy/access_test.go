package proxy_test

import (
	"bufio"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/proxy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A proxy that nobody may use is an error, and so is one that leads nowhere.
func TestNewNeedsOptions(t *testing.T) {
	_, err := proxy.New(proxy.Options{Admit: proxy.Anyone})
	assert.ErrorContains(t, err, "Options.Transport")
	_, err = proxy.New(proxy.Options{Transport: new(polite.Transport)})
	assert.ErrorContains(t, err, "Options.Secret")
}

// Who is not admitted needs the secret, for requests and for tunnels.
func TestSecret(t *testing.T) {
	const secret = "0123456789abcdef"
	for _, admitted := range []bool{false, true} {
		w := newWorld(t, func(_ *polite.Transport, o *proxy.Options) {
			o.Secret, o.Admit = secret, func(net.Conn) bool { return admitted }
		})
		for credentials, knows := range map[string]bool{
			"":                        false,
			proxy.User + ":" + secret: true,
			"other:" + secret:         false,
			proxy.User + ":":          false,
			proxy.User + ":wrong":     false,
			secret:                    false,
		} {
			field := "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(credentials))
			for _, request := range []string{
				lines("GET http://shop.test/ HTTP/1.1", "Host: shop.test", field),
				lines("CONNECT shop.test:443 HTTP/1.1", "Host: shop.test:443", field),
			} {
				conn := w.dial(t)
				_, err := conn.Write([]byte(request))
				require.NoError(t, err)
				head := make([]byte, len("HTTP/1.1 200"))
				_, err = conn.Read(head)
				require.NoError(t, err)
				want := "HTTP/1.1 407"
				if admitted || knows {
					want = "HTTP/1.1 200"
				}
				assert.Equal(t, want, string(head), "%q: %s", credentials, request)
			}
		}
		for _, a := range w.web.Log() {
			assert.NotContains(t, a.Header, "Proxy-Authorization")
		}
	}
}

// Who gets 407 learns how to ask, and nothing else.
func TestLocked(t *testing.T) {
	w := newWorld(t, func(_ *polite.Transport, o *proxy.Options) { o.Admit = func(net.Conn) bool { return false } })
	field := "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(proxy.User+":"))
	got := w.raw(t, lines("GET http://shop.test/ HTTP/1.1", "Host: shop.test", field))
	assert.Equal(t, 407, got.StatusCode, "no secret is not the secret of nobody")
	assert.Equal(t, `Basic realm="polite"`, got.Header.Get("Proxy-Authenticate"))
	assert.Equal(t, proxy.KindLocked, got.Header.Get("Polite-Refused"))
	assert.Empty(t, w.web.Log())
	assert.EqualValues(t, 1, w.proxy.Summary().Locked)
}

// Who is turned away keeps no connection, and nobody waits for its body, which may never end.
func TestLockedLeave(t *testing.T) {
	w := newWorld(t, func(_ *polite.Transport, o *proxy.Options) { o.Admit = func(net.Conn) bool { return false } })
	for _, field := range []string{"Connection: keep-alive", "Content-Length: 1000", "Content-Length: 1000000", "Transfer-Encoding: chunked"} {
		conn := w.dial(t)
		_, err := io.WriteString(conn, lines("POST http://shop.test/ HTTP/1.1", "Host: shop.test", field)+"1\r\n")
		require.NoError(t, err)
		all, err := io.ReadAll(conn)
		assert.NoError(t, err, field)
		assert.Contains(t, string(all), "HTTP/1.1 407 ", field)
	}
}

// Programs of other users cannot take the room of those that may use the proxy.
func TestStrangersTakeNoRoom(t *testing.T) {
	var mu sync.Mutex
	strange := true
	w := newWorld(t, func(_ *polite.Transport, o *proxy.Options) {
		o.Admit = func(net.Conn) bool {
			mu.Lock()
			defer mu.Unlock()
			return !strange
		}
	})
	for i := range 200 {
		conn := w.dial(t) // and says nothing
		if i >= 64 {
			_, err := conn.Read(make([]byte, 1))
			require.ErrorIs(t, err, io.EOF, "there is no room for %d", i)
		}
	}
	mu.Lock()
	strange = false
	mu.Unlock()
	assert.Equal(t, 200, get(t, w.client(t), "http://shop.test/").StatusCode)
}

// Who has shown the secret keeps its connection, however many come without.
func TestSecretKeepsRoom(t *testing.T) {
	w := newWorld(t, func(_ *polite.Transport, o *proxy.Options) { o.Admit, o.Secret = nil, "secret" })
	request := lines("GET http://shop.test/ HTTP/1.1", "Host: shop.test", "Proxy-Authorization: Basic "+base64.StdEncoding.EncodeToString([]byte(proxy.User+":secret")))
	conn := w.dial(t)
	r := bufio.NewReader(conn)
	for range 2 {
		_, err := io.WriteString(conn, request)
		require.NoError(t, err)
		resp, err := http.ReadResponse(r, nil)
		require.NoError(t, err)
		assert.Equal(t, 200, resp.StatusCode)
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(t, err)
		var last net.Conn
		for range 1025 {
			last = w.dial(t)
			_, err := io.WriteString(last, "GET http://shop.test/ HTTP/1.1\r\n")
			require.NoError(t, err)
		}
		assert.Equal(t, 407, w.raw(t, lines("GET http://shop.test/ HTTP/1.1", "Host: shop.test")).StatusCode, "and others are heard")
	}
}
