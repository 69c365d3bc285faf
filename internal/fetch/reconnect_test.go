package fetch_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What go-retryablehttp does by itself, and what is made of it here.

// It tries again after everything but a few errors that it knows by their text.
func TestRetriesOnlyBrokenConnections(t *testing.T) {
	tests := []struct {
		err   error
		tries int
	}{
		{io.EOF, 3},
		{io.ErrUnexpectedEOF, 3},
		{&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, 3},
		{&net.OpError{Op: "write", Err: os.NewSyscallError("write", syscall.EPIPE)}, 3},
		{&net.DNSError{Err: "server misbehaving", IsTemporary: true}, 3},
		{&net.DNSError{Err: "no such host", IsNotFound: true}, 1},
		{&net.DNSError{Err: "no such host", IsNotFound: true, IsTemporary: true}, 1},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, 1},
		{x509.UnknownAuthorityError{}, 1},
		{fmt.Errorf("wrapped: %w", &tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{}, Host: "a"}}), 1},
		{tls.AlertError(40), 1},
		{tls.RecordHeaderError{}, 1},
		{errors.New("of the user's own"), 1},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			tries := 0
			_, err := ask(t, base(func(*http.Request) (*http.Response, error) { tries++; return nil, test.err }))
			assert.EqualError(t, err, test.err.Error())
			assert.Equal(t, test.tries, tries, "%v", test.err)
		})
	}
}

// It waits one second and more, without jitter, and as long as Retry-After says.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries []time.Time
		client := fetch.New(options(base(func(*http.Request) (*http.Response, error) {
			tries = append(tries, time.Now())
			return nil, io.EOF
		}), time.Minute))

		waits := make(map[time.Duration]bool)
		for range 50 {
			tries = nil
			_, err := get(t, client, example)
			require.ErrorIs(t, err, io.EOF)
			require.Len(t, tries, 3)
			for i, low := range []time.Duration{100 * time.Millisecond, 200 * time.Millisecond} {
				wait := tries[i+1].Sub(tries[i])
				assert.GreaterOrEqual(t, wait, low)
				assert.Less(t, wait, 3*low)
				waits[wait] = true
			}
		}
		assert.Greater(t, len(waits), 90, "different waits of 100")
	})
}

func TestIgnoresRetryAfter(t *testing.T) {
	for _, value := range []string{"3600", "99999999999999999", "-5", "Fri, 31 Dec 9999 23:59:59 GMT"} {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("example.com", origintest.Status(503, "Retry-After", value))
			start := time.Now()
			answer, err := ask(t, web.Transport(t))
			require.NoError(t, err)
			assert.Equal(t, 503, answer.Status)
			assert.Zero(t, time.Since(start))
		})
	}
}

// It loses the response of a last try that failed, or returns it beside an error.
func TestStatusIsKept(t *testing.T) {
	for status := 500; status < 600; status++ {
		closed := 0
		answer, err := ask(t, base(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Body: closer{strings.NewReader("x"), func() { closed++ }}}, nil
		}))
		require.NoError(t, err)
		assert.Equal(t, status, answer.Status)
		assert.Positive(t, closed, "body closed")
	}
}

// It closes the idle connections of the user's transport after every failure.
func TestLeavesIdleConnections(t *testing.T) {
	counter := &idleCloser{}
	_, err := ask(t, counter)
	require.Error(t, err)
	assert.Zero(t, counter.closed)
}

type idleCloser struct{ closed int }

func (c *idleCloser) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("refused")
}
func (c *idleCloser) CloseIdleConnections() { c.closed++ }

// It does not read bodies, so that one that is cut is not tried again; and what
// reads them has to close them.
func TestBodyOfEachTryIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened, closed := 0, 0
		_, err := ask(t, base(func(*http.Request) (*http.Response, error) {
			opened++
			return &http.Response{StatusCode: 200, Body: closer{io.MultiReader(strings.NewReader("user-agent"), broken{}), func() { closed++ }}}, nil
		}))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.Equal(t, 3, opened)
		assert.GreaterOrEqual(t, closed, 3)
	})
}

type closer struct {
	io.Reader
	close func()
}

func (c closer) Close() error { c.close(); return nil }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// A client that has a logger writes to standard error.
func TestSilent(t *testing.T) { assert.Nil(t, newClient(nil).Logger()) }

// Its time limit is for each try, and not for redirects, retries and body
// together.
func TestOneDeadline(t *testing.T) {
	tests := map[string]http.HandlerFunc{
		"retries":   origintest.Delay(400*time.Millisecond, origintest.Reset),
		"redirects": origintest.Delay(400*time.Millisecond, origintest.Redirect("/next")),
		"body":      origintest.Delay(400*time.Millisecond, origintest.Drip("user-agent: *", 100*time.Millisecond)),
	}
	for name, answer := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", answer)
				web.Page("example.com", "/next", origintest.Delay(700*time.Millisecond, origintest.Text(body)))
				start := time.Now()
				_, err := ask(t, web.Transport(t))
				require.ErrorContains(t, err, "no answer within 1s")
				assert.Equal(t, time.Second, time.Since(start))
			})
		})
	}
}
