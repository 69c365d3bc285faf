package send

import (
	"context"
	"errors"
	"net/http"
	"time"
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

// endable returns a context that can be ended, and that ends with ctx. release lets ctx forget
// it, without ending it: if a context ends in the moment in which a response does, net/http
// resets the stream of HTTP/2. release is nil if ctx never ends.
func endable(ctx context.Context) (_ context.Context, end context.CancelCauseFunc, release func()) {
	if ctx.Done() == nil {
		ctx, end = context.WithCancelCause(ctx)
		return ctx, end, nil
	}
	own, end := context.WithCancelCause(context.Background())
	if ctx.Err() != nil { // AfterFunc tells it a moment later, when the request may be written
		end(context.Cause(ctx))
	}
	stop := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	return &endableContext{own, ctx}, end, func() { stop() }
}

// An endableContext ends by itself, and is like another in everything else.
type endableContext struct {
	context.Context
	of context.Context
}

func (c *endableContext) Deadline() (time.Time, bool) { return c.of.Deadline() }

// Value first looks for what the contexts below c need, so that they find out by themselves
// when c ends.
func (c *endableContext) Value(key any) any {
	if own := c.Context.Value(key); own != nil {
		return own
	}
	return c.of.Value(key)
}

func (c *endableContext) Err() error {
	if err := c.Context.Err(); err == nil || c.of.Err() == nil {
		return err
	}
	return c.of.Err()
}
