package send

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/go-polite/polite/internal/lane"
)

// A Guard watches requests that have no ticket.
type Guard struct {
	Stopped   func() error        // returns an error if the request must not be written
	Connected func(time.Duration) // is called with the time that connecting took; may be nil

	// Take returns the ticket of a request in a lane above its own. If nil, there is none.
	Take func(context.Context) (*lane.Ticket, error)
}

// Send sends req through base. g may stop the request before it goes to base, or when it has a
// connection. Then the request is not written, and Send returns the error of g.
func (g Guard) Send(base http.RoundTripper, req *http.Request) (*http.Response, error) {
	if err := g.Stopped(); err != nil {
		return nil, err
	}
	if g.Take == nil {
		return g.send(base, req, nil)
	}
	ticket, err := g.Take(req.Context())
	if err != nil {
		return nil, err
	}
	resp, err := g.send(base, req, ticket)
	ticket.Answered(lane.Answer{Answered: err == nil})
	if err != nil || resp == nil || resp.Body == nil {
		ticket.Done()
		return resp, err
	}
	resp.Body = &Body{resp.Body, ticket.Done}
	return resp, nil
}

// send sends req, whose ticket above has come. ticket may be nil.
func (g Guard) send(base http.RoundTripper, req *http.Request, ticket *lane.Ticket) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	end := func(why error) { cancel(stop{why}) }
	began := time.Now()
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if g.Connected != nil {
			g.Connected(time.Since(began))
		}
		if err := g.passes(ctx, ticket, IsHTTP2(info.Conn)); err != nil {
			end(err)
			if !IsHTTP2(info.Conn) {
				shut(info.Conn)
			}
		}
	}}
	if ticket != nil {
		ticket.Bind(lane.Binding{Lose: end, Context: ctx})
		trace.WroteHeaders = func() { ticket.Wrote() }
	}
	resp, err := base.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, trace)))
	if why, ok := context.Cause(ctx).(stop); ok && err != nil {
		return nil, why.error
	}
	return resp, err
}

// passes waits until a request that has a connection may be written, or returns why it must not
// be.
func (g Guard) passes(ctx context.Context, ticket *lane.Ticket, streams bool) error {
	if err := g.Stopped(); err != nil || ticket == nil {
		return err
	}
	if err := ticket.Connected(ctx, streams); err != nil {
		return err
	}
	return g.Stopped()
}

// A stop is why a Guard has ended a request.
type stop struct{ error }

// A Body is the body of an answer that ends a turn.
type Body struct {
	io.ReadCloser
	Done func() // is called when the body is closed, or when a read returns EOF or another error; nil: no turn lasts so long
}

func (b *Body) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	b.HasRead(err)
	return n, err
}

// HasRead calls Done if a read of the ReadCloser has returned an error.
func (b *Body) HasRead(err error) {
	if err != nil && b.Done != nil {
		b.Done()
	}
}

func (b *Body) Close() error {
	if b.Done != nil {
		defer b.Done()
	}
	return b.ReadCloser.Close()
}

// UntilClosed returns conn. It calls done when conn is closed. At EOF it does not,
// since conn may still be written to.
func UntilClosed(conn io.ReadWriteCloser, done func()) io.ReadWriteCloser { return &open{conn, done} }

type open struct {
	io.ReadWriteCloser
	done func()
}

func (c *open) Close() error {
	defer c.done()
	return c.ReadWriteCloser.Close()
}

// CloseWrite closes the half of conn that is written to, if conn has halves. The
// connections of net/http have.
func (c *open) CloseWrite() error {
	if half, ok := c.ReadWriteCloser.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return fmt.Errorf("CloseWrite: %w", errors.ErrUnsupported)
}
