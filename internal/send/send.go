// Package send sends requests through a Base, once their turns have come. At the moment
// when a connection is ready, it asks the turn again whether the request may be written.
//
//	send.go  the Base, and the way to it
//	wire.go  what net/http calls when a connection is ready, and the context that ends a request
//	guard.go requests without a ticket of their own, and the bodies of answers, which end a turn
package send

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/lane"
)

// maxHeader is how many bytes of a response's header are read if Base is nil. net/http
// allocates some 30 times as much for them.
const maxHeader = 256 << 10

// A defaultBase sends the requests if Base is nil: by what http.DefaultTransport is at each request, as an
// http.Client does. Tests of other programs put another in its place. Of an http.Transport it uses a copy, which
// reads no header without end.
type defaultBase struct {
	copied atomic.Pointer[copied]
}

type copied struct{ of, base *http.Transport }

func (d *defaultBase) now() http.RoundTripper {
	current, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	before := d.copied.Load()
	if before != nil && before.of == current {
		return before.base
	}
	base := current.Clone()
	if base.MaxResponseHeaderBytes <= 0 {
		base.MaxResponseHeaderBytes = maxHeader
	}
	if !d.copied.CompareAndSwap(before, &copied{current, base}) {
		return d.now()
	}
	return base
}

func (d *defaultBase) RoundTrip(req *http.Request) (*http.Response, error) {
	return d.now().RoundTrip(req)
}

func (d *defaultBase) CloseIdleConnections() {
	if base, ok := d.now().(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// loop takes the place of a Base that is the Transport itself.
type loop struct{}

func (loop) RoundTrip(req *http.Request) (*http.Response, error) {
	closeBody(req)
	return nil, ErrLoop
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// A Sender sends requests through a base. It puts itself into the context of each request that it
// sends. So it recognizes its own requests if base sends them back to it. It is safe for concurrent
// use. Do not copy it.
type Sender struct {
	base   http.RoundTripper
	wire   wire
	proven atomic.Bool // base does not lead back
	lends  atomic.Bool // a By has sent, and each may lead back
	asks   atomic.Bool // the last By called GotConn
	tells  atomic.Bool // base has called GotConn
}

// A By sends a request in the place of a base. A nil By is the base.
type By func(*http.Request) (*http.Response, error)

var (
	// ErrLoop says that a base leads back to the Transport that sends through it.
	ErrLoop = errors.New("polite: Base leads back to the Transport itself: set it to what http.DefaultTransport was before")

	errLent    = errors.New("polite: send leads back to the Transport whose Do has called it: send the request with another client")
	errNothing = errors.New("polite: send has returned neither a response nor an error: return one of them")
)

// Use makes s send through base, which must not be transport itself. base may be nil. overdue is called
// each time when a request is written too late. If base is transport, the error is ErrLoop. Call Use
// once, before s is used.
func (s *Sender) Use(base, transport http.RoundTripper, overdue func()) error {
	if base == transport {
		s.base = loop{}
		return ErrLoop
	}
	if s.base = base; base == nil {
		own := new(defaultBase)
		s.base, base = own, own.now()
	}
	s.wire = wireOf(base, overdue)
	s.wire.tells = &s.tells
	return nil
}

// Delays reports whether base makes a connection for each request, or lets requests wait for
// one.
func (s *Sender) Delays() bool { return s.wire.delays() }

// Tells reports whether base tells when it has connected.
func (s *Sender) Tells() bool { return s.wire.transport != nil || s.tells.Load() }

// Base returns what s sends through.
func (s *Sender) Base() http.RoundTripper { return s.base }

// CloseIdleConnections closes the idle connections of the base, if it can do so.
func (s *Sender) CloseIdleConnections() {
	if base, ok := s.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// Send sends req through the base, or by. It waits until turn lets it be written.
// changed is the Changed of the Binding.
func (s *Sender) Send(req *http.Request, turn *lane.Ticket, changed func() (bool, time.Duration), by By) (resp *http.Response, err error) {
	var out *http.Request
	if by == nil {
		out, resp, err = s.sendByBase(req, turn, changed)
	} else {
		out, resp, err = s.sendBy(by, req, turn, changed)
	}
	if resp != nil && resp.Request == out {
		resp.Request = req
	}
	if failure := turn.Failure(); err != nil && failure != nil {
		err = unwritten(req.Context(), failure, err)
	}
	return resp, err
}

func (s *Sender) sendByBase(req *http.Request, turn *lane.Ticket, changed func() (bool, time.Duration)) (out *http.Request, resp *http.Response, err error) {
	out, proven := s.wire.hooked(req, turn, changed), s.proven.Load()
	if !proven {
		out = out.WithContext(s.Mark(out.Context()))
	}
	resp, err = s.base.RoundTrip(out)
	if !proven && err == nil {
		s.proven.Store(true)
	}
	return out, resp, err
}

// sendBy sends req by a By. It always marks req, since the next By may be another one. If the last one
// did not call GotConn, req asks turn before it goes to by.
func (s *Sender) sendBy(by By, req *http.Request, turn *lane.Ticket, changed func() (bool, time.Duration)) (out *http.Request, resp *http.Response, err error) {
	if !s.lends.Load() {
		s.lends.Store(true)
	}
	l := &lending{asksFirst: !s.asks.Load()}
	lent := wire{overdue: s.wire.overdue, lending: l}
	out = lent.hooked(req, turn, changed)
	out = out.WithContext(context.WithValue(out.Context(), s, errLent))
	if l.asksFirst && turn.Hooked() {
		if err := turn.Connected(out.Context(), false); err != nil {
			closeBody(req)
			return out, nil, err
		}
	}
	resp, err = by(out)
	if asked := l.asked.Load(); turn.Hooked() && (err == nil || asked) {
		s.asks.Store(asked)
	}
	switch {
	case resp == nil && err == nil:
		err = errNothing
	case resp != nil && resp.Body == nil:
		resp.Body = http.NoBody
	}
	return out, resp, err
}

// unwritten returns why a request was not written. err may say instead that polite has
// closed its connection.
func unwritten(ctx context.Context, failure, err error) error {
	_, late := failure.(*lane.LateError)
	if ctx.Err() != nil && !(late && ctx.Err() == context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	if late || failure == errCancelled || failure == lane.ErrRules || failure == lane.ErrWritten {
		return failure
	}
	return err
}

// Mark returns a context for requests of s.
func (s *Sender) Mark(ctx context.Context) context.Context {
	return context.WithValue(ctx, s, ErrLoop)
}

// Loop returns an error if s itself has sent req. Once s knows that its base does not lead back,
// and if nothing else sends, it looks only at requests for robots.txt. They come before all pages.
func (s *Sender) Loop(req *http.Request, forRobots bool) error {
	if forRobots || !s.proven.Load() || s.lends.Load() {
		err, _ := req.Context().Value(s).(error)
		return err
	}
	return nil
}

// Replayable reports whether req can be sent again.
func Replayable(req *http.Request) bool {
	return req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
}

// Again returns req in a form that can be sent again. req is replayable, and its body was closed. The
// error is that of GetBody.
func Again(req *http.Request) (*http.Request, error) {
	if req.GetBody == nil {
		return req, nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	req = req.WithContext(req.Context())
	req.Body = body
	return req, nil
}
