package status

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/public"
)

// LoadOf returns what the outcome of a request says. ctx is the caller's context for that
// request. If it has ended, an error says that the caller has gone, and nothing of the
// server; so does a timeout of an http.Client, which is a deadline of that context. Other
// timeouts are the server's.
func LoadOf(ctx context.Context, resp *http.Response, err error) limit.Kind {
	switch {
	case err != nil && hasEnded(ctx):
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

// hasEnded reports whether ctx has ended. A connection may be given up at the deadline a moment before ctx is.
func hasEnded(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(deadline)
}

// ofError tells errors apart by what the site did. Any error that the caller did not cause counts like a
// connection that is hung up, which a proxy before the site would call 502: a TLS alert, an answer that is no
// HTTP, a name that cannot be looked up, no route, an error of an own Base. Whatever the reason, a site that
// nobody reaches needs no more requests.
func ofError(err error) limit.Kind {
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return limit.Broken // also one that timed out, or was refused: that is the resolver
	}
	timeout, ok := errors.AsType[net.Error](err)
	text := err.Error() // net/http exports none of its errors
	switch {
	case errors.Is(err, context.Canceled), strings.Contains(text, "net/http: request canceled"):
		return limit.Neutral // somebody has given up: an http.Client whose Timeout is over, for example
	case errors.Is(err, public.ErrPrivate), strings.Contains(text, "net/http: invalid "):
		return limit.Neutral // nothing was sent
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, wsaConnRefused):
		return limit.Refused
	case ok && timeout.Timeout():
		return limit.Silent
	default:
		return limit.Broken
	}
}

// wsaConnRefused is what Windows says. There, the constants of package syscall without WSA are inventions
// that no call returns. No other system uses this number.
const wsaConnRefused = syscall.Errno(10061)
