package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/proxy"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the site sees of a program is that it is polite.
func TestProgramIsPolite(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			w := newWorld(t)
			w.web.Robots("", origintest.Text("user-agent: *\ndisallow: /private/\n"))
			c := w.client(t)
			assert.Equal(t, "a page\n", get(t, c, scheme+"://shop.test/a?b=c;d&e=%2f", "User-Agent", "curl/8").body)
			assert.Equal(t, 403, get(t, c, scheme+"://shop.test/private/x").StatusCode)
			assert.Equal(t, 200, send(t, c, "POST", scheme+"://shop.test/form", strings.NewReader("a=b")).StatusCode)
			assert.Equal(t, 403, send(t, c, "POST", scheme+"://shop.test/private/form", strings.NewReader("a=b")).StatusCode)

			log := w.web.Log()
			assert.Len(t, log.Robots(), 1)
			assert.Equal(t, fmt.Sprintf("GET %[1]s://shop.test/robots.txt\nGET %[1]s://shop.test/a?b=c;d&e=%%2f\nPOST %[1]s://shop.test/form\n", scheme), log.String())
			for _, a := range log {
				assert.Equal(t, agent, a.Header.Get("User-Agent"))
				for _, name := range []string{"Via", "X-Forwarded-For", "Forwarded", "Proxy-Connection"} {
					assert.NotContains(t, a.Header, name)
				}
			}
			tally := w.proxy.Summary()
			assert.EqualValues(t, 4, tally.Requests)
			assert.EqualValues(t, 2, tally.Sent)
			assert.Equal(t, map[string]int64{report.KindDisallowed: 2}, tally.Refused)
		})
	}
}

// The paths and queries that a program sends arrive as they are.
func TestTargetsStay(t *testing.T) {
	w := newWorld(t)
	w.raw(t, lines("GET http://shop.test/ HTTP/1.1", "Host: shop.test")) // without a User-Agent
	assert.Equal(t, []string{agent}, w.web.Take().Pages()[0].Header["User-Agent"])
	targets := []string{"/", "/?", "/a%2Fb", "//a//b", "/./a/../b", "/a?x=%zz&&;", "/%7Ea/~a", "/a;b?c", "/?a?b"}
	for _, target := range targets {
		r := w.raw(t, lines("GET http://shop.test"+target+" HTTP/1.1", "Host: other.test", "Connection: close"))
		assert.Equal(t, 200, r.StatusCode, target)
	}
	var got []string
	for _, a := range w.web.Log().Pages() {
		got = append(got, a.URI)
		assert.Equal(t, "shop.test", a.Host, "the URL counts (RFC 9112 §3.2.2)")
	}
	assert.Equal(t, targets, got)
}

// Bodies pass in both directions, whatever their size, their encoding and their end.
func TestBodiesPass(t *testing.T) {
	w := newWorld(t)
	w.web.Page("shop.test", "/echo", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length-Was", fmt.Sprint(r.ContentLength))
		w.Header().Set("Trailer", "Sum")
		w.Header().Set("Content-Encoding", "zstd")
		all, _ := io.ReadAll(r.Body)
		w.Write(all)
		w.Header().Set("Sum", fmt.Sprint(len(all), r.Trailer.Get("Check")))
	})
	c := w.client(t)
	for _, scheme := range []string{"http", "https"} {
		for _, size := range []int{1, 64 << 10, 64<<10 + 1, 3 << 20} {
			for _, chunked := range []bool{false, true} {
				sent := bytes.Repeat([]byte{'x', 0}, size/2+1)[:size]
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, scheme+"://shop.test/echo", bytes.NewReader(sent))
				require.NoError(t, err)
				want := fmt.Sprint(size, "")
				if chunked {
					req.ContentLength, req.Trailer = -1, http.Header{"Check": {"yes"}}
					want = fmt.Sprint(size, "yes")
				}
				resp, err := c.Do(req)
				require.NoError(t, err)
				got, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				assert.True(t, bytes.Equal(sent, got), "%s, %d octets", scheme, size)
				assert.Equal(t, fmt.Sprint(req.ContentLength), resp.Header.Get("Content-Length-Was"))
				assert.Equal(t, want, resp.Trailer.Get("Sum"))
				assert.Equal(t, "zstd", resp.Header.Get("Content-Encoding"))
			}
		}
	}
}

