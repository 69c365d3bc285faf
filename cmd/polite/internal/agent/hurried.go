package agent

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"time"
)

// A hurried is a RoundTripper that gives up a request which is not written in time. polite bounds what
// a request waits for robots.txt and for its turn. What it waits for the file that runs of polite share
// counts here, too.
type hurried struct {
	http.RoundTripper
	most time.Duration
}

// grace is for what polite does besides waiting: it knows better why a turn comes too late.
const grace = 2 * time.Second

// A lateError refuses a request that was not written in time.
type lateError struct {
	url   string
	most  time.Duration
	again time.Time
}

func (e *lateError) Error() string {
	return fmt.Sprintf("%s was not sent: its turn has not come in %v", e.url, e.most)
}

// RoundTrip sends a request.
func (h hurried) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context()) // which ends with the call
	late := time.AfterFunc(h.most+grace, func() {
		cancel(&lateError{req.URL.Redacted(), h.most, time.Now().Add(h.most)})
	})
	defer late.Stop()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { late.Stop() }})
	resp, err := h.RoundTripper.RoundTrip(req.WithContext(ctx))
	if resp != nil {
		resp.Request = req
	}
	return resp, err
}
