package proxy_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/proxy"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program that hangs up while its request waits is not sent, with whatever body.
func TestHangUp(t *testing.T) {
	head := func(fields ...string) string {
		return lines(append([]string{"POST http://shop.test/left HTTP/1.1", "Host: shop.test"}, fields...)...)
	}
	for name, request := range map[string]string{
		"no body":         lines("GET http://shop.test/left HTTP/1.1", "Host: shop.test"),
		"a short body":    head("Content-Length: 3") + "abc",
		"half of one":     head("Content-Length: 3") + "a",
		"a long body":     head("Content-Length: 1000000") + strings.Repeat("x", 100),
		"chunks":          head("Transfer-Encoding: chunked") + "3\r\nabc\r\n0\r\n\r\n",
		"asks beforehand": head("Content-Length: 3", "Expect: 100-continue"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			waits := make(chan struct{}, 1)
			w := newWorld(t, func(transport *polite.Transport, _ *proxy.Options) {
				transport.Trace.Waits = func(*http.Request, time.Time) { waits <- struct{}{} }
			})
			if runtime.GOOS != "linux" && (name == "a long body" || name == "chunks" || name == "asks beforehand") {
				t.Skip("only Linux tells")
			}
			w.web.Robots("", origintest.Text("user-agent: *\ncrawl-delay: 1\n"))
			get(t, w.client(t), "http://shop.test/first")
			conn := w.dial(t)
			_, err := io.WriteString(conn, request)
			require.NoError(t, err)
			if name != "half of one" { // which never gets a place
				<-waits
			}
			require.NoError(t, conn.Close())
			assert.EventuallyWithT(t, func(t *assert.CollectT) {
				assert.EqualValues(t, 1, w.proxy.Summary().Left)
			}, 20*time.Second, 10*time.Millisecond)
			get(t, w.client(t), "http://shop.test/last")
			assert.Equal(t, "GET http://shop.test/first\nGET http://shop.test/last\n", w.web.Log().Pages().String())
		})
	}
}

// A program that asks whether to send a body is asked for it by the site, and not before the
// request has its turn. If it is refused, it sends nothing, and neither does the proxy.
func TestExpect(t *testing.T) {
	w := newWorld(t)
	w.web.Robots("", origintest.Text("user-agent: *\ndisallow: /private/\n"))
	got := make(chan string, 1)
	w.web.Page("shop.test", "/form", func(_ http.ResponseWriter, r *http.Request) {
		all, _ := io.ReadAll(r.Body)
		got <- string(all)
	})
	w.web.Page("shop.test", "/full", origintest.Status(http.StatusInsufficientStorage))
	begin := func(path string) (net.Conn, *bufio.Reader, string) {
		conn := w.dial(t)
		_, err := io.WriteString(conn, lines("PUT http://shop.test"+path+" HTTP/1.1", "Host: shop.test", "Content-Length: 4", "Expect: 100-continue"))
		require.NoError(t, err)
		r := bufio.NewReader(conn)
		status, err := r.ReadString('\n')
		require.NoError(t, err)
		return conn, r, strings.TrimSpace(status)
	}
	_, _, status := begin("/private/form")
	assert.Equal(t, "HTTP/1.1 403 Forbidden", status)
	assert.Empty(t, w.web.Log().Pages())

	_, _, status = begin("/full")
	assert.Equal(t, "HTTP/1.1 507 Insufficient Storage", status, "the site does not want it")

	conn, r, status := begin("/form")
	assert.Equal(t, "HTTP/1.1 100 Continue", status)
	_, err := io.WriteString(conn, "body")
	require.NoError(t, err)
	_, err = r.ReadString('\n')
	require.NoError(t, err)
	resp, err := http.ReadResponse(r, nil)
	require.NoError(t, err)
	assert.Equal(t, 200, resp.StatusCode)
	resp.Body.Close()
	assert.Equal(t, "body", <-got)
}

