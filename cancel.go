package polite

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// hearing returns a context that also ends when the request is cancelled in the old
// way. The caller must call end.
func hearing(req *http.Request) (ctx context.Context, end func()) {
	//lint:ignore SA1019 net/http still hears it
	if cancelled := req.Cancel; cancelled != nil {
		return hear(req.Context(), cancelled)
	}
	return req.Context(), func() {}
}

func hear(ctx context.Context, cancelled <-chan struct{}) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-cancelled:
			cancel(errCancelled)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

var errCancelled = errors.New("polite: the request was cancelled by its Cancel channel")

// pause waits. It returns the cause if ctx ends before.
func pause(ctx context.Context, wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	alarm := time.NewTimer(wait)
	defer alarm.Stop()
	select {
	case <-alarm.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
