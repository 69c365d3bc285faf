package send

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/lane"
)

// A wire is what is known of how a base writes requests.
type wire struct {
	shares    bool            // it uses one connection for several requests without TLS, too
	transport *http.Transport // the base, if it is one: it ends a request as soon as its context ends
	overdue   func()          // is called when a request is written too late
	lending   *lending        // nil if the base sends
	tells     *atomic.Bool    // the base has called GotConn; nil if a By sends
}

// A lending is a request that a By sends.
type lending struct {
	asksFirst bool        // it asks its ticket before it goes to the By
	asked     atomic.Bool // the By has called GotConn
}

// wireOf returns the wire of a base.
func wireOf(base http.RoundTripper, overdue func()) wire {
	w := wire{overdue: overdue}
	if transport, ok := base.(*http.Transport); ok {
		w.transport = transport
		w.shares = transport.Protocols != nil && transport.Protocols.UnencryptedHTTP2()
	}
	return w
}

// delays reports whether the base makes a connection for each request, or lets requests wait
// for one.
func (w *wire) delays() bool {
	return w.transport != nil && (w.transport.DisableKeepAlives || w.transport.MaxIdleConnsPerHost < 0 || w.transport.MaxConnsPerHost > 0)
}

// hooked returns a request that asks turn once more when net/http has a connection for it. The
// request fails if it must not be written then. It also fails if a break begins before, or if the turn
// loses its slot. changed is the Changed of its Binding.
func (w *wire) hooked(req *http.Request, turn *lane.Ticket, changed func() (bool, time.Duration)) *http.Request {
	if !turn.Hooked() {
		return req
	}
	hearing, end := Context(req)
	ctx, cancel, release := endable(hearing)
	b := lane.Binding{Replayable: Replayable(req), Stoppable: w.transport != nil, Lose: cancel, Changed: changed, Context: ctx}
	if release != nil {
		b.Release = func() {
			release()
			end()
		}
	}
	turn.Bind(b)
	return req.WithContext(httptrace.WithClientTrace(ctx, w.hooks(ctx, cancel, req.URL.Scheme != "http", turn)))
}

// hooks returns what net/http calls for the request of turn. It has only what is needed,
// since each hook is allocated.
func (w *wire) hooks(ctx context.Context, cancel context.CancelCauseFunc, secure bool, turn *lane.Ticket) *httptrace.ClientTrace {
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if l := w.lending; l != nil {
			l.asked.Store(true)
			if l.asksFirst { // it has asked: now the gap counts from here
				turn.Wrote()
				return
			}
		}
		if w.tells != nil && !w.tells.Load() {
			w.tells.Store(true)
		}
		streams := w.shares || IsHTTP2(info.Conn)
		if c, ok := ctx.(*endableContext); ok && streams {
			c.streams.Store(true)
		}
		if err := turn.Connected(ctx, streams); err != nil {
			cancel(err)
			if !streams {
				shut(info.Conn) // else net/http would write the request all the same
			}
		}
	}}
	if w.transport != nil && (w.shares || secure) { // a stream can be stopped until it is written
		trace.WroteHeaderField = func(string, []string) { turn.Writing() }
	}
	if turn.Spaced() {
		trace.WroteHeaders = func() {
			if late := turn.Wrote(); late > 0 {
				w.overdue()
			}
		}
	}
	return trace
}

// shut closes a connection. Some kinds panic then, such as QUIC's: shut leaves these
// open.
func shut(conn net.Conn) {
	defer func() { recover() }()
	conn.Close()
}

// IsHTTP2 reports whether other requests may use a connection at the same time. With
// HTTP/2, net/http itself looks at the context when it begins to write.
func IsHTTP2(conn net.Conn) bool {
	secure, ok := conn.(*tls.Conn)
	return ok && secure.ConnectionState().NegotiatedProtocol == "h2"
}

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
			why := errCancelled
			if end, ok := ctx.Deadline(); ok && !time.Now().Before(end) { // an http.Client whose Timeout is over
				why = context.DeadlineExceeded
			}
			cancel(why)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

var errCancelled = errors.New("polite: the request was cancelled by its Cancel channel")

// endable returns a context that can be ended, and that ends with ctx. release ends it when the answer is
// done, and lets ctx forget it: ctx may be that of a whole crawl. release is nil if ctx never ends.
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
	c := &endableContext{Context: own, of: ctx}
	return c, end, func() {
		if stop(); c.streams.Load() {
			time.AfterFunc(resetTime, func() { end(context.Canceled) })
		} else {
			end(context.Canceled)
		}
	}
}

// resetTime is how long after a response its context ends on a connection of HTTP/2. If it ended in the same
// moment, net/http would reset the stream, and servers count these.
const resetTime = time.Second

// An endableContext ends by itself, and is like another in everything else.
type endableContext struct {
	context.Context
	of      context.Context
	streams atomic.Bool // its connection has other requests, too
}

func (c *endableContext) Deadline() (time.Time, bool) { return c.of.Deadline() }

// Value first looks in the own context of c. So contexts below c find out by themselves when c ends.
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
