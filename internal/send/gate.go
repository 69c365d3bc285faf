package send

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptrace"

	"github.com/go-polite/polite/internal/pace"
)

// gated returns a request that waits at the second gate of turn once net/http has a
// connection for it. If it must not be written then, it fails. It also fails if the turn
// loses its slot. overdue is called if the request is written too late.
func gated(req *http.Request, turn *pace.Turn, shares bool, overdue func()) *http.Request {
	if !turn.Spaced() && !turn.Leased() {
		return req
	}
	hearing, end := Context(req)
	ctx, cancel := context.WithCancelCause(hearing)
	turn.Bind(replayable(req), cancel, func() {
		cancel(nil)
		end()
	})
	if !turn.Spaced() {
		return req.WithContext(ctx)
	}
	return req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if err := turn.Connected(ctx); err != nil {
				cancel(err)
				if !shares && !isHTTP2(info.Conn) {
					shut(info.Conn) // else net/http would write the request all the same
				}
			}
		},
		WroteHeaders: func() {
			if late := turn.Wrote(); late > 0 {
				overdue()
			}
		},
	}))
}

// shut closes a connection. Some kinds panic then, such as QUIC's: shut leaves these
// open.
func shut(conn net.Conn) {
	defer func() { recover() }()
	conn.Close()
}

// isHTTP2 reports whether other requests may use a connection at the same time. With
// HTTP/2, net/http itself looks at the context before it writes.
func isHTTP2(conn net.Conn) bool {
	secure, ok := conn.(*tls.Conn)
	return ok && secure.ConnectionState().NegotiatedProtocol == "h2"
}
