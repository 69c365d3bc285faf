package tester

import (
	"context"
	"net/http"
	"time"
)

// A desk has places for so many requests at work. Others wait.
type desk chan struct{}

func newDesk() desk { return make(desk, mostAtWork) }

// take waits for a place. When the work is done, call leave.
func (d desk) take(ctx context.Context) (leave func(), err error) {
	patience := time.NewTimer(mostPatience)
	defer patience.Stop()
	select {
	case d <- struct{}{}:
		return func() { <-d }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-patience.C:
		return nil, failure{http.StatusServiceUnavailable, "The tester is busy with other requests: try again."}
	}
}

// close waits until all work is done. Nobody gets a place any more.
func (d desk) close() {
	for range cap(d) {
		d <- struct{}{}
	}
}
