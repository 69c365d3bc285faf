package fetch

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-polite/polite/internal/send"
	"github.com/hashicorp/go-retryablehttp"
)

const (
	maxRetries = 2
	firstWait  = 200 * time.Millisecond // on average
)

// newHTTP returns a client that tries again when a connection broke, and does
// nothing else that base does not.
func newHTTP(base http.RoundTripper) *retryablehttp.Client {
	client := retryablehttp.NewClient()
	client.HTTPClient = &http.Client{
		Transport: roundTripper(func(req *http.Request) (*http.Response, error) { return visit(base, req) }),
		// Redirects are followed by Fetch, each with a request of its own.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	client.Logger = nil // it writes to standard error by default
	client.RetryMax = maxRetries
	client.CheckRetry = worthRetry
	client.Backoff = backoff
	client.ErrorHandler = onlyError
	return client
}

type visiting struct{} // the key of a Visit's Guard in the context of its requests

// visit sends req through base, unless the Visit forbids it.
func visit(base http.RoundTripper, req *http.Request) (*http.Response, error) {
	guard, ok := req.Context().Value(visiting{}).(send.Guard)
	if !ok {
		return base.RoundTrip(req)
	}
	return guard.Send(base, req)
}

// A roundTripper hides that the user's has CloseIdleConnections, which a failure
// would have called. Each request has a context of its own, which its body ends.
type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, end := context.WithCancel(req.Context())
	resp, err := r(req.WithContext(ctx))
	if resp == nil || resp.Body == nil {
		end()
		return resp, err
	}
	resp.Body = &body{ReadCloser: resp.Body, end: end}
	if err != nil {
		resp.Body.Close() // http.Client would leave it open, and tell the standard logger
		return nil, err
	}
	if resp.StatusCode/100 == 3 {
		if _, err := url.Parse(resp.Header.Get("Location")); err != nil {
			resp.Header.Del("Location") // http.Client would lose the status over it
		}
	}
	return resp, err
}

// A body is closed once, however often Close is called. Close ends its request first. From Go 1.27
// on net/http would otherwise read on for a while, after drain has decided to leave the rest.
type body struct {
	io.ReadCloser
	end  context.CancelFunc
	once sync.Once
}

func (b *body) Close() (err error) {
	b.once.Do(func() {
		b.end()
		err = b.ReadCloser.Close()
	})
	return err
}

// worthRetry reports whether a connection broke that may hold the next time. A
// status is an answer: asking again at once would not be polite. Neither will a
// name, a certificate or a protocol be another by then.
func worthRetry(ctx context.Context, _ *http.Response, err error) (bool, error) {
	if err == nil || ctx.Err() != nil {
		return false, nil
	}
	dns, ok := errors.AsType[*net.DNSError](err)
	return ok && dns.IsTemporary && !dns.IsNotFound ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE), nil
}

// backoff doubles from try to try, half to one and a half times as long, so that
// crawlers that were cut off together do not come back together. It takes no
// word for it from the server: Retry-After is for later fetches.
func backoff(_, _ time.Duration, try int, _ *http.Response) time.Duration {
	wait := firstWait << try
	return wait/2 + rand.N(wait)
}

// onlyError returns the error as it is, and never a response besides, which whoever
// read it has closed.
func onlyError(_ *http.Response, err error, _ int) (*http.Response, error) { return nil, err }

// Plain returns err without the URL that net/url and net/http put before it.
func Plain(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}

// HopFields are the fields that are about one connection alone: no proxy passes them on, and no cache keeps
// them (RFC 9110 §7.6.1, RFC 9111 §3.1).
func HopFields() []string {
	return []string{
		"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization", "Proxy-Connection",
		"Te", "Trailer", "Transfer-Encoding", "Upgrade",
	}
}

// DropHop drops the fields that are about the connection, also those that Connection names.
func DropHop(h http.Header) {
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			h.Del(textproto.TrimString(name))
		}
	}
	for _, name := range HopFields() {
		delete(h, name)
	}
}
