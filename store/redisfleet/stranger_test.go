package redisfleet_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/store/redisfleet"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answers starts a server that reads something, answers with a text, and waits. With "", it
// ends the connection.
func answers(t *testing.T, text string) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
			conn.Read(make([]byte, 1))
			if conn.Write([]byte(text)); text == "" {
				conn.Close()
			}
		}
	}()
	return l.Addr().String()
}

// Whoever answers, the error says what to write instead.
func TestStrangers(t *testing.T) {
	t.Parallel()
	empty := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	plain, secure := httptest.NewServer(empty), httptest.NewTLSServer(empty)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	web, secureWeb := strings.TrimPrefix(plain.URL, "http://"), strings.TrimPrefix(secure.URL, "https://")
	server := startServer(t)
	for _, test := range []struct{ name, url, want string }{
		{"a web server", "redis://" + web, "an HTTP server is there"},
		{"a web server, with TLS", "rediss://" + web, "an HTTP server is there"},
		{"a web server with TLS", "redis://" + secureWeb, "begin the URL with rediss://"},
		{"a web server with TLS, with TLS", "rediss://" + secureWeb + "?skip_verify=true", "an HTTP server is there"},
		{"an old web server", "redis://" + answers(t, "<html>"), "an HTTP server is there"},
		{"a server without TLS", "rediss://" + server.address() + "?dial_timeout=2s", "begin the URL with redis://"},
		{"a server that waits", "rediss://" + answers(t, "\x16") + "?dial_timeout=200ms", "begin the URL with redis://"},
		{"a server that refuses a handshake", "rediss://" + answers(t, "-ERR unknown command"), "begin the URL with redis://"},
		{"a server that alerts", "redis://" + answers(t, "\x15\x03\x03"), "begin the URL with rediss://"},
		{"a mail server", "redis://" + answers(t, "220 mail.example.org\r\n"), "check the address and the port"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := redisfleet.Open(ctx, test.url, redisfleet.Options{Prefix: "test"})
			require.ErrorContains(t, err, test.want)
			assert.ErrorContains(t, err, "redisfleet: ")
		})
	}
}
