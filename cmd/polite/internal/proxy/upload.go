package proxy

import (
	"bytes"
	"io"
	"net/http"
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
		return held{body: body{r.Body, func() http.Header { return r.Trailer }}}, nil
	}
	all, err := io.ReadAll(r.Body)
	if err != nil {
		return held{}, err
	}
	again := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(all)), nil }
	first, err := again()
	return held{first, again}, err
}

// A body drops what its trailers must not say. They have their values at its end.
type body struct {
	io.ReadCloser
	trailer func() http.Header
}

func (b body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		trailerFields(b.trailer())
	}
	return n, err
}
