package status_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/status"
	"github.com/go-polite/polite/public"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStatus(t *testing.T) {
	kinds := map[limit.Kind][]int{
		limit.Good:    {101, 200, 204, 206, 301, 304, 308},
		limit.Busy:    {429},
		limit.Down:    {503},
		limit.Barred:  {403},
		limit.Broken:  {500, 501, 502, 504, 505, 507, 508, 509, 511, 520, 522, 524, 525, 529, 530, 599},
		limit.Neutral: {-1, 0, 99, 400, 401, 402, 404, 405, 407, 408, 410, 418, 425, 451, 600, 999},
	}
	for kind, statuses := range kinds {
		for _, code := range statuses {
			assert.Equal(t, kind, status.LoadOf(t.Context(), &http.Response{StatusCode: code}, nil), code)
		}
	}
	assert.Equal(t, limit.Neutral, status.LoadOf(t.Context(), nil, nil))
}

// An answer that came before the caller left counts, and no error after it.
func TestStatusOfCallerThatLeft(t *testing.T) {
	left, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ctx := range []context.Context{left, atDeadline{t.Context()}} {
		assert.Equal(t, limit.Busy, status.LoadOf(ctx, &http.Response{StatusCode: 429}, nil))
		assert.Equal(t, limit.Neutral, status.LoadOf(ctx, nil, io.ErrUnexpectedEOF))
	}
}

// An atDeadline is a context whose deadline has come, a moment before it ends.
type atDeadline struct{ context.Context }

func (atDeadline) Deadline() (time.Time, bool) { return time.Unix(0, 0), true }

// What real servers do, as net/http tells of it.
func TestServers(t *testing.T) {
	web := httptest.NewUnstartedServer(http.NotFoundHandler())
	web.Config.ErrorLog = log.New(io.Discard, "", 0)
	web.StartTLS()
	t.Cleanup(web.Close)
	const (
		reset, closed = true, false
		part          = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	)
	for _, test := range []struct {
		name string
		url  string
		base *http.Transport
		want limit.Kind
	}{
		{"refuses", refusing(t), &http.Transport{}, limit.Refused},
		{"hangs up", hangingUp(t, closed, ""), &http.Transport{}, limit.Broken},
		{"resets", hangingUp(t, reset, ""), &http.Transport{}, limit.Broken},
		{"hangs up in the header", hangingUp(t, closed, part), &http.Transport{}, limit.Broken},
		{"is silent", silent(t, ""), &http.Transport{ResponseHeaderTimeout: 50 * time.Millisecond}, limit.Silent},
		{"is silent in the header", silent(t, part), &http.Transport{ResponseHeaderTimeout: 50 * time.Millisecond}, limit.Silent},
		{"is silent in the handshake", secure(silent(t, "")), &http.Transport{TLSHandshakeTimeout: 50 * time.Millisecond}, limit.Silent},
		{"is not connected in time", refusing(t), &http.Transport{DialContext: (&net.Dialer{Timeout: 1}).DialContext}, limit.Silent},
		{"has a certificate of its own", web.URL, &http.Transport{}, limit.Broken},
		{"speaks no TLS", secure(silent(t, "SSH-2.0-x\r\n")), &http.Transport{}, limit.Broken},
		{"speaks no HTTP", silent(t, "SSH-2.0-x\r\n"), &http.Transport{}, limit.Broken},
		{"has no name", "http://example.invalid/", resolving(&net.DNSError{Err: "no such host", IsNotFound: true}), limit.Broken},
		{"has a resolver that is silent", "http://example.invalid/", resolving(&net.DNSError{Err: "i/o timeout", IsTimeout: true}), limit.Broken},
		{"has another scheme", "gopher://example.com/", &http.Transport{}, limit.Broken},
	} {
		t.Run(test.name, func(t *testing.T) {
			resp, err := roundTrip(t, t.Context(), test.base, test.url)
			require.Error(t, err)
			assert.Equal(t, test.want, status.LoadOf(t.Context(), resp, err), "%T: %v", err, err)
			assert.Equal(t, test.want, status.LoadOf(t.Context(), resp, &url.Error{Op: "Get", Err: err}), "wrapped")
		})
	}
}

// If the caller leaves, an error says nothing of the server, whatever it looks like.
func TestCallerLeaves(t *testing.T) {
	for name, leave := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"deadline": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 50*time.Millisecond)
		},
		"deadline with a cause": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeoutCause(ctx, 50*time.Millisecond, os.ErrDeadlineExceeded)
		},
		"cancel": func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(50*time.Millisecond, cancel)
			return ctx, cancel
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := leave(t.Context())
			defer cancel()
			resp, err := roundTrip(t, ctx, &http.Transport{}, silent(t, ""))
			require.Error(t, err)
			assert.Equal(t, limit.Neutral, status.LoadOf(ctx, resp, err))
		})
	}
}

// The timeout of an http.Client is a deadline of the request's context.
func TestClientTimeout(t *testing.T) {
	said := make(chan limit.Kind, 1)
	client := &http.Client{Timeout: 50 * time.Millisecond, Transport: base(func(req *http.Request) (*http.Response, error) {
		base := &http.Transport{}
		defer base.CloseIdleConnections()
		resp, err := base.RoundTrip(req)
		said <- status.LoadOf(req.Context(), resp, err)
		return resp, err
	})}
	_, err := client.Get(silent(t, ""))
	require.Error(t, err)
	assert.Equal(t, limit.Neutral, <-said)
}

