package polite

import (
	"context"
	"errors"
	"net/http"
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

// A mark is what a Transport puts into the context of what it sends, so that it knows
// its own requests if Base leads them back to it.
type mark struct{ _ byte }

var errLoop = errors.New("polite: Base leads back to the Transport itself: set it to what http.DefaultTransport was before")

func (m *mark) put(ctx context.Context) context.Context { return context.WithValue(ctx, m, true) }

func (m *mark) in(ctx context.Context) bool { return ctx.Value(m) != nil }
