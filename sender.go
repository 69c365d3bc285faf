package polite

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

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
	return nil, errLoop
}

// A sender sends requests through a base. It puts itself into the context of each
// request that it sends. So it recognizes its own requests if base leads them back.
type sender struct {
	base   http.RoundTripper
	shares bool        // base uses one connection for several requests without TLS, too
	proven atomic.Bool // base does not lead back

	overdue func() // is told when a request is written too late
}

var errLoop = errors.New("polite: Base leads back to the Transport itself: set it to what http.DefaultTransport was before")

// use makes s send through base.
func (s *sender) use(base http.RoundTripper) {
	if base == nil {
		base = defaultBase()
	}
	s.base = base
	if transport, ok := base.(*http.Transport); ok && transport.Protocols != nil {
		s.shares = transport.Protocols.UnencryptedHTTP2()
	}
}

// send sends req. If turn has a second gate, the request waits there, too.
func (s *sender) send(req *http.Request, turn *pace.Turn) (*http.Response, error) {
	out, proven := spaced(req, turn, s.shares, s.overdue), s.proven.Load()
	if !proven {
		out = out.WithContext(s.mark(out.Context()))
	}
	resp, err := s.base.RoundTrip(out)
	if !proven {
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
	if _, late := failure.(*pace.LateError); late {
		return failure
	}
	return err
}

func (s *sender) mark(ctx context.Context) context.Context { return context.WithValue(ctx, s, true) }

// hasSent reports whether s itself has sent req, which goes to to. Once s knows that
// base does not lead back, it looks only at requests for robots.txt. They come before
// all pages.
func (s *sender) hasSent(req *http.Request, to *site) bool {
	return (to.why == ReasonRobotsTxt || !s.proven.Load()) && req.Context().Value(s) != nil
}
