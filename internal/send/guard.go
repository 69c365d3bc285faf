package send

import (
	"context"
	"net/http"
	"net/http/httptrace"
)

// Guarded sends req through base. Once it has a connection, the request is not written if
// stopped returns an error, which Guarded then returns.
func Guarded(base http.RoundTripper, req *http.Request, stopped func() error) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	resp, err := base.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if err := stopped(); err != nil {
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

// A stop is why a guard has ended a request.
type stop struct{ error }
