package status

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/go-polite/polite/internal/limit"
)

// LoadOf returns what the outcome of a request says. ctx is the caller's context for that
// request. If it has ended, an error says that the caller has gone, and nothing of the
// server; so does a timeout of an http.Client, which is a deadline of that context. Other
// timeouts are the server's.
func LoadOf(ctx context.Context, resp *http.Response, err error) limit.Kind {
	switch {
	case err != nil && ctx.Err() != nil:
		return limit.Neutral
	case err != nil:
		return ofError(err)
	case resp == nil:
		return limit.Neutral
	case IsChallenge(resp.Header):
		return limit.Challenged
	}
	return Of(resp.StatusCode).Load
}

// ofError tells errors apart by what the server did. One that comes from elsewhere is
// Neutral: a resolver that fails has not asked the server, a certificate that is wrong is
// wrong under any load, and an address that cannot be reached may be for lack of a network
// here.
func ofError(err error) limit.Kind {
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return limit.Neutral // also one that timed out
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, wsaConnRefused):
		return limit.Refused
	case hungUp(err), http2Refused(err):
		return limit.Broken
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return limit.Silent
	}
	return limit.Neutral
}

// hungUp reports whether the server ended a connection in place of an answer. A proxy
// before it would say 502 to that.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, wsaConnReset)
}

// http2Refused reports whether a server has refused a stream, or sent the client away, as HTTP/2 has it for
// a server that has too much to do (RFC 9113 §6.8, §7). net/http does not export the types of these errors.
func http2Refused(err error) bool {
	text := err.Error()
	return strings.Contains(text, "http2: server sent GOAWAY") || strings.Contains(text, "stream error: stream ID") &&
		(strings.Contains(text, "REFUSED_STREAM") || strings.Contains(text, "ENHANCE_YOUR_CALM"))
}

// What Windows says. There, the constants of package syscall without WSA are inventions
// that no call returns. No other system uses these numbers.
const (
	wsaConnReset   = syscall.Errno(10054)
	wsaConnRefused = syscall.Errno(10061)
)
