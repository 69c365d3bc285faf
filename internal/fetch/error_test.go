package fetch_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is found in an error by its type is found in what is kept of it, which has the
// same text.
func TestErrorsAreFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // some are tried again, after a while
		certificate := &x509.Certificate{DNSNames: []string{"other.example"}, Raw: make([]byte, 1<<20)}
		verification := func(err error) error {
			return &tls.CertificateVerificationError{UnverifiedCertificates: []*x509.Certificate{certificate}, Err: err}
		}
		for _, err := range []error{
			verification(x509.UnknownAuthorityError{Cert: certificate}),
			verification(x509.HostnameError{Certificate: certificate, Host: "example.com"}),
			verification(x509.CertificateInvalidError{Cert: certificate, Reason: x509.Expired, Detail: "long ago"}),
			fmt.Errorf("wrapped: %w", verification(x509.UnknownAuthorityError{Cert: certificate})),
			errors.Join(errors.New("joined"), verification(x509.HostnameError{Certificate: certificate, Host: "example.com"})),
			tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake", Conn: &net.TCPConn{}},
			&tls.ECHRejectionError{RetryConfigList: make([]byte, 1<<16)},
			&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "lost.example", IsNotFound: true}},
			errors.New("of the user's own"),
		} {
			_, kept := ask(t, fails(err))
			require.EqualError(t, kept, printable.Text(err.Error()))
			sameType[*tls.CertificateVerificationError](t, err, kept)
			sameType[x509.UnknownAuthorityError](t, err, kept)
			sameType[x509.HostnameError](t, err, kept)
			sameType[x509.CertificateInvalidError](t, err, kept)
			sameType[tls.RecordHeaderError](t, err, kept)
			sameType[*tls.ECHRejectionError](t, err, kept)
			sameType[*net.DNSError](t, err, kept)
		}
		for _, want := range []error{io.EOF, io.ErrUnexpectedEOF, context.Canceled, context.DeadlineExceeded, os.ErrDeadlineExceeded, net.ErrClosed, syscall.ECONNREFUSED} {
			err := quiet{errors.Join(&heavy{}, &url.Error{Op: "Get", Err: fmt.Errorf("lost: %w", want)})}
			_, kept := ask(t, fails(err))
			assert.EqualError(t, kept, "quiet")
			assert.ErrorIs(t, kept, want)
			assert.NotErrorIs(t, kept, io.ErrClosedPipe)
			timeout, ok := errors.AsType[net.Error](kept)
			assert.Equal(t, errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded), ok && timeout.Timeout(), want)
		}
		long := fmt.Errorf("%s: %w", long(), &net.DNSError{Err: "no such host", Name: "lost.example", IsNotFound: true})
		_, kept := ask(t, fails(long))
		sameType[*net.DNSError](t, long, kept)

		mine := errors.New("of the user's own")
		_, kept = ask(t, fails(mine))
		assert.ErrorIs(t, kept, mine)

		for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
			_, kept = ask(t, fails(&alike{to: end}))
			assert.ErrorIs(t, kept, end, "by a method of its own")
		}

		_, kept = ask(t, fails(fmt.Errorf("wrapped: %w", coded{code: 7})))
		assert.ErrorIs(t, kept, coded{code: 7}, "a few octets")

		refusing := options(redirecting("http://other.example/"+strings.Repeat("x", 2000)), time.Minute)
		refusing.Redirects.Check = func(*url.URL, *url.URL) error { return mine }
		_, kept = get(t, fetch.New(refusing), example)
		assert.ErrorIs(t, kept, mine, "after a long URL")
	})
}

// sameType tells whether kept wraps an E if err does, and one that can be printed.
func sameType[E error](t *testing.T, err, kept error) {
	_, want := errors.AsType[E](err)
	found, got := errors.AsType[E](kept)
	assert.Equal(t, want, got, "%T in %v", found, err)
	if got {
		assert.NotEmpty(t, found.Error())
	}
}

