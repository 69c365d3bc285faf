package polite

import (
	"context"
	"errors"
	"net/http"
)

// oldCancel returns the channel by which req may be cancelled besides its context.
func oldCancel(req *http.Request) <-chan struct{} {
	//lint:ignore SA1019 net/http still hears it
	return req.Cancel
}

// hearing returns a context that also ends when cancelled is closed. end must be
// called.
func hearing(ctx context.Context, cancelled <-chan struct{}) (_ context.Context, end func()) {
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
