package proxy

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"

	"github.com/go-polite/polite/internal/send"
)

type connKey struct{}

// over returns a context that knows the connection of a program.
func over(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

var errGone = errors.New("the program has hung up")

// stopIfGone returns out, which is r as the site gets it. It ends before it is written to the
// site if the program has hung up. net/http tells this by itself only once it has read the body
// of r, and a moment later.
func stopIfGone(out, r *http.Request) *http.Request {
	conn, ok := r.Context().Value(connKey{}).(net.Conn)
	if !ok || r.ProtoMajor != 1 {
		return out
	}
	ctx, cancel := context.WithCancelCause(out.Context())
	gone := make(chan struct{})
	end := sync.OnceFunc(func() {
		cancel(errGone)
		close(gone)
	})
	out = out.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(to httptrace.GotConnInfo) {
		if hasHungUp(conn) {
			end()
			if !send.IsHTTP2(to.Conn) {
				to.Conn.Close() // else net/http would write the request all the same
			}
		}
	}}))
	//lint:ignore SA1019 the end of a context does not always reach HTTP/2 before it writes
	out.Cancel = gone
	return out
}
