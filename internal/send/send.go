// Package send sends requests through a Base, once their turns have come. At the moment
// when a connection is ready, it asks the turn again whether the request may be written.
package send

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/pace"
)

// maxHeader is how many bytes of a response's header are read if Base is nil. net/http
// allocates some 30 times as much for them.
const maxHeader = 256 << 10

// defaultBase returns what sends the requests if Base is nil.
func defaultBase() http.RoundTripper {
	base, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	base = base.Clone()
	if base.MaxResponseHeaderBytes <= 0 {
		base.MaxResponseHeaderBytes = maxHeader
	}
	return base
}

// loop takes the place of a Base that is the Transport itself.
type loop struct{}

func (loop) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		req.Body.Close()
	}
	return nil, ErrLoop
}

// A Sender sends requests through a base. It puts itself into the context of each
// request that it sends. So it recognizes its own requests if base leads them back. It is
// safe for concurrent use. Do not copy it.
type Sender struct {
	base   http.RoundTripper
	wire   wire
	proven atomic.Bool // base does not lead back
}

// ErrLoop says that a base leads back to the Transport that sends through it.
var ErrLoop = errors.New("polite: Base leads back to the Transport itself: set it to what http.DefaultTransport was before")

// Use makes s send through base, for a transport that is not to be its own base. Base may
// be nil. overdue is called each time when a request is written too late. The error is
// ErrLoop. Call Use once, before s is used.
func (s *Sender) Use(base, transport http.RoundTripper, overdue func()) error {
	if base == transport {
		s.base = loop{}
		return ErrLoop
	}
	if base == nil {
		base = defaultBase()
	}
	s.base, s.wire = base, wireOf(base, overdue)
	return nil
}

// Delays reports whether base makes a connection for each request, or lets requests wait for
// one.
func (s *Sender) Delays() bool { return s.wire.delays() }

// Base returns what s sends through.
func (s *Sender) Base() http.RoundTripper { return s.base }

// CloseIdleConnections closes the idle connections of the base, if it can do so.
func (s *Sender) CloseIdleConnections() {
	if base, ok := s.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// Send sends req. If turn has to pass the gate, the request waits there, too. changed is that
// of its Binding.
func (s *Sender) Send(req *http.Request, turn *pace.Turn, changed func() (bool, time.Duration)) (*http.Response, error) {
	out, proven := s.wire.gated(req, turn, changed), s.proven.Load()
	if !proven {
		out = out.WithContext(s.Mark(out.Context()))
	}
	resp, err := s.base.RoundTrip(out)
	if !proven && err == nil {
		s.proven.Store(true)
	}
	if resp != nil && resp.Request == out {
		resp.Request = req
	}
	if failure := turn.Failure(); err != nil && failure != nil {
		err = unwritten(req.Context(), failure, err)
	}
	return resp, err
}

// unwritten returns why a request was not written. err may say instead that polite has
// closed its connection.
func unwritten(ctx context.Context, failure, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, late := failure.(*pace.LateError); late || failure == errCancelled || failure == pace.ErrRules {
		return failure
	}
	return err
}

// Mark returns a context for requests of s.
func (s *Sender) Mark(ctx context.Context) context.Context { return context.WithValue(ctx, s, true) }

// HasSent reports whether s itself has sent req. Once s knows that its base does not lead
// back, it looks only at requests for robots.txt. They come before all pages.
func (s *Sender) HasSent(req *http.Request, forRobots bool) bool {
	return (forRobots || !s.proven.Load()) && req.Context().Value(s) != nil
}
