package send

import (
	"context"
	"errors"
	"net/http"
)

// Context returns a context that also ends when the request is cancelled in the old
// way. The caller must call end.
func Context(req *http.Request) (ctx context.Context, end func()) {
	//lint:ignore SA1019 net/http still hears it
	if cancelled := req.Cancel; cancelled != nil {
		return orCancelled(req.Context(), cancelled)
	}
	return req.Context(), func() {}
}

func orCancelled(ctx context.Context, cancelled <-chan struct{}) (_ context.Context, end func()) {
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
