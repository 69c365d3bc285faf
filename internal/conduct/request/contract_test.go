package request

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	plain  = "http://example.com/page"
	secure = "https://example.com/page"
)

var large = strings.Repeat("0123456789abcdef", 1<<18) // 4 MiB

// One request and what comes of it.
func TestContractExchange(t *testing.T) {
	onSockets(t, []check{
		{"GET", nil, send("GET", plain), "GET /page HTTP/1.1 of example.com, length 0"},
		{"no method", nil, send("GET", plain, with(func(r *http.Request) { r.Method = "" })), "GET /page"},
		{"HEAD", origintest.Status(200, "Content-Length", "7"), send("HEAD", plain), `HTTP/1.1 200 OK, length 7`},
		{"POST", nil, send("POST", plain, sized("a=b")), `length 3, coding []\nheader`},
		{"streamed POST", nil, send("POST", plain, streamed("a=b")), `length -1, coding [chunked]\n`},
		{"empty POST", nil, send("POST", plain, streamed("")), "body closed 1 times"},
		{"large POST", nil, send("POST", plain, sized(large)), "body 4194304 bytes"},
		{"large streamed POST", nil, send("POST", plain, streamed(large)), "body 4194304 bytes"},
		{"large answer", origintest.Text(large), send("GET", plain), "body: 4194304 bytes"},
		{"OPTIONS", nil, send("OPTIONS", plain), "OPTIONS /page"},
		{"another method", nil, send("PROPFIND", plain, sized("<a/>")), "PROPFIND /page"},
		{"query", nil, send("GET", plain+"?b=2&a=%31&a"), "GET /page?b=2&a=%31&a"},
		{"other Host", nil, send("GET", "http://192.0.2.1/page", host("example.com")), "of example.com"},
		{"user and password", nil, send("GET", "http://user:secret@example.com/page"), "header map[Accept-Encoding:[gzip] User"},
		{"header", nil, send("GET", plain, with(func(r *http.Request) { r.Header["X"] = []string{"1", "2"} })), "X:[1 2]"},
		{"trailer of the request", nil, send("POST", plain, streamed("a=b"), trailer("X-Sum", "1")), `trailer map[X-Sum:[1]]`},
		{"trailer of the answer", trailing, send("GET", plain), `body: "a page\n", <nil>, trailer: map[X-Sum:[1]]`},
		{"gzip, decoded", origintest.Gzip("a page\n"), send("GET", plain), `length -1, coding [], uncompressed true`},
		{"gzip, asked for", origintest.Gzip("a page\n"), send("GET", plain, header("Accept-Encoding", "gzip")), `Content-Encoding:[gzip]`},
		{"no length", streaming("a ", "page\n"), send("GET", plain), `length -1, coding [chunked]`},
		{"to be closed", nil, send("GET", plain, with(func(r *http.Request) { r.Close = true })), "close true"},
		{"closed by the server", origintest.Status(200, "Connection", "close"), send("GET", plain), "close true"},
		{"HTTP/1.0", origintest.Raw("HTTP/1.0 200 OK\r\n\r\na page"), send("GET", plain), `HTTP/1.0 200 OK, length -1`},
		{"204", origintest.Status(204), send("GET", plain), "204 No Content, length 0, coding [], uncompressed false, close false, TLS false, empty true"},
		{"304", origintest.Status(304, "ETag", `"1"`), send("GET", plain, header("If-None-Match", `"1"`)), "304 Not Modified"},
		{"302, not followed", origintest.Redirect("/private"), send("GET", plain), "302 Found"},
		{"404", origintest.Status(404), send("GET", plain), "404 Not Found"},
		{"503", origintest.Status(503, "Retry-After", "1"), send("GET", plain), "503 Service Unavailable"},
		{"an odd status", origintest.Raw("HTTP/1.1 299 Fine by me\r\nContent-Length: 0\r\n\r\n"), send("GET", plain), "299 Fine by me"},
		{"HTTP/2", nil, send("GET", secure), "GET /page HTTP/2.0 of example.com"},
		{"POST by HTTP/2", nil, send("POST", secure, sized("a=b")), "length 3"},
		{"large POST by HTTP/2", nil, send("POST", secure, streamed(large)), "body 4194304 bytes"},
		{"HEAD by HTTP/2", origintest.Status(200, "Content-Length", "7"), send("HEAD", secure), `HTTP/2.0 200 OK, length 7`},
		{"trailer of an HTTP/2 request", nil, send("POST", secure, streamed("a=b"), trailer("X-Sum", "1")), `trailer map[X-Sum:[1]]`},
		{"trailer of an HTTP/2 answer", trailing, send("GET", secure), `trailer: map[X-Sum:[1]]`},
		{"gzip by HTTP/2", origintest.Gzip("a page\n"), send("GET", secure), `uncompressed true`},
	})
}

