package send

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"time"
)

// A Guard watches requests that have no turn.
type Guard struct {
	Stopped   func() error        // returns an error if the request must not be written
	Connected func(time.Duration) // is called with the time that connecting took; may be nil
}

// Send sends req through base. If g stops it, before it goes to base or when it has a
// connection, the request is not written, and the error is that of g.
func (g Guard) Send(base http.RoundTripper, req *http.Request) (*http.Response, error) {
	if err := g.Stopped(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	began := time.Now()
	resp, err := base.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if g.Connected != nil {
				g.Connected(time.Since(began))
			}
			if err := g.Stopped(); err != nil {
				cancel(stop{err})
				if !isHTTP2(info.Conn) {
					shut(info.Conn)
				}
			}
		},
	})))
	if why, ok := context.Cause(ctx).(stop); ok && err != nil {
		return nil, why.error
	}
	return resp, err
}

// A stop is why a Guard has ended a request.
type stop struct{ error }
