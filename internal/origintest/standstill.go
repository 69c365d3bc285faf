package origintest

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"time"
)

// A Standstill is a Base in a process that stands still before it writes a request. In a
// synctest bubble this takes no time.
type Standstill struct {
	Base http.RoundTripper
	Long time.Duration
}

// RoundTrip stands still if a trace hears of the write, as it does for a page. Base knows of
// no trace.
func (s Standstill) RoundTrip(req *http.Request) (*http.Response, error) {
	if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.WroteHeaders != nil {
		trace.GotConn(httptrace.GotConnInfo{})
		time.Sleep(s.Long)
		trace.WroteHeaders()
		req = req.WithContext(context.Background())
	}
	return s.Base.RoundTrip(req)
}