// What cannot be sent or does not arrive: the error, and a body that is closed.
func TestContractError(t *testing.T) {
	onSockets(t, []check{
		{"no URL", nil, send("POST", plain, sized("a=b"), with(func(r *http.Request) { r.URL = nil })), "error: http: nil Request.URL\nbody closed 1 times"},
		{"another scheme", nil, send("POST", "ftp://example.com/", sized("a=b")), `error: unsupported protocol scheme "ftp"`},
		{"invalid method", nil, send("POST", plain, sized("a=b"), with(func(r *http.Request) { r.Method = "A B" })), `error: net/http: invalid method "A B"`},
		{"invalid header", nil, send("POST", plain, sized("a=b"), header("X", "a\nb")), `error: net/http: invalid header field value for "X"`},
		{"invalid header name", nil, send("POST", plain, sized("a=b"), header("a b", "c")), `error: net/http: invalid header field name "a b"`},
		{"invalid trailer", nil, send("POST", plain, streamed("a=b"), trailer("X", "a\nb")), `error: net/http: invalid trailer field value`},
		{"body that fails", nil, send("POST", plain, from(iotest.ErrReader(errors.New("out of paper")))), "error: out of paper"},
		{"answer cut short", origintest.Cut("a page\n"), send("GET", plain), `body: "a page\n", unexpected EOF`},
		{"chunks cut short", origintest.CutChunked("a page\n"), send("GET", plain), `body: "a page\n", unexpected EOF`},
		{"HTTP/2 answer cut short", origintest.Cut("a page\n"), send("GET", secure), `body: "a page\n"`},
		{"not HTTP", origintest.Raw("hello\r\n\r\n"), send("GET", plain), `error: net/http: HTTP/1.x transport connection broken: malformed HTTP response "hello"`},
		{"no such host", nil, visited(plain, harmed(plain, func(w *witness) { w.web.Lose("example.com") })), "error: dial tcp: lookup example.com: no such host\nbody closed 1 times"},
		{"bad certificate", nil, visited(secure, harmed(secure, func(w *witness) { w.web.Distrust("example.com") })), "error: tls: failed to verify certificate"},
	})
}

// harmed sends a request when something has happened to the server.
func harmed(url string, harm func(*witness)) func(*witness) {
	return func(w *witness) {
		harm(w)
		w.exchange(w.request("POST", url, sized("a=b")))
	}
}

// Many requests at the same time.
func TestContractConcurrency(t *testing.T) {
	many := func(url string) func(*witness) {
		return func(w *witness) {
			var answers [50]string
			var sending sync.WaitGroup
			for i := range answers {
				sending.Go(func() { answers[i] = w.answer(url, fmt.Sprintf("request %02d", i)) })
			}
			sending.Wait()
			w.note("%s", strings.Join(answers[:], ""))
		}
	}
	onSockets(t, []check{
		{"HTTP/1.1", nil, many(plain), `"request 49"`},
		{"HTTP/2", nil, many(secure), `"request 49"`},
	})
}

// answer sends text to an echo and returns what it answers.
func (w *witness) answer(url, text string) string {
	resp, err := w.roundTrip(w.request("POST", url, sized(text)))
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return fmt.Sprintln(string(body), err)
}

// A request without a User-Agent is sent as a copy that has one, and the Response
// tells of that; but for the header it is the request.
func TestResponseRequest(t *testing.T) {
	web := origintest.New(t)
	req, err := http.NewRequestWithContext(t.Context(), "GET", plain, nil)
	require.NoError(t, err)
	resp, err := conduct.NewTransport(t, web).RoundTrip(req)
	require.NoError(t, err)
	resp.Body.Close()
	assert.Empty(t, req.Header)
	assert.Equal(t, http.Header{"User-Agent": {conduct.UserAgent}}, resp.Request.Header)
	assert.Same(t, req.URL, resp.Request.URL)
	assert.Equal(t, req.Context(), resp.Request.Context())
}

func host(name string) edit {
	return with(func(req *http.Request) { req.Host = name })
}

func trailer(name, value string) edit {
	return with(func(req *http.Request) { req.Trailer = http.Header{name: {value}} })
}

func trailing(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Trailer", "X-Sum")
	io.WriteString(w, "a page\n")
	w.Header().Set("X-Sum", "1")
}

// streaming sends each part as soon as it can.
func streaming(parts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, part := range parts {
			io.WriteString(w, part)
			http.NewResponseController(w).Flush()
		}
	}
}
