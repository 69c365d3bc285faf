package polite

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/go-polite/polite/internal/pace"
)

// maxHeader is how much of a response's header is read if Base is nil. What
// allocates it is some 30 times as large.
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

// loop stands in for a Base that is its Transport.
type loop struct{}

func (loop) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		req.Body.Close()
	}
	return nil, errLoop
}

// A sender sends requests through a base. It puts itself into the context of what it
// sends, so that it knows its own requests if base leads them back.
type sender struct {
	base   http.RoundTripper
	shares bool        // base uses one connection for several requests without TLS, too
	proven atomic.Bool // base does not lead back
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

// send sends req when it is its turn at the second gate, too.
func (s *sender) send(req *http.Request, turn *pace.Turn) (*http.Response, error) {
	out, proven := spaced(req, turn, s.shares), s.proven.Load()
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
	if ended := context.Cause(req.Context()); err != nil && ended != nil && turn.Unwritten() {
		err = ended // and not that its connection was closed
	}
	return resp, err
}

func (s *sender) mark(ctx context.Context) context.Context { return context.WithValue(ctx, s, true) }

// hasSent reports whether s has sent req, which is for to. Once it is known where base
// leads, this is looked at for robots.txt alone, which comes before all pages.
func (s *sender) hasSent(req *http.Request, to *site) bool {
	return (to.why == RobotsTxt || !s.proven.Load()) && req.Context().Value(s) != nil
}