// Shutdown ends all that is open: idle programs, tunnels through which nothing came, WebSockets
// and requests that wait.
func TestShutdown(t *testing.T) {
	w := newWorld(t)
	w.web.Page("shop.test", "/hang", origintest.Hang)
	w.web.Page("shop.test", "/chat", chat)
	asked := w.dial(t)
	_, err := io.WriteString(asked, lines("GET http://shop.test/hang HTTP/1.1", "Host: shop.test"))
	require.NoError(t, err)
	young, idle := w.tunnel(t, "shop.test:443"), w.secure(t, w.tunnel(t, "shop.test:443"), "shop.test")
	talk := w.dial(t)
	_, err = io.WriteString(talk, upgrade("http://shop.test/chat", "shop.test"))
	require.NoError(t, err)
	require.Equal(t, 101, answerOn101(t, talk).StatusCode)
	assert.EventuallyWithT(t, func(t *assert.CollectT) {
		assert.Len(t, w.web.Log().Pages(), 2)
	}, 20*time.Second, 10*time.Millisecond)

	soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	assert.ErrorIs(t, w.proxy.Shutdown(soon), context.DeadlineExceeded)
	w.serving.Wait()
	tally := w.proxy.Summary()
	assert.EqualValues(t, 2, tally.Sent+tally.Left, "when Serve returns, nothing goes on")
	for i, conn := range []net.Conn{asked, young, idle, talk} {
		_, err := io.Copy(io.Discard, conn)
		if err != nil {
			assert.NotErrorIs(t, err, context.DeadlineExceeded, "%d", i)
			assert.NotContains(t, err.Error(), "timeout", "%d", i)
		}
	}
	_, err = net.Dial("tcp", w.address)
	assert.Error(t, err)
}

// Over HTTP/2, the request that nobody waits for is not sent, and the others on its connection
// go on.
func TestHangUpBesideOthers(t *testing.T) {
	waits, more := make(chan struct{}, 1), make(chan struct{})
	w := newWorld(t, func(transport *polite.Transport, _ *proxy.Options) {
		transport.Trace.Waits = func(*http.Request, time.Time) { waits <- struct{}{} }
	})
	w.web.Robots("", origintest.Text("user-agent: *\ncrawl-delay: 1\n"))
	w.web.Page("shop.test", "/long", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "one\n")
		w.(http.Flusher).Flush()
		<-more
		io.WriteString(w, "two\n")
	})
	resp, err := w.client(t).Get("https://shop.test/long")
	require.NoError(t, err)
	defer resp.Body.Close()
	conn := w.dial(t)
	_, err = io.WriteString(conn, lines("POST https://shop.test/left HTTP/1.1", "Host: shop.test", "Content-Length: 1000000")+strings.Repeat("x", 100))
	require.NoError(t, err)
	<-waits
	require.NoError(t, conn.Close())
	assert.EventuallyWithT(t, func(t *assert.CollectT) {
		assert.EqualValues(t, 1, w.proxy.Summary().Left)
	}, 20*time.Second, 10*time.Millisecond)
	close(more)
	all, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.Equal(t, "one\ntwo\n", string(all))
	assert.Equal(t, "GET https://shop.test/long\n", w.web.Log().Pages().String())
}

// However many programs hang up before their turns, none of their uploads arrives.
func TestManyHangUp(t *testing.T) {
	const many = 24
	waits := make(chan struct{}, many)
	w := newWorld(t, func(transport *polite.Transport, o *proxy.Options) {
		o.MaxWait = time.Hour
		transport.Trace.Waits = func(*http.Request, time.Time) { waits <- struct{}{} }
	})
	w.web.Robots("", origintest.Text("user-agent: *\ncrawl-delay: 5\n"))
	get(t, w.client(t), "http://shop.test/first")
	var conns []net.Conn
	for range many {
		conn := w.dial(t)
		_, err := io.WriteString(conn, lines("POST http://shop.test/left HTTP/1.1", "Host: shop.test", "Content-Length: 3")+"abc")
		require.NoError(t, err)
		conns = append(conns, conn)
		<-waits
	}
	for _, conn := range conns {
		require.NoError(t, conn.Close())
	}
	get(t, w.client(t), "http://shop.test/last")
	assert.NotContains(t, w.web.Log().Pages().String(), "left")
	assert.EqualValues(t, many, w.proxy.Summary().Left)
}