// A Base may have a deadline of its own, or another's errors.
func TestErrorsOfOthers(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	call := func(number syscall.Errno) error { return dial(os.NewSyscallError("connect", number)) }
	for _, test := range []struct {
		name string
		err  error
		want limit.Kind
	}{
		{"deadline of Base", context.DeadlineExceeded, limit.Silent},
		{"deadline of a socket", dial(os.ErrDeadlineExceeded), limit.Silent},
		{"cancelled by Base", fmt.Errorf("too many: %w", context.Canceled), limit.Neutral},
		{"refused", call(syscall.ECONNREFUSED), limit.Refused},
		{"refused, on Windows", call(10061), limit.Refused},
		{"all addresses refuse", errors.Join(call(syscall.ECONNREFUSED), call(syscall.ECONNREFUSED)), limit.Refused},
		{"reset, on Windows", call(10054), limit.Broken},
		{"timed out by the kernel", call(syscall.ETIMEDOUT), limit.Silent},
		{"sent away", errors.New(`http2: server sent GOAWAY and closed the connection; LastStreamID=7, ErrCode=ENHANCE_YOUR_CALM, debug=""`), limit.Broken},
		{"stream refused", errors.New("stream error: stream ID 9; REFUSED_STREAM; received from peer"), limit.Broken},
		{"stream ended by a handler", errors.New("stream error: stream ID 9; INTERNAL_ERROR; received from peer"), limit.Broken},
		{"no route", call(syscall.EHOSTUNREACH), limit.Broken},
		{"no network", call(syscall.ENETUNREACH), limit.Broken},
		{"too many files", call(syscall.EMFILE), limit.Broken},
		{"resolver refuses", dial(&net.DNSError{Err: "refused", UnwrapErr: syscall.ECONNREFUSED}), limit.Broken},
		{"an address that is not public", dial(public.ErrPrivate), limit.Neutral},
		{"cancelled in the old way", errors.New("net/http: request canceled while waiting for connection"), limit.Neutral},
		{"a header that cannot be sent", errors.New(`net/http: invalid header field value for "X"`), limit.Neutral},
		{"unknown", errors.New("x"), limit.Broken},
	} {
		assert.Equal(t, test.want, status.LoadOf(t.Context(), nil, test.err), test.name)
		assert.Equal(t, test.want, status.LoadOf(t.Context(), &http.Response{StatusCode: 200}, fmt.Errorf("x: %w", test.err)), "%s, wrapped", test.name)
	}
}

func TestString(t *testing.T) {
	seen := make(map[string]bool)
	for k := range limit.Challenged + 1 {
		seen[k.String()] = true
	}
	assert.Len(t, seen, int(limit.Challenged), "Down is busy, too")
	assert.NotContains(t, seen, "unknown")
	assert.Equal(t, "unknown", (limit.Challenged + 1).String())
}

func TestOfDoesNotAllocate(t *testing.T) {
	resp := &http.Response{StatusCode: 200}
	assert.Zero(t, testing.AllocsPerRun(100, func() { status.LoadOf(t.Context(), resp, nil) }))
}

type base func(*http.Request) (*http.Response, error)

func (b base) RoundTrip(req *http.Request) (*http.Response, error) { return b(req) }

func roundTrip(t *testing.T, ctx context.Context, base *http.Transport, url string) (*http.Response, error) {
	t.Cleanup(base.CloseIdleConnections)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := base.RoundTrip(req)
	if err == nil {
		resp.Body.Close()
	}
	return resp, err
}

func secure(url string) string { return "https" + url[len("http"):] }

// resolving returns a Base whose resolver fails.
func resolving(err error) *http.Transport {
	return &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}}
}

// refusing returns the URL of a port that nobody listens on any more.
func refusing(t *testing.T) string {
	listener, url := listen(t)
	require.NoError(t, listener.Close())
	return url
}

// serving returns the URL of a server that reads the beginning of a request, and then
// does what serve does with the connection.
func serving(t *testing.T, serve func(net.Conn)) string {
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait) // after the listener is closed
	listener, url := listen(t)
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer conn.Close()
				if _, err := io.ReadAtLeast(conn, make([]byte, 4096), 1); err == nil {
					serve(conn)
				}
			})
		}
	})
	return url
}

// hangingUp returns the URL of a server that writes text and ends the connection.
func hangingUp(t *testing.T, reset bool, text string) string {
	return serving(t, func(conn net.Conn) {
		io.WriteString(conn, text)
		if reset {
			conn.(*net.TCPConn).SetLinger(0)
		}
	})
}

// silent returns the URL of a server that writes text, and no more until the client hangs
// up.
func silent(t *testing.T, text string) string {
	return serving(t, func(conn net.Conn) {
		io.WriteString(conn, text)
		io.Copy(io.Discard, conn)
	})
}

func listen(t *testing.T) (net.Listener, string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	return listener, "http://" + listener.Addr().String() + "/"
}
