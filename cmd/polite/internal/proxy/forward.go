package proxy

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origin"
)

// A forwarder sends the requests of programs through the transport.
type forwarder struct {
	transport http.RoundTripper
	robots    func(context.Context, *url.URL) (Robots, error)
	maxWait   time.Duration
	via       string
	counts    *counts
	buffers   sync.Pool // of *[]byte
}

// forward answers r, which is for a page of a site.
func (f *forwarder) forward(w http.ResponseWriter, r *http.Request, at origin.Origin) {
	f.counts.add(func(t *Tally) { t.Requests++ })
	if hasPassed(r.Header, f.via) {
		f.refuse(w, loop())
		return
	}
	ctx := polite.With(r.Context(), polite.Options{MaxWait: f.maxWait})
	if f.robots != nil && isRobots(r) && f.tellRobots(ctx, w, at.RobotsURL()) {
		return
	}
	hold, err := bodyOf(r)
	if err != nil {
		f.fail(ctx, w, err)
		return
	}
	out := stopIfGone(f.outgoing(r.WithContext(ctx), at, hold), r)
	resp, err := f.transport.RoundTrip(out)
	if err != nil {
		f.fail(out.Context(), w, err)
		return
	}
	if resp.StatusCode < http.StatusContinue {
		resp.Body.Close()
		f.refuse(w, noStatus(resp.StatusCode))
		return
	}
	f.counts.add(func(t *Tally) { t.Sent++ })
	if resp.StatusCode == http.StatusSwitchingProtocols {
		if problem := join(w, r, resp); problem != nil {
			f.refuse(w, *problem)
		}
		return
	}
	defer resp.Body.Close()
	http.NewResponseController(w).EnableFullDuplex() // the answer may come before the body is over
	f.answer(w, resp)
}

// tellRobots answers a program's own request for robots.txt. It reports whether the answer is
// known.
func (f *forwarder) tellRobots(ctx context.Context, w http.ResponseWriter, u *url.URL) bool {
	wait, cancel := context.WithTimeout(ctx, f.maxWait)
	defer cancel()
	file, err := f.robots(wait, u)
	switch {
	case err != nil:
		f.fail(ctx, w, err)
		return true
	case file.Known:
		f.counts.add(func(t *Tally) { t.Robots++ })
		file.write(w)
	}
	return file.Known
}

// outgoing returns r as the site gets it.
func (f *forwarder) outgoing(r *http.Request, at origin.Origin, b held) *http.Request {
	out := *r
	u := *r.URL // its path and query stay as they are
	u.Scheme, u.Host, _ = strings.Cut(at.String(), "://")
	out.URL, out.Host, out.RequestURI, out.Close = &u, "", "", false
	out.Header = requestFields(r)
	out.Body, out.GetBody = b.body, b.again
	if f.via != "" {
		out.Header.Add("Via", "1.1 "+f.via)
	}
	return &out
}

// answer passes the answer of a site on, as it comes.
func (f *forwarder) answer(w http.ResponseWriter, resp *http.Response) {
	answerFields(resp.Header)
	trailerFields(resp.Trailer)
	setFields(w.Header(), resp.Header)
	for name := range resp.Trailer {
		w.Header().Add("Trailer", name)
		w.Header().Del("Content-Length") // with it, HTTP/1.1 has no trailers
	}
	w.WriteHeader(resp.StatusCode)
	if err := f.copy(w, resp.Body); err != nil {
		panic(http.ErrAbortHandler) // so the program sees that there is more: net/http has no other way
	}
	trailerFields(resp.Trailer) // now it has the values, and names that were not announced
	for name, values := range resp.Trailer {
		if _, announced := w.Header()[name]; announced || len(values) > 0 {
			w.Header()[http.TrailerPrefix+name] = values
		}
	}
}

// copy copies a body. What does not fill a buffer is sent at once: more may come late.
func (f *forwarder) copy(w http.ResponseWriter, body io.Reader) error {
	buffer, ok := f.buffers.Get().(*[]byte)
	if !ok {
		buffer = new(make([]byte, 32<<10))
	}
	defer f.buffers.Put(buffer)
	control := http.NewResponseController(w)
	for {
		n, err := body.Read(*buffer)
		if n > 0 {
			if _, err := w.Write((*buffer)[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err == nil && n < len(*buffer) {
			err = control.Flush()
		}
		if err != nil {
			return err
		}
	}
}

// fail answers a request that was refused or that has failed. ctx ends when its program hangs
// up.
func (f *forwarder) fail(ctx context.Context, w http.ResponseWriter, err error) {
	if ctx.Err() != nil {
		f.counts.add(func(t *Tally) { t.Left++ })
		panic(http.ErrAbortHandler) // nobody hears an answer
	}
	f.refuse(w, refusalOf(err))
}

func (f *forwarder) refuse(w http.ResponseWriter, r refusal) {
	if r.kind == "" {
		f.counts.add(func(t *Tally) { t.Failed++ })
	} else {
		f.counts.refused(r.kind)
	}
	r.write(w)
}

// noStatus is the refusal of an answer whose status is none (RFC 9110 §15): net/http reads it, and
// panics if it is to be written.
func noStatus(code int) refusal {
	return refusal{
		status: http.StatusBadGateway, why: "http_protocol_error",
		text: fmt.Sprintf("polite proxy: the site has answered with status %03d, which HTTP does not have", code),
	}
}

// loop is the refusal of a request that leads back to the proxy.
func loop() refusal {
	return refusal{
		status: http.StatusLoopDetected, kind: KindLoop, why: "proxy_loop_detected",
		text: "polite proxy: the request leads back to this proxy: ask for the site itself, and let no proxy of yours lead here",
	}
}
