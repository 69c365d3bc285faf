package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chat answers as a WebSocket begins, says hello and repeats what it hears.
func chat(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "websocket" {
		http.Error(w, "no", http.StatusUpgradeRequired)
		return
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	fmt.Fprintf(buffered, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: %s\r\n\r\nhello", r.Header.Get("Sec-WebSocket-Key"))
	buffered.Flush()
	io.Copy(conn, buffered)
}

// upgrade is the request that begins a WebSocket.
func upgrade(target, host string) string {
	return lines("GET "+target+" HTTP/1.1", "Host: "+host, "Connection: keep-alive, Upgrade", "Upgrade: WebSocket",
		"Sec-WebSocket-Key: a2V5", "Sec-WebSocket-Version: 13")
}

// answerOn101 reads the head of an answer.
func answerOn101(t testing.TB, conn io.Reader) *http.Response {
	resp, err := http.ReadResponse(bufio.NewReaderSize(onlyOctets{conn}, 16), nil)
	require.NoError(t, err)
	return resp
}

// onlyOctets reads one octet at a time, so that nothing is read ahead.
type onlyOctets struct{ io.Reader }

func (o onlyOctets) Read(p []byte) (int, error) { return o.Reader.Read(p[:1]) }

// A WebSocket is judged as the GET that it begins with, and then passes.
func TestWebSocket(t *testing.T) {
	w := newWorld(t)
	w.web.Robots("", origintest.Text("user-agent: *\ndisallow: /private/\n"))
	w.web.Page("shop.test", "/chat", chat)
	w.web.Page("shop.test", "/private/chat", chat)
	for name, way := range map[string]func(path string) (net.Conn, string){
		"asked":  func(path string) (net.Conn, string) { return w.dial(t), "http://shop.test" + path },
		"tunnel": func(path string) (net.Conn, string) { return w.tunnel(t, "shop.test:80"), path },
		"TLS": func(path string) (net.Conn, string) {
			return w.secure(t, w.tunnel(t, "shop.test:443"), "shop.test"), path
		},
	} {
		w.web.Take()
		conn, target := way("/private/chat")
		_, err := io.WriteString(conn, upgrade(target, "shop.test"))
		require.NoError(t, err, name)
		assert.Equal(t, 403, answerOn101(t, conn).StatusCode, name)
		assert.Empty(t, w.web.Log().Pages(), name)

		conn, target = way("/chat")
		_, err = io.WriteString(conn, upgrade(target, "shop.test"))
		require.NoError(t, err, name)
		resp := answerOn101(t, conn)
		assert.Equal(t, 101, resp.StatusCode, name)
		assert.Equal(t, "a2V5", resp.Header.Get("Sec-Websocket-Accept"), name)
		said := make([]byte, len("hello"))
		_, err = io.ReadFull(conn, said)
		require.NoError(t, err, name)
		assert.Equal(t, "hello", string(said), name)
		_, err = io.WriteString(conn, "a word")
		require.NoError(t, err, name)
		said = make([]byte, len("a word"))
		_, err = io.ReadFull(conn, said)
		require.NoError(t, err, name)
		assert.Equal(t, "a word", string(said), name)
		assert.Equal(t, agent, w.web.Log().Pages()[0].Header.Get("User-Agent"), name)
	}
}

// Who has said all still hears the rest, on either side.
func TestHalfOfWebSocket(t *testing.T) {
	w := newWorld(t)
	heard := make(chan string, 1)
	w.web.Page("shop.test", "/chat", func(w http.ResponseWriter, r *http.Request) {
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		if r.URL.Query().Has("site") {
			closeWrite(conn)
		}
		all, _ := io.ReadAll(buffered)
		heard <- string(all)
		io.WriteString(conn, strings.Repeat("rest", 1<<20))
	})
	for name, way := range map[string]func(path string) (net.Conn, string){
		"asked":  func(path string) (net.Conn, string) { return w.dial(t), "http://shop.test" + path },
		"tunnel": func(path string) (net.Conn, string) { return w.tunnel(t, "shop.test:80"), path },
		"TLS": func(path string) (net.Conn, string) {
			return w.secure(t, w.tunnel(t, "shop.test:443"), "shop.test"), path
		},
	} {
		for _, first := range []string{"program", "site"} {
			conn, target := way("/chat?" + first)
			_, err := io.WriteString(conn, upgrade(target, "shop.test"))
			require.NoError(t, err, name)
			require.Equal(t, 101, answerOn101(t, conn).StatusCode, name)
			want := 4 << 20
			if first == "site" {
				n, err := conn.Read(make([]byte, 1))
				require.ErrorIs(t, err, io.EOF, name)
				require.Zero(t, n)
				want = 0
			}
			_, err = io.WriteString(conn, "all")
			require.NoError(t, err, name)
			closeWrite(conn)
			assert.Equal(t, "all", <-heard, name)
			rest, err := io.ReadAll(conn)
			assert.NoError(t, err, name)
			assert.Len(t, rest, want, name)
		}
	}
}

func closeWrite(conn net.Conn) { conn.(interface{ CloseWrite() error }).CloseWrite() }

// A site that refuses a WebSocket answers like any other, and one that changes to a protocol
// that nobody asked for is not let through.
func TestNoWebSocket(t *testing.T) {
	w := newWorld(t)
	w.web.Page("shop.test", "/tea", origintest.Status(http.StatusTeapot))
	w.web.Page("shop.test", "/other", origintest.Raw("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tea\r\n\r\n"))
	assert.Equal(t, http.StatusTeapot, w.raw(t, upgrade("http://shop.test/tea", "shop.test")).StatusCode)
	got := w.raw(t, lines("GET http://shop.test/other HTTP/1.1", "Host: shop.test", "Connection: Upgrade", "Upgrade: tea"))
	assert.Equal(t, http.StatusBadGateway, got.StatusCode)
	assert.Empty(t, got.Header.Get("Polite-Refused"))
	assert.Contains(t, got.body, "another protocol than it was asked for")
	w.web.Take()
	w.raw(t, lines("GET http://shop.test/ HTTP/1.1", "Host: shop.test", "Upgrade: websocket"))
	w.raw(t, lines("PUT http://shop.test/ HTTP/1.1", "Host: shop.test", "Connection: Upgrade", "Upgrade: websocket", "Content-Length: 0"))
	for _, a := range w.web.Log() {
		assert.NotContains(t, a.Header, "Upgrade", "%s", a.Method)
	}
}