// What is about one connection goes no further.
func TestHopFieldsGo(t *testing.T) {
	w := newWorld(t)
	w.web.Page("shop.test", "/", func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Connection", "X-Own")
		h.Set("X-Own", "1")
		h.Set("Keep-Alive", "timeout=1")
		h.Set("Alt-Svc", `h3=":443"`)
		h.Set("Polite-Refused", "disallowed")
		h.Set("X-Page", "1")
		h["Set-Cookie"] = []string{"a=b", "c=d"}
	})
	got := w.raw(t, lines("GET http://shop.test/ HTTP/1.1", "Host: shop.test", "Connection: close, X-Mine", "X-Mine: 1", "Keep-Alive: 5",
		"Proxy-Authorization: Basic eDp5", "Proxy-Connection: keep-alive", "Te: trailers, gzip", "Upgrade: h2c", "X-Forwarded-For: 1.2.3.4", "Cookie: a=b"))
	page := w.web.Log().Pages()[0].Header
	for _, name := range []string{"X-Mine", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Upgrade", "Connection"} {
		assert.NotContains(t, page, name)
	}
	assert.Equal(t, []string{"trailers"}, page["Te"])
	assert.Equal(t, []string{"1.2.3.4"}, page["X-Forwarded-For"], "what the program says itself")
	assert.Equal(t, []string{"a=b"}, page["Cookie"])
	for _, name := range []string{"X-Own", "Keep-Alive", "Alt-Svc", "Polite-Refused"} {
		assert.NotContains(t, got.Header, name)
	}
	assert.Equal(t, "1", got.Header.Get("X-Page"))
	assert.Equal(t, []string{"a=b", "c=d"}, got.Header["Set-Cookie"])
}

// A program reads what the site has sent so far, before the site has sent all.
func TestAnswersStream(t *testing.T) {
	w := newWorld(t)
	more := make(chan struct{})
	w.web.Page("shop.test", "/events", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "one\n")
		w.(http.Flusher).Flush()
		<-more
		io.WriteString(w, "two\n")
	})
	resp, err := w.client(t).Get("https://shop.test/events")
	require.NoError(t, err)
	defer resp.Body.Close()
	first := make([]byte, 4)
	_, err = io.ReadFull(resp.Body, first)
	require.NoError(t, err)
	assert.Equal(t, "one\n", string(first))
	close(more)
	rest, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.Equal(t, "two\n", string(rest))
}

// An answer may come while the program still sends, and the rest of what it sends arrives.
func TestBothWaysAtOnce(t *testing.T) {
	w := newWorld(t)
	w.web.Page("shop.test", "/talk", func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		word := make([]byte, 4)
		for range 2 {
			if _, err := io.ReadFull(r.Body, word); err != nil {
				return
			}
			w.Write(word)
			w.(http.Flusher).Flush()
		}
	})
	conn := w.dial(t)
	_, err := io.WriteString(conn, lines("POST http://shop.test/talk HTTP/1.1", "Host: shop.test", "Transfer-Encoding: chunked")+"4\r\none\n\r\n")
	require.NoError(t, err)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer resp.Body.Close()
	word := make([]byte, 4)
	_, err = io.ReadFull(resp.Body, word)
	require.NoError(t, err)
	assert.Equal(t, "one\n", string(word))
	_, err = io.WriteString(conn, "4\r\ntwo\n\r\n0\r\n\r\n")
	require.NoError(t, err)
	_, err = io.ReadFull(resp.Body, word)
	require.NoError(t, err)
	assert.Equal(t, "two\n", string(word))
}

// What a site does not say of its page, the proxy does not say either.
func TestNobodyGuesses(t *testing.T) {
	w := newWorld(t)
	w.web.Page("shop.test", "/", origintest.Raw("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>"))
	got := get(t, w.client(t), "http://shop.test/")
	assert.Equal(t, "<html>", got.body)
	assert.NotContains(t, got.Header, "Content-Type")
}

// A body that the site cuts short does not look whole.
func TestCutBodyIsCut(t *testing.T) {
	w := newWorld(t)
	w.web.Page("shop.test", "/cut", origintest.CutChunked("half"))
	w.web.Page("shop.test", "/short", origintest.Cut("half"))
	for _, page := range []string{"http://shop.test/cut", "https://shop.test/cut", "http://shop.test/short"} {
		resp, err := w.client(t).Get(page)
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		assert.Error(t, err, page)
	}
}