// What is kept of a fetch is small, whatever the site has sent.
func TestRetained(t *testing.T) {
	failing := func(err func() error) base {
		return func(*http.Request) (*http.Response, error) { return nil, err() }
	}
	answering := func(status int, body io.Reader, header func() []string) base {
		return func(req *http.Request) (*http.Response, error) { return answer(status, body, header()...)(req) }
	}
	certificate := func() *x509.Certificate { return &x509.Certificate{Raw: make([]byte, 1<<20)} }
	tests := map[string]base{
		"a certificate": failing(func() error {
			return &tls.CertificateVerificationError{UnverifiedCertificates: []*x509.Certificate{certificate()}, Err: x509.UnknownAuthorityError{Cert: certificate()}}
		}),
		"a certificate of another": failing(func() error {
			return fmt.Errorf("handshake: %w", x509.HostnameError{Certificate: certificate(), Host: "example.com"})
		}),
		"a certificate of long ago": failing(func() error {
			return x509.CertificateInvalidError{Cert: certificate(), Reason: x509.Expired, Detail: "long ago"}
		}),
		"a connection":           failing(func() error { return tls.RecordHeaderError{Msg: "no TLS", Conn: large{nil, new([1 << 20]byte)}} }),
		"an error of Base's own": failing(func() error { return &heavy{buffer: new([1 << 20]byte)} }),
		"an error of Base's own, wrapped": failing(func() error {
			return &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("again: %w", errors.Join(io.EOF, &heavy{buffer: new([1 << 20]byte)}))}
		}),
		"an error with a part of a text": failing(func() error { return errors.New(partOfLong("short")) }),
		"many errors": failing(func() error {
			var all []error
			for range 1000 {
				all = append(all, errors.New("one of many"))
			}
			return quiet{errors.Join(all...)}
		}),
		"a long text": failing(func() error { return errors.New(long()) }),
		"a long name": failing(func() error { return &net.DNSError{Err: "no such host", Name: long()} }),
		"a panic":     failing(func() error { panic(long()) }),
		"parts of a header": answering(200, nil, func() []string {
			return []string{"ETag", partOfLong(`"a"`), "Last-Modified", partOfLong("Sat, 01 Jan 2000 00:00:00 GMT")}
		}),
		"a long ETag":                answering(200, nil, func() []string { return []string{"ETag", long()} }),
		"a long date":                answering(200, nil, func() []string { return []string{"Last-Modified", long()} }),
		"an encoding":                answering(200, strings.NewReader("a"), func() []string { return []string{"Content-Encoding", long()} }),
		"a header":                   answering(500, nil, func() []string { return []string{"X", long()} }),
		"a location":                 answering(302, nil, func() []string { return []string{"Location", "http://" + long()} }),
		"a redirect":                 redirecting("http://other.example/r.txt"),
		"a redirect that is refused": redirecting("http://forbidden.example/" + strings.Repeat("x", 2000)),
		"a body":                     func(req *http.Request) (*http.Response, error) { return answer(404, strings.NewReader(long()))(req) },
		"half a body":                answer(200, reader(func(p []byte) (int, error) { return len(p), errors.New("broken") })),
	}
	for name, base := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // some are tried again, after a while
				least := math.MaxInt // since at times something else on the heap grows meanwhile
				for range 3 {
					least = min(least, retained(t, newClient(base), example, synctest.Wait))
				}
				assert.Less(t, least, 3<<10)
			})
		})
	}
}

// A coded error is a few octets.
type coded struct {
	code int
	_    [2]bool // an array is small, too
}

func (coded) Error() string { return "coded" }

// An error that is alike to another says so itself.
type alike struct{ to error }

func (*alike) Error() string          { return "alike" }
func (a *alike) Is(target error) bool { return target == a.to }

// A heavy error is of a Base's own type.
type heavy struct{ buffer *[1 << 20]byte }

func (*heavy) Error() string { return "heavy" }

// A quiet error wraps another and has a short text.
type quiet struct{ error }

func (quiet) Error() string   { return "quiet" }
func (q quiet) Unwrap() error { return q.error }

// A large connection is one with buffers.
type large struct {
	net.Conn
	buffers *[1 << 20]byte
}

func long() string { return strings.Repeat("x", 1<<20) }

// partOfLong returns a copy of part in the middle of something long.
func partOfLong(part string) string {
	whole := long() + part + long()
	return whole[1<<20:][:len(part)]
}

// redirecting redirects, from robots.txt alone, to a part of a long header.
func redirecting(location string) base {
	return func(req *http.Request) (*http.Response, error) {
		if req.URL.Path == "/robots.txt" {
			return answer(302, nil, "Location", partOfLong(location))(req)
		}
		return answer(404, nil)(req)
	}
}

// retained returns how many bytes are kept of a fetch that has come to its end, once
// settle has made others let go of theirs.
func retained(t *testing.T, client *fetch.Client, o origin.Origin, settle func()) int {
	type result struct {
		answer fetch.Answer
		err    error
	}
	const n = 10
	results := make([]result, n)
	results[0].answer, results[0].err = get(t, client, o) // what is set up for the first
	settle()
	before := heap()
	for i := range results {
		results[i].answer, results[i].err = get(t, client, o)
	}
	settle()
	after := heap()
	runtime.KeepAlive(results)
	return int(after-before) / n
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
