package proxy

import (
	"bytes"
	"io"
	"net/http"
	"sync/atomic"
)

// mostHeld is the longest body that is read before the request has its turn.
const mostHeld = 64 << 10

// A held is the body of a request, as the transport gets it.
type held struct {
	body  io.ReadCloser
	again func() (io.ReadCloser, error) // nil if it cannot be sent again
}

// bodyOf returns the body of r. A short one is read now: then net/http tells if the program hangs
// up while the request waits, and the request can be sent again. But the program that asks
// whether to send it (Expect) is asked for it only when the site wants it.
func bodyOf(r *http.Request) (held, error) {
	if r.ContentLength == 0 || r.Body == nil {
		return held{body: http.NoBody}, nil
	}
	trailerFields(r.Trailer) // what is announced
	if r.ContentLength < 0 || r.ContentLength > mostHeld || r.Header.Get("Expect") != "" {
		return held{body: &lent{body: r.Body, trailer: r.Trailer}}, nil
	}
	all, err := io.ReadAll(r.Body)
	if err != nil {
		return held{}, err
	}
	again := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(all)), nil }
	body, err := again()
	return held{body, again}, err
}

// A lent is a body that its borrower does not close: net/http would wait for the rest of it
// then, while the program waits for an answer.
type lent struct {
	body    io.Reader
	trailer http.Header // has its values at the end of the body
	closed  atomic.Bool
}

// Read reads from the body.
func (l *lent) Read(p []byte) (int, error) {
	if l.closed.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := l.body.Read(p)
	if err == io.EOF {
		trailerFields(l.trailer)
	}
	return n, err
}

// Close ends reading.
func (l *lent) Close() error {
	l.closed.Store(true)
	return nil
}