// A program that speaks HTTP/2 gets HTTP/2, and its requests take turns like all others.
func TestHTTP2(t *testing.T) {
	w := newWorld(t)
	w.web.Robots("", origintest.Text("user-agent: *\ndisallow: /private/\n"))
	c := w.client(t)
	c.Transport.(*http.Transport).ForceAttemptHTTP2 = true
	page := get(t, c, "https://shop.test/a")
	assert.Equal(t, 2, page.ProtoMajor)
	assert.Equal(t, "a page\n", page.body)
	refused := get(t, c, "https://shop.test/private/a")
	assert.Equal(t, 403, refused.StatusCode)
	assert.Equal(t, "https://shop.test/robots.txt:2", refused.Header.Get("Polite-Rule"))
	assert.Len(t, w.web.Log().Pages(), 1)
	assert.EqualValues(t, 1, w.proxy.Summary().Tunnels)
}

// Over HTTP/2, a program that uploads before its turn has come has to wait.
func TestSlowUpload(t *testing.T) {
	w := newWorld(t)
	w.web.Robots("", origintest.Text("user-agent: *\ncrawl-delay: 20\n"))
	c := w.client(t)
	c.Transport.(*http.Transport).ForceAttemptHTTP2 = true
	get(t, c, "https://shop.test/a")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	body := new(counted)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://shop.test/b", body)
	require.NoError(t, err)
	_, err = c.Do(req)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.LessOrEqual(t, body.Load(), int64(256<<10))
}

// A counted is a body without an end.
type counted struct{ atomic.Int64 }

func (c *counted) Read(p []byte) (int, error) {
	n := min(len(p), 1<<10)
	c.Add(int64(n))
	return n, nil
}

// A tunnel may have HTTP without TLS in it.
func TestPlainTunnel(t *testing.T) {
	w := newWorld(t)
	for _, method := range []string{"GET", "ACL", "ZIP"} { // of any letter
		conn := w.tunnel(t, "shop.test:80")
		_, err := io.WriteString(conn, lines(method+" /a HTTP/1.1", "Host: shop.test"))
		require.NoError(t, err)
		assert.Equal(t, "a page\n", answerOn(t, conn).body)
	}
	assert.Equal(t, "GET http://shop.test/robots.txt\nGET http://shop.test/a\nACL http://shop.test/a\nZIP http://shop.test/a\n", w.web.Log().String())
}

// A program's own request for robots.txt is answered octet for octet, and the site is asked
// once.
func TestOwnRobots(t *testing.T) {
	const text = "\xef\xbb\xbfUser-agent: *\r\nDisallow: /x # \xff\r\n\r\n"
	w := newWorld(t)
	w.web.Robots("shop.test", origintest.Text(text))
	w.web.Robots("none.test", origintest.Status(http.StatusGone))
	w.web.Robots("down.test", origintest.Status(http.StatusInternalServerError))
	c := w.client(t)
	for range 2 {
		assert.Equal(t, text, get(t, c, "https://shop.test/robots.txt").body)
		assert.Equal(t, http.StatusGone, get(t, c, "https://none.test/robots.txt").StatusCode)
		down := get(t, c, "https://down.test/robots.txt")
		assert.Equal(t, http.StatusServiceUnavailable, down.StatusCode)
		assert.Equal(t, report.KindNoRules, down.Header.Get("Polite-Refused"))
		assert.Equal(t, 1, strings.Count(down.body, "\n"), "it is told once")
	}
	head := send(t, c, http.MethodHead, "https://shop.test/robots.txt", nil)
	assert.EqualValues(t, len(text), head.ContentLength)
	for _, page := range []string{"a", "robots.txt?", "robots.txt?x"} {
		assert.Equal(t, 200, get(t, c, "https://shop.test/"+page).StatusCode)
	}
	log := w.web.Log()
	assert.Len(t, log.At("shop.test").Pages(), 3)
	assert.Len(t, log.At("shop.test").Robots(), 1)
	assert.Len(t, log.At("none.test").Robots(), 1)
	assert.EqualValues(t, 5, w.proxy.Summary().Robots)
}

// Without the text, the site is asked like for any page.
func TestOwnRobotsUnknown(t *testing.T) {
	w := newWorld(t, func(_ *polite.Transport, o *proxy.Options) { o.Robots = nil })
	w.web.Robots("shop.test", origintest.Text("# here"))
	assert.Equal(t, "# here", get(t, w.client(t), "https://shop.test/robots.txt").body)
}
